/**
 * Converts TeX to MathML, which Chromium draws without fonts or style sheets. Loaded when the first formula is drawn.
 *
 * Invariant: the result is rebuilt from an allow-list of elements, attributes and style properties. It contains no
 * links, no resources, and no colors of the author.
 */
import temml from "temml";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS: ReadonlySet<string> = new Set(
  (
    "math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt " +
    "mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics"
  ).split(" "),
);
const ATTRIBUTES = (
  "accent accentunder class columnspan depth dir display displaystyle fence form height largeop linethickness lspace " +
  "mathvariant maxsize minsize movablelimits notation rowspan rspace scriptlevel separator stretchy symmetric voffset width"
).split(" ");
const STYLES =
  /^(border|padding|margin)-(top|right|bottom|left)(-width|-style)?$|^(display|math-|text-align|width|height)/;

/** Limits of a formula: expansions of macros, and sizes in em and pt. */
const LIMITS = { maxExpand: 200, maxSize: [20, 200] as [number, number] };
const MAX_ELEMENTS = 5_000;

/** Throws if the TeX is invalid or exceeds a limit. */
export function mathOf(tex: string, isBlock: boolean): Element {
  const template = document.createElement("template");
  template.innerHTML = temml.renderToString(tex, {
    ...LIMITS,
    displayMode: isBlock,
    throwOnError: true,
    trust: false,
    macros: {},
  });
  const math = template.content.firstElementChild;
  if (math === null || math.querySelectorAll("*").length > MAX_ELEMENTS) throw new RangeError();
  return copyOf(math);
}

function copyOf(element: Element): Element {
  const copy = document.createElementNS(MATHML, element.localName);
  for (const name of ATTRIBUTES) {
    const value = element.getAttribute(name);
    if (value !== null) copy.setAttribute(name, value);
  }
  if (element instanceof MathMLElement && copy instanceof MathMLElement)
    for (const name of element.style)
      if (STYLES.test(name)) copy.style.setProperty(name, element.style.getPropertyValue(name));
  for (const node of element.childNodes)
    if (node instanceof Text) copy.append(node.data);
    else if (node instanceof Element && isAllowed(node)) copy.append(copyOf(node));
  return copy;
}

function isAllowed({ namespaceURI, localName }: Element): boolean {
  return namespaceURI === MATHML && ELEMENTS.has(localName);
}
