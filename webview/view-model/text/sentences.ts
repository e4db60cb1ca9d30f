/**
 * Splits growing Markdown into complete sentences for screen readers. Pure.
 *
 * Prose is announced without Markdown marks. A code block or a table is announced by one sentence, at its end.
 *
 * Invariants:
 * - The result does not depend on the chunks in which the text arrives (`sentences.test.ts`).
 * - Nothing is announced twice.
 * - Hidden characters become visible (`readableLine`).
 */
import * as l10n from "@vscode/l10n";
import { lineCount, rowCount } from "./plural-texts";
import { fenceAfter, type Fence } from "./code-fence";
import { readableLine } from "../../../src/protocol/text/visible-text";
/** Reading position in a text. */
export interface Reader {
  /** Start of the next chunk, in UTF-16 units. */
  readonly at: number;
  /** `at` is within a line of prose, after its leading marks. */
  readonly inLine: boolean;
  /** Markdown of an unfinished sentence before `at`. */
  readonly held: string;
  readonly block: Block | undefined;
}

type Block =
  /** `announced`: already announced, because the text had ended within the block. */
  | { readonly kind: "code"; readonly fence: Fence; readonly lines: number; readonly announced: boolean }
  | { readonly kind: "table"; readonly head: string; readonly rows: number };

export const unread: Reader = { at: 0, inLine: false, held: "", block: undefined };

/**
 * Maximum number of characters that are read aloud at once. A longer addition is only mentioned, because reading it
 * would block the page.
 */
export const MAX_JUMP = 50_000;

/** Reader that skips the existing text except its unfinished sentence. `ended`: skips that sentence as well. */
export function passed(text: string, ended = false): Reader {
  return text.length > MAX_JUMP
    ? { ...unread, at: text.length, inLine: !text.endsWith("\n") }
    : read(unread, text, ended)[0];
}

/** The new sentences of `text`. `ends`: the text is complete for now, so that the unfinished sentence is included. */
export function read(reader: Reader, text: string, ends: boolean): readonly [Reader, readonly string[]] {
  if (text.length - reader.at > MAX_JUMP) return [passed(text), [l10n.t("A long text that is not read aloud.")]];
  const texts: string[] = [];
  let now = reader;
  for (;;) {
    const newline = text.indexOf("\n", now.at);
    const line = text.slice(now.at, newline === -1 ? undefined : newline);
    if (newline === -1 && !ends) return [partialLine(now, line, texts), texts];
    if (newline === -1 && line === "" && now.held === "" && now.block === undefined)
      return [{ ...now, at: text.length }, texts];
    now = { ...wholeLine(now, line, texts), at: newline === -1 ? text.length : newline + 1, inLine: newline === -1 };
    if (newline === -1) return [ended(now, texts), texts];
  }
}

// --- lines

/** Leading marks of a line, such as `> `, `- `, `1. `. */
const MARKERS = /^[ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)*/;
/** Beginnings of an incomplete line whose kind is not decidable yet. */
const UNDECIDED = /^(?:[-*+_=\s]*|\d{1,9}[.)]?|`{1,2}|~{1,2}|\[[ xX]?\]?|(?:```|~~~|\||#)[^]*)$/;
/** Maximum number of characters of a line searched for leading marks. */
const MAX_MARKERS_LENGTH = 300;
const RULE = /^[-=*_][-=*_ \t]*$/;
const HEADING = /^#{1,6}(?:[ \t]+|$)/;

/** Reads an incomplete line, of which only prose can be announced before its end. */
function partialLine(reader: Reader, line: string, texts: string[]): Reader {
  if (reader.block?.kind === "code") return reader;
  let now = reader;
  if (!reader.inLine) {
    const { length } = marks(line);
    if (UNDECIDED.test(line.slice(length, length + MAX_MARKERS_LENGTH))) return reader;
    now = {
      ...(beginsItem(line) ? flushed(reader, texts) : withoutTable(reader, texts)),
      at: reader.at + length,
      inLine: true,
    };
    return partialLine(now, line.slice(length), texts);
  }
  const held = joined(now.held, line);
  const [sentences, rest] = finished(held, false);
  if (sentences.length === 0) return now;
  texts.push(...sentences);
  return { ...now, at: now.at + line.length - rest.length, held: "" };
}

