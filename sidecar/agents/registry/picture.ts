/**
 * A picture that a stranger made, as a `data:` address: a PNG, or an SVG that is nothing but shapes. Known by what it
 * is, not by what its server calls it. Pure.
 *
 * Invariants: an SVG has no element, and no attribute, that could run something, fetch something, or show what is not
 * in it; whoever could be in doubt about one (another encoding, entities of its own, a prefix for a namespace) is given
 * none. It is shown as an image, where browsers run nothing; this is the second wall.
 */

/** Undefined: it is none that is shown. */
export function pictureOf(bytes: Uint8Array): string | undefined {
  if (isPng(bytes)) return addressOf("image/png", bytes);
  const text = textIn(bytes);
  return text !== undefined && isPlainSvg(text) ? addressOf("image/svg+xml", bytes) : undefined;
}

function addressOf(type: string, bytes: Uint8Array): string {
  return `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
}

/** The signature, and the header that must be the first of its chunks (PNG specification, 5.2 and 5.3). */
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
/** Pixels on a side. A few bytes can promise more than any memory holds. */
const LARGEST = 1024;
function isPng(bytes: Uint8Array): boolean {
  if (bytes.length < PNG.length + 8 || !PNG.every((byte, i) => bytes[i] === byte)) return false;
  const header = Buffer.from(bytes.buffer, bytes.byteOffset + PNG.length, 8);
  return [header.readUInt32BE(0), header.readUInt32BE(4)].every(side => side > 0 && side <= LARGEST);
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Without those that repeat others: a few of them inside of each other draw for ever. */
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

/** One token of XML: what is between tags, a comment, a tag, CDATA. */
const TOKEN = /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<(?!!)[^<>]*>|[^<>]+/y;
const CDATA = "<![CDATA[";
/** Values may hold “>” in XML; those that do are not read as one tag, and then the whole is none. */
const TAG = /^<(\/?)([A-Za-z][\w.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>$/;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

export function isPlainSvg(text: string): boolean {
  const content =
    /^\uFEFF?\s*(?:<\?xml(?:\s+(?:version="1\.[01]"|encoding="utf-8"|standalone="(?:yes|no)"))*\s*\?>)?/i.exec(
      text,
    )?.[0] ?? "";
  TOKEN.lastIndex = content.length;
  let elements = 0,
    words = "",
    open = "";
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return false;
    if (token.startsWith("<!--")) continue;
    if (!token.startsWith("<") || token.startsWith(CDATA)) {
      words += token.startsWith(CDATA) ? token.slice(CDATA.length, -"]]>".length) : token;
      continue;
    }
    const [, end = "", name = "", attributes = "", empty = ""] = TAG.exec(token) ?? [];
    if (!SHAPES.has(name) || (elements++ === 0 && name !== "svg")) return false;
    // What stands around an element in a style is one text for who reads the style: so there is none.
    if (!isLocal(words) || (open === "style" && (end === "" || name !== "style"))) return false;
    words = "";
    open = end === "" && empty === "" ? name : "";
    if (
      ![...attributes.matchAll(ATTRIBUTE)].every(([, attribute = "", one, other = ""]) =>
        isHarmless(attribute, one ?? other),
      )
    )
      return false;
  }
  return elements > 0 && isLocal(words);
}

function isHarmless(attribute: string, value: string): boolean {
  const name = attribute.toLowerCase();
  if (name.startsWith("on")) return false;
  // What a namespace is called is an address, and nothing is fetched from it.
  if (name === "xmlns" || name.startsWith("xmlns:"))
    return name === "xmlns" ? value === "http://www.w3.org/2000/svg" : true;
  // Any prefix can mean any namespace.
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

/** Styles that name nothing outside. A backslash, or an entity, could spell any word. */
function isLocal(text: string): boolean {
  return (
    !/\\|&(?!(?:amp|lt|gt|quot|apos);)|@import|javascript:|expression\s*\(|image-set|src\s*\(|behavior|-moz-binding/i.test(
      text,
    ) && [...text.matchAll(/url\s*\(([^)]*)\)?/gi)].every(([, to = ""]) => /^\s*(["']?)#[\w.-]+\1\s*$/.test(to))
  );
}
