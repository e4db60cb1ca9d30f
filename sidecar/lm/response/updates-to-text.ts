/**
 * What an agent of ACP v1 does in a session → what VS Code's chat can show of it: text, thinking and usage. Calls of
 * the agent's own tools are in `tool-call-text.ts`; those of VS Code's tools are shown by VS Code. Pure, lenient, and never
 * throws.
 */
import type { ChatPart } from "../../../src/protocol/lm";
import { visibleLine } from "../../../src/protocol/visible-text";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import type { CallOrigin } from "../tools/announced-calls";
import {
  CALL_MARKS,
  callAfter,
  OUTPUT_LIMIT,
  progressOf,
  resultText,
  START_MARK,
  type CallText,
} from "./tool-call-text";

export interface Words {
  /** What was said last of this turn: words, a line of ours, or a call that shows itself. */
  readonly last: "nothing" | "words" | "line" | "call";
  readonly messageId: string | undefined;
  /** Calls that run. */
  readonly calls: ReadonlyMap<string, CallText>;
  /** The call whose first line is the end of the text. */
  readonly started: string | undefined;
  /** Characters of output that this turn may still show. */
  readonly room: number;
  readonly plan: string;
  readonly usage: string;
  /** Tokens in the agent's context window, as it said last. */
  readonly used: number | undefined;
}

export const NO_WORDS: Words = {
  last: "nothing",
  messageId: undefined,
  calls: new Map(),
  started: undefined,
  room: OUTPUT_LIMIT,
  plan: "",
  usage: "",
  used: undefined,
};

type Said = readonly [next: Words, parts: readonly ChatPart[]];

/** A new turn has begun. */
export function nextTurn(words: Words): Words {
  return { ...NO_WORDS, usage: words.usage, used: words.used };
}

/** A paragraph of ours. */
export function lineOf(words: Words, line: string): Said {
  return [{ ...words, last: "line", started: undefined }, [text(words, line)]];
}

/** A sentence of ours with words of others in it, as a paragraph. */
export function noticeOf(words: Words, sentence: string): Said {
  return lineOf(words, lineIn(sentence, NOTICE_LIMIT));
}

/**
 * `raw`: the `update` member of `session/update` (schema v1, `SessionUpdate`). `originOf`: whether a call is of a tool
 * of VS Code's.
 */
export function wordsOfUpdate(words: Words, raw: unknown, originOf: (call: JsonObject) => CallOrigin): Said {
  const update = objectOr(raw);
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return message(words, update);
    case "agent_thought_chunk":
      return thought(words, update);
    case "tool_call":
    case "tool_call_update":
      return call(words, update, originOf(update));
    case "plan":
      return plan(words, update);
    case "usage_update":
      return usage(words, update);
    default:
      return [words, []];
  }
}

function message(words: Words, update: JsonObject): Said {
  const said = contentOf(update.content),
    messageId = stringOr(update.messageId, undefined);
  if (said === "") return [words, []];
  const continues =
    words.last === "words" &&
    (messageId === undefined || words.messageId === undefined || messageId === words.messageId);
  return [
    { ...words, last: "words", started: undefined, messageId },
    [continues ? { type: "text", value: said } : text(words, said)],
  ];
}

function thought(words: Words, update: JsonObject): Said {
  const value = contentOf(update.content);
  return value === "" ? [words, []] : [{ ...words, started: undefined }, [{ type: "thinking", value }]];
}

/** Calls that are still kept; an agent that never ends its calls loses the oldest. */
const MAX_CALLS = 200;

function call(words: Words, update: JsonObject, origin: CallOrigin): Said {
  const id = stringOr(update.toolCallId, "");
  if (origin === "bridged")
    return [{ ...words, last: words.last === "nothing" ? "nothing" : "call", started: undefined }, []];
  const before = words.calls.get(id),
    now = callAfter(before, update),
    calls = new Map(words.calls);
  calls.delete(id);
  const mark = CALL_MARKS[stringOr(update.status, "")];
  if (mark === undefined) {
    calls.set(id, now);
    const [oldest] = calls.keys();
    if (calls.size > MAX_CALLS && oldest !== undefined) calls.delete(oldest);
    // VS Code shows the call itself as soon as it arrives.
    if (origin === "claimed") return [{ ...words, calls }, []];
    return before ? progress({ ...words, calls }, id, before, now) : started({ ...words, calls }, id, now);
  }
  // An end that is sent twice is one end.
  if (!before && update.sessionUpdate === "tool_call_update" && update.title === undefined) return [words, []];
  const isNext = before !== undefined && words.started === id && before.title === now.title;
  const [next, parts] = isNext
    ? [words, [{ type: "text", value: mark } as const]]
    : lineOf(words, `${mark} ${lineIn(now.title)}`);
  const result = resultText(now, update, mark === CALL_MARKS["failed"]),
    isShown = result !== "" && result.length <= words.room;
  const after: Words = {
    ...next,
    calls,
    last: "line",
    started: undefined,
    room: words.room - (isShown ? result.length : 0),
  };
  return [after, isShown ? [...parts, { type: "text", value: `\n\n${result}` }] : parts];
}

