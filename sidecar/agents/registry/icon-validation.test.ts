import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { isPlainSvg, pictureOf } from "./icon-validation";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const NS = `xmlns="http://www.w3.org/2000/svg"`;
const svg = (inner: string, attributes = ""): string => `<svg ${NS} ${attributes}viewBox="0 0 16 16">${inner}</svg>`;

suite("untrusted picture", () => {
  test("is accepted as PNG or plain SVG by content", () => {
    equal(pictureOf(PNG), `data:image/png;base64,${PNG.toString("base64")}`);
    const plain = Buffer.from(svg(`<path fill="currentColor" d="M0 0h16v16z"/>`));
    equal(pictureOf(plain), `data:image/svg+xml;base64,${plain.toString("base64")}`);
    for (const buffer of [
      Buffer.alloc(0),
      Buffer.from("GIF89a"),
      Buffer.from("<html></html>"),
      PNG.subarray(0, 10),
      PNG.subarray(0, 20),
      Buffer.from(svg(""), "utf16le"),
      Buffer.concat([Buffer.from(svg("")), Buffer.from([0xff])]),
    ])
      equal(pictureOf(buffer), undefined);
  });

  test("is rejected for a PNG with zero or too many pixels", () => {
    const promising = (width: number, height: number): Buffer => {
      const bytes = Buffer.from(PNG);
      bytes.writeUInt32BE(width, 16);
      bytes.writeUInt32BE(height, 20);
      return bytes;
    };
    deepEqual(
      [
        [1024, 1024],
        [1, 1025],
        [60_000, 1],
        [0, 1],
        [2 ** 32 - 1, 2 ** 32 - 1],
      ].map(([width = 0, height = 0]) => pictureOf(promising(width, height)) !== undefined),
      [true, false, false, false, false],
    );
  });

  const plain: readonly [name: string, text: string][] = [
    [
      "shapes",
      svg(
        `<g fill="none" stroke='#333' transform="scale(.5) rotate(3)"><circle cx="1" cy="2" r="3"/><path d="M0 0L1 1"/></g>`,
      ),
    ],
    [
      "with a declaration, a comment and a byte order mark",
      `\uFEFF<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- made > by hand -->\n${svg("<title>Ada &amp; Eve</title>")}\n`,
    ],
    [
      "with its own gradient",
      svg(
        `<defs><linearGradient id="a" xlink:href="#b"><stop offset="0" stop-color="red"/></linearGradient></defs><rect fill="url(#a)" width="1" height="1"/>`,
        `xmlns:xlink="http://www.w3.org/1999/xlink" `,
      ),
    ],
    [
      "with a style",
      svg(
        `<style>.a{fill:url( '#b' )}</style><style><![CDATA[.c{fill:red}]]></style><path class="a" style="fill:#fff"/>`,
      ),
    ],
  ];
  for (const [name, text] of plain) test(`is accepted as plain SVG: ${name}`, () => ok(isPlainSvg(text)));

  const refused: readonly [name: string, text: string][] = [
    ["nothing", ""],
    ["text", "hello"],
    ["another document", `<html ${NS}></html>`],
    ["an unknown namespace", svg('<g xmlns="http://www.w3.org/1999/xhtml"></g>')],
    ["a script", svg("<script>alert(1)</script>")],
    ["a script with a prefix", svg(`<s:script xmlns:s="http://www.w3.org/2000/svg">1</s:script>`)],
    ["HTML", svg("<foreignObject><p>x</p></foreignObject>")],
    ["a handler", svg(`<path onload="alert(1)"/>`)],
    ["a handler in capitals", svg(`<path ONLOAD='1'/>`)],
    ["a handler on the root", svg("", `onload="x" `)],
    ["an image", svg(`<image href="https://example.com/x.png"/>`)],
    ["a link", svg(`<a href="https://example.com/"><path/></a>`)],
    ["external symbols", svg(`<use href="https://example.com/x.svg#a"/>`)],
    ["nested copies", svg(`<g id="a"/><use href="#a"/>`)],
    ["an external gradient", svg(`<linearGradient href="https://example.com/#a"/>`)],
    [
      "… by another prefix",
      svg(`<linearGradient x:href="https://example.com/#a"/>`, `xmlns:x="http://www.w3.org/1999/xlink" `),
    ],
    ["a base", svg("", `xml:base="https://example.com/" `)],
    ["an external fill", svg(`<rect fill="url(https://example.com/#a)"/>`)],
    ["… in quotes", svg(`<rect style="fill:url('//example.com/x')"/>`)],
    ["… with an escape", svg(`<rect style="fill:u\\72l(//example.com)"/>`)],
    ["… with an entity", svg(`<rect style="fill:u&#114;l(//example.com)"/>`)],
    ["… without an end", svg(`<rect style="fill:url(//example.com"/>`)],
    ["an import", svg(`<style>@import "https://example.com/x.css";</style>`)],
    ["an import in CDATA", svg(`<style><![CDATA[@import "x";]]></style>`)],
    ["a split import", svg(`<style>@imp<!-- -->ort "x";</style>`)],
    ["… around an element", svg(`<style>a{fill:url(<title>#a)</title>//example.com/x)}</style>`)],
    ["… half of it in CDATA", svg("<style>a{fill:u<![CDATA[rl(//example.com/x)]]>}</style>")],
    ["an element in a style", svg("<style>a{}<g/></style>")],
    ["an incomplete style", svg("<style>.a{fill:url(</style><g/>")],
    ["an image set", svg(`<style>a{background:image-set("x" 1x)}</style>`)],
    ["a stylesheet", `<?xml version="1.0"?><?xml-stylesheet href="https://example.com/x.css"?>${svg("")}`],
    ["entities of its own", `<!DOCTYPE svg [<!ENTITY a "b">]>${svg("")}`],
    ["another encoding", `<?xml version="1.0" encoding="UTF-7"?>${svg("")}`],
    ["an animation", svg(`<animate attributeName="href" to="javascript:1"/>`)],
    ["an attribute without quotes", svg("<path d=x/>")],
    ["a “>” in an attribute", svg(`<path d="a>b"/>`)],
    ["an incomplete tag", svg("<path")],
    ["an incomplete comment", `${svg("")}<!-- `],
    ["a comment without an end", svg("<!-- >")],
    ["CDATA without an end", svg("<![CDATA[ >")],
  ];
  for (const [name, text] of refused) test(`is rejected as SVG: ${name}`, () => ok(!isPlainSvg(text)));

  test("contains no active content in any accepted SVG", () => {
    const piece = fc.constantFrom(
      "<",
      ">",
      "/",
      '"',
      "'",
      "=",
      " ",
      "svg",
      NS,
      "script",
      "path",
      "on",
      "load",
      "href",
      "xlink:",
      "url(",
      "#a",
      ")",
      "https://x/",
      "javascript:",
      "<!--",
      "-->",
      "<![CDATA[",
      "]]>",
      "&#x",
      ";",
      "\\",
      "@import",
      "<style>",
      "</style>",
      "style",
      "d",
      "foreignObject",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, isInside) => {
        const text = isInside ? svg(pieces.join("")) : pieces.join("");
        if (!isPlainSvg(text)) return;
        // CDATA is text, even if it looks like markup.
        const visible = text.replaceAll(/<!--[^]*?-->|<!\[CDATA\[([^]*?)\]\]>/g, (_, content: string = "") =>
          content.replaceAll("<", "&lt;"),
        );
        ok(
          !/<[^<>]*(script|foreignObject)|<[^<>]*\son\w*\s*=|@import|url\((?!\s*["']?#)|<[^<>]*href\s*=\s*["'](?!#)/i.test(
            visible.replaceAll(NS, ""),
          ),
          text,
        );
      }),
      { numRuns: 2000 },
    );
  });

  test("is checked in linear time", () => {
    for (const part of ["<", "<!--", "<g ", '<g a="', '" a="', "<![CDATA[", "url(", "&", "<g a='b' "]) {
      const startedAt = performance.now();
      isPlainSvg(svg(part.repeat((64 * 1024) / part.length)));
      ok(performance.now() - startedAt < 1000, part);
    }
  });
});
