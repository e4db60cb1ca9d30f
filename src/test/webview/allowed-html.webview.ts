/** The allow-list of HTML for the page, in a plain Chromium without a content security policy. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import fc from "fast-check";
import type { Browser, Page } from "playwright-core";
import { seed } from "../../../scripts/seed.mjs";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { launchBrowser } from "../../../scripts/vscode-box/index.mjs";
import { ALLOWED_HTML } from "../page/chat-parts";
import { ROOT } from "../page/harness";

const required = createRequire(path.join(ROOT, "package.json"));
const html: { readonly setHtml: (target: Element, html: string) => void } = required(`./${ALLOWED_HTML}`);

const RUN = "window.hacked=1";
const words = (list: string): readonly string[] => list.trim().split(/\s+/);
const TAGS = words(`
  a b p ul li table tr td pre code span input h1 blockquote svg math mtext mglyph style script img image iframe object
  embed form button details video template noscript textarea title select option base link meta annotation-xml
  foreignObject body html frameset plaintext xmp x-own animate set use
`);
const ATTRIBUTES = words(`
  href src srcdoc style onclick onerror onload onfocus autofocus ontoggle open action formaction data xlink:href
  background srcset id name class title target align start type checked disabled contenteditable slot is ping
  attributename values
`);
const VALUES = [
  RUN,
  `javascript:${RUN}`,
  `JaVaScRiPt:${RUN}`,
  `java&#9;script:${RUN}`,
  `&#106;avascript:${RUN}`,
  `javascript&colon;${RUN}`,
  `&#1;javascript:${RUN}`,
  "vbscript:x",
  "command:x",
  "blob:x",
  "vscode://x",
  "data:text/html,<script>parent.hacked=1</script>",
  "https://evil.example/x",
  "../a",
  "checkbox",
  "text",
  "language-js",
  `<script>${RUN}</script>`,
  "x",
  "",
];
const TEXTS = [
  "text",
  "&lt;b&gt;",
  "&amp;",
  "-->",
  "<!--",
  "]]>",
  "<![CDATA[",
  "</p>",
  "</",
  "<",
  '"',
  "'",
  ">",
  `<img src=x onerror=${RUN}>`,
  "</template>",
  "</style>",
  "</title>",
];

const attribute = fc
  .tuple(fc.constantFrom(...ATTRIBUTES), fc.constantFrom(...VALUES), fc.constantFrom('"', "'", ""))
  .map(([name, value, quote]) => `${name}=${quote}${value}${quote}`);
const tag = fc
  .tuple(fc.constantFrom(...TAGS), fc.array(attribute, { maxLength: 4 }))
  .map(([name, attributes]) => `<${[name, ...attributes].join(" ")}>`);
const endTag = fc.constantFrom(...TAGS).map(name => `</${name}>`);
const source = fc
  .array(fc.oneof(tag, endTag, fc.constantFrom(...TEXTS)), { maxLength: 12 })
  .map(parts => parts.join(""));
const sources = fc.array(source, { minLength: 25, maxLength: 25 });

/** HTML as the Markdown renderer, the chat widget and the highlighter write it. */
const ORDINARY: Readonly<Record<string, string>> = {
  "a heading and a paragraph": "<h1>A</h1>\n<p>b <strong>c</strong> <em>d</em> <del>e</del><br>f</p>\n<hr>\n",
  "nested lists": `<ol start="3">\n<li>\n  a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ol>\n`,
  "a task list":
    `<ul>\n<li><input checked="" disabled="" type="checkbox"> done</li>` +
    `<li><input disabled="" type="checkbox"> open</li>\n</ul>`,
  "a table":
    `<table>\n<thead>\n<tr>\n<th align="left">a</th>\n<th align="right">b</th>\n</tr>\n</thead>\n` +
    `<tbody><tr>\n<td align="left">1</td>\n<td align="right"><code>2</code></td>\n</tr>\n</tbody></table>\n`,
  quotations: "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n</blockquote>\n",
  code: `<pre><code class="language-ts">const a = "&lt;b&gt;" &amp;&amp; 'c';\n</code></pre>\n`,
  "colored code": `<span class="hljs-keyword">const</span> a = <span class="hljs-number">1</span>;`,
  links:
    `<p><a href="https://a.b/?x=1&amp;y=2" target="_blank" title="t">t</a> <a href="../a">u</a> ` +
    `<a href="mailto:a@b.c">m</a> <a href="file:///a">f</a></p>`,
  "a control label": "<bdi>a &nbsp;b</bdi>",
};

