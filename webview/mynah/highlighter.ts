/** The highlighter of mynah-ui, for lines of code that Symposium draws itself. */
import { create } from "../components/dom";

declare global {
  /** Set by a patch of mynah-ui. */
  var symposiumHighlighter:
    | {
        getLanguage(name: string): unknown;
        highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string };
      }
    | undefined;
}

/** Longer code takes more than a frame. */
const MAX_CHARACTERS = 8_000;

/** Colored lines of the file's language. `undefined`: the language is unknown, or the code is too long. */
export function highlightedLines(lines: readonly string[], path: string): readonly Node[] | undefined {
  const code = lines.join("\n"),
    language = /\.([\w-]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  if (code.length > MAX_CHARACTERS || !globalThis.symposiumHighlighter?.getLanguage(language)) return undefined;
  const inert = document.createElement("template");
  inert.innerHTML = globalThis.symposiumHighlighter.highlight(code, { language, ignoreIllegals: true }).value;
  return split(inert.content);
}

/** A token of several lines is repeated in each of them. */
function split(colored: DocumentFragment): readonly Node[] {
  let line = document.createDocumentFragment();
  const lines = [line];
  const visit = (node: Node, classes: readonly string[]): void => {
    if (node instanceof Element) for (const child of node.childNodes) visit(child, [...classes, node.className]);
    else
      for (const [i, text] of (node.textContent ?? "").split("\n").entries()) {
        if (i > 0) lines.push((line = document.createDocumentFragment()));
        if (text !== "") line.append(wrapped(text, classes));
      }
  };
  for (const child of colored.childNodes) visit(child, []);
  return lines;
}

const wrapped = (text: string, classes: readonly string[]): Node =>
  classes.reduceRight<Node>((inner, className) => create("span", { className }, inner), document.createTextNode(text));