function wholeLine(reader: Reader, line: string, texts: string[]): Reader {
  if (reader.block?.kind === "code") return codeLine(reader, reader.block, line, texts);
  if (reader.inLine) return prose(reader, line, texts);
  const fence = fenceAfter(undefined, line);
  if (fence !== undefined)
    return { ...flushed(reader, texts), block: { kind: "code", fence, lines: 0, announced: false } };
  const words = line.slice(marks(line).length);
  if (words.trimStart().startsWith("|")) return tableRow(reader, words, texts);
  if (words.trim() === "" || RULE.test(words.trim())) return flushed(reader, texts);
  if (HEADING.test(words))
    return flushed(
      prose(flushed(reader, texts), words.replace(HEADING, "").replace(/[ \t]#+[ \t]*$/, ""), texts),
      texts,
    );
  return prose(beginsItem(line) ? flushed(reader, texts) : withoutTable(reader, texts), words, texts);
}

const marks = (line: string): string => MARKERS.exec(line.slice(0, MAX_MARKERS_LENGTH))?.[0] ?? "";

const beginsItem = (line: string): boolean => /[-*+.)]/.test(marks(line));

function prose(reader: Reader, words: string, texts: string[]): Reader {
  const [sentences, held] = finished(joined(reader.held, words), true);
  texts.push(...sentences);
  return { ...reader, held };
}

const joined = (held: string, words: string): string => (held === "" ? words : `${held} ${words}`);

/** Ends the current paragraph. */
function flushed(reader: Reader, texts: string[]): Reader {
  const now = withoutTable(reader, texts);
  report(now.held, texts);
  return { ...now, held: "" };
}

function ended(reader: Reader, texts: string[]): Reader {
  const now = flushed(reader, texts);
  if (now.block?.kind !== "code" || now.block.announced) return now;
  texts.push(codeSummary(now.block));
  return { ...now, block: { ...now.block, announced: true } };
}

// --- code and tables

type Code = Extract<Block, { kind: "code" }>;

function codeLine(reader: Reader, code: Code, line: string, texts: string[]): Reader {
  if (fenceAfter(code.fence, line) !== undefined) return { ...reader, block: { ...code, lines: code.lines + 1 } };
  if (!code.announced) texts.push(codeSummary(code));
  return { ...reader, block: undefined };
}

function codeSummary({ fence, lines }: Code): string {
  const language = /[`~]{3,}[ \t]*([\w+#.-]{1,20})/.exec(fence.line)?.[1];
  return language === undefined
    ? l10n.t`Code, ${lineCount(lines)}.`
    : l10n.t`Code in ${language}, ${lineCount(lines)}.`;
}

function tableRow(reader: Reader, words: string, texts: string[]): Reader {
  const { block } = reader;
  if (/^[\s|:-]+$/.test(words)) return reader;
  if (block?.kind === "table") return { ...reader, block: { ...block, rows: block.rows + 1 } };
  const head = words
    .split("|")
    .map(spoken)
    .filter(cell => cell !== "")
    .join(", ");
  return { ...flushed(reader, texts), block: { kind: "table", head, rows: 0 } };
}

function withoutTable(reader: Reader, texts: string[]): Reader {
  if (reader.block?.kind !== "table") return reader;
  texts.push(l10n.t`Table, ${rowCount(reader.block.rows)}: ${reader.block.head}.`);
  return { ...reader, block: undefined };
}

// --- sentences

const END = /[.!?…]+["'”’»)\]*_~`]*(?=\s|$)|[。！？]+["'”’」』）]*/g;
/** Maximum number of characters; longer sentences are split between words. */
const MAX_SENTENCE = 400;
/** Examples: “J. Smith”, “e.g. this”. */
const ABBREVIATION = /(?:^|[\s(])(?:\p{L}|e\.g|i\.e|mrs?|dr|vs|cf|approx)\.$/iu;

/** Finished sentences and the remaining Markdown. In an incomplete line, a sentence ends when the next one starts. */
function finished(text: string, isWholeLine: boolean): readonly [sentences: readonly string[], rest: string] {
  const sentences: string[] = [];
  let from = 0;
  for (let end = nextEnd(text, from, isWholeLine); end !== undefined; end = nextEnd(text, from, isWholeLine)) {
    report(text.slice(from, end), sentences);
    from = end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0);
  }
  return [sentences, text.slice(from)];
}

function nextEnd(text: string, from: number, isWholeLine: boolean): number | undefined {
  END.lastIndex = from;
  for (let found = END.exec(text); found !== null && found.index - from <= MAX_SENTENCE; found = END.exec(text)) {
    const end = found.index + found[0].length;
    const next = text.slice(end).trimStart();
    if (next === "") {
      if (isWholeLine) return end;
      else return undefined;
    }
    const sentence = text.slice(from, end);
    if (!/^[\p{Ll},;:]/u.test(next) && !ABBREVIATION.test(sentence) && !isWithin(sentence)) return end;
  }
  return text.length - from > MAX_SENTENCE ? from + cutPosition(text.slice(from, from + MAX_SENTENCE + 1)) : undefined;
}

/** Whether the text ends within a code span or a link. */
function isWithin(sentence: string): boolean {
  return (sentence.match(/`+/g)?.length ?? 0) % 2 === 1 || /\[[^\]]*$|\]\([^)]*$/.test(sentence);
}

function cutPosition(text: string): number {
  const space = text.search(/\s\S*$/);
  if (space > 0) return space;
  const unit = text.charCodeAt(MAX_SENTENCE - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? MAX_SENTENCE - 1 : MAX_SENTENCE;
}

function report(markdown: string, texts: string[]): void {
  const words = spoken(markdown);
  if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(words)) texts.push(words);
}

const SPAN = /(`+)(?!`)([^]*?[^`])\1(?!`)/g;
const LINK = /!?\[([^\]]*)\]\((?:[^()]|\([^()]*\))*\)/g;
const MARK = /\\([!-/:-@[-`{-~])|~~|(?<![\p{L}\p{N}])[*_]+(?=\S)|(?<=\S)[*_]+(?![\p{L}\p{N}])/gu;

/** Text of a piece of Markdown without its marks. */
export function spoken(markdown: string): string {
  let words = "",
    at = 0;
  for (const { 0: span, 2: code, index } of markdown.matchAll(SPAN)) {
    words += withoutMarks(markdown.slice(at, index)) + (code ?? "");
    at = index + span.length;
  }
  return readableLine(words + withoutMarks(markdown.slice(at)));
}

function withoutMarks(markdown: string): string {
  return markdown
    .replace(LINK, "$1")
    .replace(MARK, (_mark, escaped: string | undefined) => escaped ?? "")
    .replaceAll("`", "");
}
