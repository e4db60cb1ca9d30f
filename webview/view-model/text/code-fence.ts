/** Code fences of Markdown (CommonMark 4.5): determines whether a line is inside a code block. */

export interface Fence {
  readonly mark: "`" | "~";
  readonly length: number;
  /** The opening line, for reopening the same block. */
  readonly line: string;
}

/** A fence may be inside a block quote or a list item. */
const FENCE = /^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+)*((?:`{3,}(?=[^`]*$))|~{3,})(.*)$/;

/** The open fence after `line`, if `open` was the open fence before it. */
export function fenceAfter(open: Fence | undefined, line: string): Fence | undefined {
  const found = FENCE.exec(line.trimEnd());
  const marks = found?.[1];
  if (marks === undefined) return open;
  const mark = marks.startsWith("`") ? "`" : "~";
  if (open === undefined) return { mark, length: marks.length, line: line.trimEnd() };
  const closes = mark === open.mark && marks.length >= open.length && found?.[2] === "";
  return closes ? undefined : open;
}

/** Wraps `text` in a code block that its content cannot close. */
export function codeBlock(text: string, language = ""): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** Closes an open code block, so that appended Markdown is not part of it. */
export function closed(markdown: string): string {
  const open = markdown.split("\n").reduce<Fence | undefined>(fenceAfter, undefined);
  return open ? `${markdown}\n${open.mark.repeat(open.length)}` : markdown;
}
