/**
 * Renders the agent's own tool calls in an append-only answer. A call's start is a line, its output is thinking, and
 * its end is a line with an excerpt of the result. Pure. The text is bounded per call and per turn.
 */
import * as l10n from "@vscode/l10n";
import { visibleText } from "../../../src/protocol/text/visible-text";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import { fenced, inline } from "../../../src/protocol/text/safe-text";

/** A running call. `output`: its output so far. `shown`: number of characters already shown. */
export interface CallText {
  readonly title: string;
  readonly kind: string;
  readonly output: string;
  readonly shown: number;
}

export const CALL_MARKS: Readonly<Record<string, string>> = { completed: "✓", failed: "✗", cancelled: "✗" };
export const START_MARK = "▸";

/** Maximum characters of output: in the answer of one turn, in the thinking about one call, and in one result. */
export const OUTPUT_LIMIT = 20_000;
const PROGRESS_LIMIT = 2_000,
  RESULT_LIMIT = 800,
  RESULT_LINES = 10;

/** The call's state after this update. */
export function callAfter(before: CallText | undefined, update: JsonObject): CallText {
  return {
    title: stringOr(update.title, undefined) ?? before?.title ?? stringOr(update.name, l10n.t("Tool call")),
    kind: stringOr(update.kind, before?.kind ?? ""),
    output: outputOf(update) ?? before?.output ?? "",
    shown: before?.shown ?? 0,
  };
}

/** The text appended to the output. If the output was replaced, its new lines. */
export function progressOf(before: CallText | undefined, { output, shown }: CallText): string {
  const earlier = before?.output ?? "",
    remaining = Math.max(0, PROGRESS_LIMIT - shown);
  if (remaining === 0 || output === earlier) return "";
  if (output.startsWith(earlier)) return visibleText(output.slice(earlier.length, earlier.length + remaining));
  const lines = new Set(earlier.split("\n")),
    added = output
      .split("\n")
      .filter(line => !lines.has(line))
      .join("\n");
  return added === "" ? "" : visibleText(`\n${added.slice(0, remaining)}`);
}

/** Kinds whose results are long and visible elsewhere: in files, or in the agent's text. */
const SILENT_KINDS: ReadonlySet<string> = new Set(["read", "edit", "delete", "move", "think", "switch_mode"]);

/** The result of an ended call as Markdown; empty if there is nothing to show. */
export function resultText({ kind, output }: CallText, update: JsonObject, hasFailed: boolean): string {
  const changes = arrayOr(update.content)
    .filter(isObject)
    .filter(({ type }) => type === "diff")
    .slice(0, RESULT_LINES)
    .map(changeText);
  if (changes.length > 0) return changes.join("\n");
  const text = SILENT_KINDS.has(kind) && !hasFailed ? "" : excerpt(output.replace(/^```[^\n]*\n([^]*)\n```\s*$/, "$1"));
  return text === "" ? "" : fenced(text);
}

/** The end of the output, which usually contains errors and totals. */
function excerpt(output: string): string {
  const lines = output.trimEnd().split("\n"),
    text = lines.slice(-RESULT_LINES).join("\n").slice(-RESULT_LIMIT);
  return text.length < output.trimEnd().length ? `…\n${text}` : text;
}

/** A file with the number of lines added and removed. */
function changeText({ path, oldText, newText }: JsonObject): string {
  const before = linesOf(oldText),
    after = linesOf(newText),
    shorter = Math.min(before.length, after.length);
  let head = 0,
    tail = 0;
  while (head < shorter && before[head] === after[head]) head++;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return `- ${inline(stringOr(path, "?"), 200)} +${after.length - head - tail} −${before.length - head - tail}`;
}

function linesOf(text: unknown): readonly string[] {
  const value = stringOr(text, "");
  return value === "" ? [] : value.split("\n");
}

/** `content` replaces earlier content. Agents that send no content send `rawOutput`. */
function outputOf({ content, rawOutput }: JsonObject): string | undefined {
  const texts = arrayOr(content)
    .map(item => stringOr(objectOr(objectOr(item).content).text, ""))
    .filter(text => text !== "");
  if (texts.length > 0) return texts.join("\n");
  if (typeof rawOutput === "string") return rawOutput;
  const { output, stdout, stderr } = objectOr(rawOutput);
  return [output, stdout, stderr].find((text): text is string => typeof text === "string" && text !== "");
}