/**
 * The line ends with a space, because VS Code's chat does not show the last word of a text before a space follows: it
 * may become a link.
 */
function started(words: Words, id: string, call: CallText): Said {
  const [next, line] = lineOf(words, `${START_MARK} ${lineIn(call.title)} `),
    [after, output] = progress(next, id, undefined, call);
  return [{ ...after, started: output.length > 0 ? undefined : id }, [...line, ...output]];
}

/** VS Code shows thinking while it comes, and folds it afterwards. */
function progress(words: Words, id: string, before: CallText | undefined, now: CallText): Said {
  const added = progressOf(before, now).slice(0, words.room);
  if (added === "") return [words, []];
  const value = now.shown === 0 ? `\n\n${lineIn(now.title)}\n${added}` : added;
  const calls = new Map(words.calls).set(id, { ...now, shown: now.shown + added.length });
  return [{ ...words, calls, started: undefined, room: words.room - added.length }, [{ type: "thinking", value }]];
}

const TITLE_LIMIT = 200,
  NOTICE_LIMIT = 1000;

/**
 * One line, that stays one: titles are often commands. Dollars and backticks are written as entities, because VS Code's
 * chat holds all text behind a single one of them back until the answer ends, and reads a pair of dollars as a formula.
 */
function lineIn(title: string, limit = TITLE_LIMIT): string {
  const line = visibleLine(title),
    shown = line.length <= limit ? line : `${line.slice(0, limit)}…`;
  return shown
    .replaceAll(/[\\*_[\]<>~#|]/gu, "\\$&")
    .replaceAll("$", "&#36;")
    .replaceAll("`", "&#96;");
}

/** The whole plan, whenever it is another one. */
function plan(words: Words, { entries }: JsonObject): Said {
  const steps = arrayOr(entries)
    .filter(isObject)
    .map(({ content, status }) => `- [${status === "completed" ? "x" : " "}] ${lineIn(stringOr(content, ""))}`)
    .join("\n");
  return steps === "" || steps === words.plan ? [words, []] : lineOf({ ...words, plan: steps }, steps);
}

/** As VS Code's chat reads it. An agent tells how full its window is; what of that is new it does not say. */
function usage(words: Words, { used }: JsonObject): Said {
  return isCount(used) ? counted({ ...words, used }, used, 0) : [words, []];
}

/**
 * `usage`: of the answer to `session/prompt`. What is in the window, an update says better: this may count a request of
 * the model more than once.
 */
export function wordsOfResult(
  words: Words,
  { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, thoughtTokens }: JsonObject,
): Said {
  if (!isCount(inputTokens) && !isCount(outputTokens)) return [words, []];
  return counted(
    words,
    words.used ?? sum(inputTokens, cachedReadTokens, cachedWriteTokens),
    sum(outputTokens, thoughtTokens),
  );
}

/** Tokens of the agent's context window; `undefined`: this update does not say. */
export function contextSizeOf(update: unknown): number | undefined {
  const { sessionUpdate, size } = objectOr(update);
  return sessionUpdate === "usage_update" && isCount(size) && size > 0 ? Math.round(size) : undefined;
}

function counted(words: Words, prompt: number, completion: number): Said {
  const json = JSON.stringify({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  });
  return json === words.usage
    ? [words, []]
    : [{ ...words, usage: json }, [{ type: "data", mimeType: "usage", data: Buffer.from(json).toString("base64") }]];
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
function sum(...counts: readonly unknown[]): number {
  return counts.filter(isCount).reduce((all, each) => all + each, 0);
}

/** A content block (schema v1, `ContentBlock`) as Markdown. */
function contentOf(raw: unknown): string {
  const block = objectOr(raw),
    { uri } = block;
  switch (block.type) {
    case "text":
      return stringOr(block.text, "");
    case "resource_link":
      return `[${lineIn(stringOr(block.title, undefined) ?? stringOr(block.name, "resource"))}](<${stringOr(uri, "").replaceAll(/[<>\s]/gu, "")}>)`;
    case "resource":
      return stringOr(objectOr(block.resource).text, "");
    case "image":
    case "audio":
      return `(${block.type === "image" ? "an image" : "a sound"} that cannot be shown here)`;
    default:
      return "";
  }
}

function text({ last }: Words, value: string): ChatPart {
  return { type: "text", value: last === "nothing" ? value : `\n\n${value}` };
}
