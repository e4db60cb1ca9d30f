/**
 * Text of others made harmless for a Markdown renderer that passes raw HTML through (mynah-ui 4.39 does).
 *
 * Invariants: after `safeMarkdown` the rendered page holds no element that the text spelled as a tag, and no image;
 * code still reads as it was written. After `literal` the text shows exactly as it is, on one line.
 * Nothing nests deeper than the renderer, which goes down into each quotation and each list item, can follow.
 * It must see a whole body: a tag cut in two by a stream would pass piecewise. The strict CSP stays the second wall.
 */
import { readableLine, visibleLine } from "../../src/protocol/visible-text";
import { codeBlock, fenceAfter, type Fence } from "./code-fence";

/** Markdown of an agent, a user or a tool. */
export function safeMarkdown(text: string): string {
  return escapeTags(shallow(withoutImages(text)));
}

/** Text as a code block, exactly as it is: nothing in it nests, and no image is one. */
export function safeCode(text: string, language: string): string {
  return escapeTags(codeBlock(text, language));
}

/** A name, a title, a path: no Markdown and no HTML in it means anything, and nothing hides in it. */
export function literal(text: string): string {
  return withoutMarkdown(visibleLine(text));
}

/** The same for what nobody decides by: emoji stay. */
export function literalProse(text: string): string {
  return withoutMarkdown(readableLine(text));
}

function withoutMarkdown(line: string): string {
  return line.replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

/** For the places that take HTML, not Markdown: tab titles. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** An entity that spells markup is kept as it was written, because the renderer hands text on undecoded. */
function escapeTags(text: string): string {
  return text.replace(/&(?=(?:lt|gt|amp|quot|#))/g, "&amp;").replaceAll("<", "&lt;");
}

/** So many quotations and list items may one line begin, and in so many columns: what comes after that is text. */
const MOST_CONTAINERS = 40;
const MOST_COLUMNS = 160;
const TAB_COLUMNS = 4;

/**
 * A line gets deeper by the markers that it begins with, or by how far it is indented below one of an earlier line.
 * Lines of code are no exception: whether the renderer, too, takes a line for code cannot be known here.
 */
function shallow(text: string): string {
  return text.replace(CONTAINERS, (markers: string) => {
    let columns = 0,
      containers = 0;
    for (const { 0: marker, index } of markers.matchAll(CONTAINER)) {
      columns += [...marker].reduce((sum, character) => sum + (character === "\t" ? TAB_COLUMNS : 1), 0);
      if (++containers > MOST_CONTAINERS || columns > MOST_COLUMNS) {
        const end = index + marker.length - 1;
        return `${markers.slice(0, end)}\\${markers.slice(end)}`;
      }
    }
    return markers;
  });
}
/** A quotation's mark needs no space after it, a list item's does. */
const CONTAINER = /[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$))/g;
/** One more than may be is enough: without a bound a long line takes more than the stack has. */
const CONTAINERS = new RegExp(`^(?:${CONTAINER.source}){1,${MOST_CONTAINERS + 1}}`, "gm");

/** An image would be fetched, or refused by the CSP and shown as a broken one: its source text is shown instead. */
function withoutImages(text: string): string {
  if (!text.includes("![")) return text;
  let fence: Fence | undefined;
  let prose: string[] = [];
  const out: string[] = [];
  const endProse = () => {
    if (prose.length > 0) out.push(outsideSpans(prose.join("\n"), piece => piece.replaceAll("![", "!\\[")));
    prose = [];
  };
  for (const line of text.split("\n")) {
    const after = fenceAfter(fence, line);
    if (fence === undefined && after === undefined) prose.push(line);
    else {
      endProse();
      out.push(line);
    }
    fence = after;
  }
  endProse();
  return out.join("\n");
}

/**
 * Applies `change` to what is not in a code span. A span ends at the next run of as many backticks (CommonMark 6.1).
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
