/**
 * Sanitizes untrusted text for a Markdown renderer that passes raw HTML through, as the chat widget does.
 *
 * Invariants:
 * - After `safeMarkdown` the rendered page contains no element that the text wrote as a tag, and no image; code is
 *   displayed unchanged.
 * - `safeAnswer` adds only the elements of formulas, whose text is in an attribute.
 * - After `literal` the text is displayed exactly as it is, on one line.
 * - The nesting depth stays within the recursion limit of the renderer, which descends into each block quote and list
 *   item.
 *
 * The input must be a whole body, because a tag split across stream chunks would pass. The strict CSP is the second
 * line of defence.
 */
import { readableLine, visibleLine } from "../../../src/protocol/text/visible-text";
import { codeBlock, fenceAfter, type Fence } from "./code-fence";
import { formulaRanges } from "./formulas";

/** Sanitizes Markdown of an agent, a user or a tool. */
export function safeMarkdown(text: string): string {
  return escapeTags(shallow(withoutImages(text)));
}

/** Class of the elements that contain formulas; the source, with the delimiters, is their title. */
export const FORMULA_CLASS = "symposium-formula";

/** Sanitizes Markdown of an agent's answer. Formulas become empty elements (`components/formula.ts`). */
export function safeAnswer(text: string): string {
  if (!/\$|\\[([]/.test(text) || text.includes(MARK)) return safeMarkdown(text);
  const sources: string[] = [];
  const marked = changeProse(
    text,
    piece => {
      let out = "",
        at = 0;
      for (const { from, to } of formulaRanges(piece)) {
        out += `${piece.slice(at, from)}${MARK}${sources.push(piece.slice(from, to)) - 1}${MARK}`;
        at = to;
      }
      return out + piece.slice(at);
    },
    indentedCode(),
  );
  return safeMarkdown(marked).replace(MARKED, (_, index: string) => formulaElement(sources[Number(index)] ?? ""));
}

/** A private-use character, which the other steps of sanitizing do not change. */
const MARK = "\uE0F0";
const MARKED = new RegExp(`${MARK}(\\d+)${MARK}`, "g");

/** All characters are encoded, because Markdown would interpret them before HTML does. */
function formulaElement(source: string): string {
  return `<span class="${FORMULA_CLASS}" title="${[...source].map(each => `&#${each.codePointAt(0)};`).join("")}"></span>`;
}

/** Recognizes lines of indented code: after a blank line, four columns deeper than the text of the list item. */
function indentedCode(): (line: string) => boolean {
  /** Columns of the text of the open list items. */
  const items: number[] = [];
  let isBlank = true,
    isCode = false;
  return line => {
    const columns = (line.match(/^[ \t]*/)?.[0] ?? "").replaceAll("\t", "    ").length;
    if (line.trim() === "") {
      isBlank = true;
      return false;
    }
    if (isBlank) while (items.length > 0 && columns < (items.at(-1) ?? 0)) items.pop();
    isCode = (isBlank || isCode) && columns >= (items.at(-1) ?? 0) + 4;
    isBlank = false;
    const item = isCode ? null : /^\s*(?:[-*+]|\d{1,9}[.)])\s+/.exec(line);
    if (item !== null) {
      while (items.length > 0 && columns < (items.at(-1) ?? 0)) items.pop();
      items.push(item[0].length);
    }
    return isCode;
  };
}

/** Text as a code block, displayed exactly as it is. Code needs no limit of nesting and contains no images. */
export function safeCode(text: string, language: string): string {
  return escapeTags(codeBlock(text, language));
}

/** Escapes names, titles and paths: Markdown and HTML have no effect, and hidden characters become visible. */
export function literal(text: string): string {
  return withoutMarkdown(visibleLine(text));
}

/** Like `literal`, but preserves emoji. Only for text on which the user bases no decision. */
export function literalProse(text: string): string {
  return withoutMarkdown(readableLine(text));
}

function withoutMarkdown(line: string): string {
  return line.replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

/** For renderer inputs that expect HTML instead of Markdown, such as tab titles. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** Entities that represent markup are escaped as well, because the renderer does not decode them. */
function escapeTags(text: string): string {
  return text.replace(/&(?=(?:lt|gt|amp|quot|#))/g, "&amp;").replaceAll("<", "&lt;");
}

/**
 * Maximum number of block quote and list markers at the start of a line, and of their columns; the rest of the line is
 * text.
 */
const MAX_CONTAINERS = 40;
const MAX_COLUMNS = 160;
const TAB_COLUMNS = 4;

/**
 * A line nests deeper by its own markers, or by its indentation below an earlier marker. The limit also applies to code
 * lines, because the renderer may not regard them as code.
 */
function shallow(text: string): string {
  return text.replace(CONTAINERS, (markers: string) => {
    let columns = 0,
      containers = 0;
    for (const { 0: marker, index } of markers.matchAll(CONTAINER)) {
      columns += [...marker].reduce((sum, character) => sum + (character === "\t" ? TAB_COLUMNS : 1), 0);
      if (++containers > MAX_CONTAINERS || columns > MAX_COLUMNS) {
        const end = index + marker.length - 1;
        return `${markers.slice(0, end)}\\${markers.slice(end)}`;
      }
    }
    return markers;
  });
}
/** A block quote marker needs no following space; a list marker does. */
const CONTAINER = /[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$))/g;
/** One match beyond the limit suffices: an unbounded repetition overflows the stack on long lines. */
const CONTAINERS = new RegExp(`^(?:${CONTAINER.source}){1,${MAX_CONTAINERS + 1}}`, "gm");

/**
 * Shows the source text of images. Otherwise the renderer would fetch them, or the CSP would block them and they would
 * appear broken.
 */
function withoutImages(text: string): string {
  return text.includes("![") ? changeProse(text, piece => piece.replaceAll("![", "!\\[")) : text;
}

/** Applies `change` to the text outside code. `isCode`: further lines of code; called for each line outside fences. */
function changeProse(text: string, change: (piece: string) => string, isCode: (line: string) => boolean = no): string {
  let fence: Fence | undefined;
  let prose: string[] = [];
  const out: string[] = [];
  const endProse = () => {
    if (prose.length > 0) out.push(outsideSpans(prose.join("\n"), change));
    prose = [];
  };
  for (const line of text.split("\n")) {
    const after = fenceAfter(fence, line);
    if (fence === undefined && after === undefined && !isCode(line)) prose.push(line);
    else {
      endProse();
      out.push(line);
    }
    fence = after;
  }
  endProse();
  return out.join("\n");
}

const no = (): boolean => false;

/**
 * Applies `change` to the text outside code spans. A span ends at the next run of the same number of backticks
 * (CommonMark 6.1).
 */
function outsideSpans(text: string, change: (piece: string) => string): string {
  const runs = [...text.matchAll(/`+/g)].map(run => ({ from: run.index, length: run[0].length, end: -1 }));
  const next = new Map<number, number>();
  for (const run of runs.toReversed()) {
    run.end = next.get(run.length) ?? -1;
    next.set(run.length, run.from);
  }
  let out = "",
    at = 0;
  for (const run of runs) {
    if (run.from < at || run.end === -1) continue;
    const end = run.end + run.length;
    out += change(text.slice(at, run.from)) + text.slice(run.from, end);
    at = end;
  }
  return out + change(text.slice(at));
}
