/**
 * Validates an untrusted image and returns it as a `data:` address: a PNG, or an SVG that contains only shapes. The
 * content determines the type, and the server's content type is ignored. Pure.
 *
 * Invariants:
 * - An accepted SVG has no element or attribute that could run code, load a resource, or display external content.
 * - An ambiguous SVG (another encoding, own entities, a namespace prefix) is rejected.
 *
 * The result is displayed as an image, where browsers run no scripts. This validation is the second line of defence.
 */

/** Returns undefined if the image is rejected. */
export function pictureOf(bytes: Uint8Array): string | undefined {
  if (isPng(bytes)) return addressOf("image/png", bytes);
  const text = textIn(bytes);
  return text !== undefined && isPlainSvg(text) ? addressOf("image/svg+xml", bytes) : undefined;
}

function addressOf(type: string, bytes: Uint8Array): string {
  return `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
}

/** The signature and the header, which must be the first chunk (PNG specification, 5.2 and 5.3). */
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
/** Maximum width and height in pixels. A small file can declare an image that exceeds the memory. */
const MAX_PIXELS = 1024;
function isPng(bytes: Uint8Array): boolean {
  if (bytes.length < PNG.length + 8 || !PNG.every((byte, i) => bytes[i] === byte)) return false;
  const header = Buffer.from(bytes.buffer, bytes.byteOffset + PNG.length, 8);
  return [header.readUInt32BE(0), header.readUInt32BE(4)].every(side => side > 0 && side <= MAX_PIXELS);
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Excludes elements that repeat others, because a few nested ones take too long to render. */
const SHAPES = new Set([
  "svg",
  "g",
  "defs",
  "title",
  "desc",
  "path",
  "rect",
  "circle",
  "ellipse",
  "line",
  "polyline",
  "polygon",
  "text",
  "tspan",
  "linearGradient",
  "radialGradient",
  "stop",
  "clipPath",
  "mask",
  "filter",
  "style",
  "feBlend",
  "feColorMatrix",
  "feComponentTransfer",
  "feComposite",
  "feDropShadow",
  "feFlood",
  "feFuncA",
  "feFuncB",
  "feFuncG",
  "feFuncR",
  "feGaussianBlur",
  "feMerge",
  "feMergeNode",
  "feMorphology",
  "feOffset",
]);

/** One XML token: text, a comment, a tag or CDATA. */
const TOKEN = /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<(?!!)[^<>]*>|[^<>]+/y;
const CDATA = "<![CDATA[";
/** XML allows “>” in attribute values. Such a tag does not match, and the SVG is rejected. */
const TAG = /^<(\/?)([A-Za-z][\w.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>$/;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

export function isPlainSvg(text: string): boolean {
  const content =
    /^\uFEFF?\s*(?:<\?xml(?:\s+(?:version="1\.[01]"|encoding="utf-8"|standalone="(?:yes|no)"))*\s*\?>)?/i.exec(
      text,
    )?.[0] ?? "";
  TOKEN.lastIndex = content.length;
  let elements = 0,
    textContent = "",
    open = "";
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return false;
    if (token.startsWith("<!--")) continue;
    if (!token.startsWith("<") || token.startsWith(CDATA)) {
      textContent += token.startsWith(CDATA) ? token.slice(CDATA.length, -"]]>".length) : token;
      continue;
    }
    const [, end = "", name = "", attributes = "", empty = ""] = TAG.exec(token) ?? [];
    if (!SHAPES.has(name) || (elements++ === 0 && name !== "svg")) return false;
    // An XML parser joins the text around a nested element in a style, so nested elements are rejected.
    if (!isLocal(textContent) || (open === "style" && (end === "" || name !== "style"))) return false;
    textContent = "";
    open = end === "" && empty === "" ? name : "";
    if (
      ![...attributes.matchAll(ATTRIBUTE)].every(([, attribute = "", doubleQuoted, singleQuoted = ""]) =>
        isHarmless(attribute, doubleQuoted ?? singleQuoted),
      )
    )
      return false;
  }
  return elements > 0 && isLocal(textContent);
}

function isHarmless(attribute: string, value: string): boolean {
  const name = attribute.toLowerCase();
  if (name.startsWith("on")) return false;
  // A namespace name is an address that is never loaded.
  if (name === "xmlns" || name.startsWith("xmlns:"))
    return name === "xmlns" ? value === "http://www.w3.org/2000/svg" : true;
  // Any prefix can refer to any namespace.
  switch (name.replace(/^.*:/, "")) {
    case "href":
      return /^#[\w.-]+$/.test(value);
    case "src":
    case "base":
      return false;
    default:
      return isLocal(value);
  }
}

/** Whether a style refers to nothing external. A backslash or an entity could encode any word. */
function isLocal(text: string): boolean {
  return (
    !/\\|&(?!(?:amp|lt|gt|quot|apos);)|@import|javascript:|expression\s*\(|image-set|src\s*\(|behavior|-moz-binding/i.test(
      text,
    ) && [...text.matchAll(/url\s*\(([^)]*)\)?/gi)].every(([, to = ""]) => /^\s*(["']?)#[\w.-]+\1\s*$/.test(to))
  );
}