suite("allowed HTML", () => {
  let browser: Browser, page: Page;
  const requests: string[] = [];
  suiteSetup(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
    page.on("request", request => requests.push(request.url()));
    await page.addScriptTag({ content: `${html.setHtml.toString()}; Object.assign(window, { setHtml });` });
  });
  suiteTeardown(() => browser.close());

  /** The HTML that `setHtml` builds from each input. */
  const sanitized = (given: readonly string[]) =>
    page.evaluate(all => {
      const FORBIDDEN =
        "script, style, img, svg, math, iframe, object, embed, form, button, select, textarea, " +
        "details, video, template, base, link, meta, input:not([type=checkbox]:disabled)";
      const ALLOWED = ["href", "target", "title", "class", "align", "start", "type", "checked", "disabled"];
      // In a page without an address, a relative address has an empty scheme.
      const SCHEMES = ["http:", "https:", "mailto:", "file:", ":"];
      const isHarmful = (element: Element): boolean =>
        element.namespaceURI !== "http://www.w3.org/1999/xhtml" ||
        element.matches(FORBIDDEN) ||
        element.getAttributeNames().some(name => !ALLOWED.includes(name)) ||
        (element instanceof HTMLAnchorElement && element.hasAttribute("href") && !SCHEMES.includes(element.protocol));
      return all.map(text => {
        const target = document.createElement("div");
        document.body.append(target);
        setHtml(target, text);
        const harmful = [...target.querySelectorAll("*")].filter(isHarmful).map(element => element.outerHTML);
        const result = target.innerHTML;
        setHtml(target, result);
        const again = target.innerHTML;
        target.remove();
        return { result, again, harmful };
      });
    }, given);
  const hacked = () =>
    page.evaluate(() => {
      const ran = "hacked" in window;
      Reflect.deleteProperty(window, "hacked");
      return ran;
    });

  test("runs and loads nothing and contains only allowed elements and attributes", async function () {
    this.timeout(timeLimit(120_000));
    await fc.assert(
      fc.asyncProperty(sources, async given => {
        const before = requests.length;
        for (const { harmful } of await sanitized(given)) assert.deepEqual(harmful, []);
        assert.equal(await hacked(), false, "a script ran");
        assert.deepEqual(requests.slice(before), []);
      }),
      { seed, numRuns: 60 },
    );
  });

  test("shows a disallowed element as text and drops dangerous addresses", async () => {
    const results = (
      await sanitized([
        `a <svg onload="${RUN}"></svg>`,
        `<a href="javascript:${RUN}" onclick="${RUN}">b</a>`,
        `<input type="text" value="c">`,
      ])
    ).map(({ result }) => result);
    assert.deepEqual(results, [
      `a &lt;svg onload="${RUN}"&gt;&lt;/svg&gt;`,
      "<a>b</a>",
      `&lt;input type="text" value="c"&gt;`,
    ]);
  });

  test("is complete for any number of elements", async () => {
    const count = 150_000,
      [output] = await sanitized([`<i>x</i>`.repeat(count)]);
    assert.equal(output?.result.length, count * "<i>x</i>".length);
  });

  for (const [what, given] of Object.entries(ORDINARY))
    test(`keeps ${what}`, async () => {
      const [output] = await sanitized([given]);
      assert.equal(sorted(output?.result ?? ""), sorted(given.replaceAll("&quot;", '"')));
      assert.equal(output?.again, output?.result);
    });
});

/** Sorts the attributes of each tag. */
const sorted = (text: string): string =>
  text.replaceAll(/(?<=<\w+)(?: [\w-]+="[^"]*")+/g, list => (list.match(/ [\w-]+="[^"]*"/g) ?? []).toSorted().join(""));

declare global {
  function setHtml(target: Element, html: string): void;
}
