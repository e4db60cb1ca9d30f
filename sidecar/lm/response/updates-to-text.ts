/**
 * Converts the session updates of an ACP v1 agent to parts that VS Code's chat can show: text, thinking and usage.
 * `tool-call-text.ts` renders calls of the agent's own tools. VS Code itself shows calls of VS Code's tools. Pure and
 * lenient; never throws.
 */
import * as l10n from "@vscode/l10n";
import type { ChatPart } from "../../../src/protocol/lm/lm";
import { visibleLine } from "../../../src/protocol/text/visible-text";
import { arrayOr, isAmount, isObject, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import type { CallOrigin } from "../tools/call-allowances";
import {
  CALL_MARKS,
  callAfter,
  OUTPUT_LIMIT,
  progressOf,
  resultText,
  START_MARK,
  type CallText,
} from "./tool-call-text";
import { UPDATE_KINDS } from "../../acp/methods";

export interface TextState {
  /**
   * Kind of the last output of this turn: the agent's words, a line of Symposium, or a call that VS Code shows itself.
   */
  readonly last: "nothing" | "words" | "line" | "call";
  readonly messageId: string | undefined;
  /** Running calls. */
  readonly calls: ReadonlyMap<string, CallText>;
  /** The call whose start line ends the text so far. */
  readonly started: string | undefined;
  /** Characters of output that this turn may still show. */
  readonly remaining: number;
  readonly plan: string;
  readonly usage: string;
  /** Tokens in the agent's context window, as last reported. */
  readonly used: number | undefined;
}

export const NO_TEXT: TextState = {
  last: "nothing",
  messageId: undefined,
  calls: new Map(),
  started: undefined,
  remaining: OUTPUT_LIMIT,
  plan: "",
  usage: "",
  used: undefined,
};

type Converted = readonly [next: TextState, parts: readonly ChatPart[]];

/** State at the start of a new turn. */
export function nextTurn(words: TextState): TextState {
  return { ...NO_TEXT, usage: words.usage, used: words.used };
}

/** A paragraph of Symposium. */
export function lineOf(words: TextState, line: string): Converted {
  return [{ ...words, last: "line", started: undefined }, [text(words, line)]];
}

/** A sentence of Symposium that contains foreign text, as a paragraph. */
export function noticeOf(words: TextState, sentence: string): Converted {
  return lineOf(words, lineIn(sentence, NOTICE_LIMIT));
}

/**
 * `raw`: the `update` member of `session/update` (schema v1, `SessionUpdate`). `originOf`: whether a call uses one of
 * VS Code's tools.
 */
export function wordsOfUpdate(words: TextState, raw: unknown, originOf: (call: JsonObject) => CallOrigin): Converted {
  const update = objectOr(raw);
  switch (update.sessionUpdate) {
    case UPDATE_KINDS.agent_message_chunk:
      return message(words, update);
    case UPDATE_KINDS.agent_thought_chunk:
      return thought(words, update);
    case UPDATE_KINDS.tool_call:
    case UPDATE_KINDS.tool_call_update:
      return call(words, update, originOf(update));
    case UPDATE_KINDS.plan:
      return plan(words, update);
    case UPDATE_KINDS.usage_update:
      return usage(words, update);
    default:
      return [words, []];
  }
}

function message(words: TextState, update: JsonObject): Converted {
  const content = contentOf(update.content),
    messageId = stringOr(update.messageId, undefined);
  if (content === "") return [words, []];
  const continues =
    words.last === "words" &&
    (messageId === undefined || words.messageId === undefined || messageId === words.messageId);
  return [
    { ...words, last: "words", started: undefined, messageId },
    [continues ? { type: "text", value: content } : text(words, content)],
  ];
}

function thought(words: TextState, update: JsonObject): Converted {
  const value = contentOf(update.content);
  return value === "" ? [words, []] : [{ ...words, started: undefined }, [{ type: "thinking", value }]];
}

/** Maximum number of calls kept. If an agent never ends its calls, the oldest are dropped. */
const MAX_CALLS = 200;

function call(words: TextState, update: JsonObject, origin: CallOrigin): Converted {
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
  // A repeated end of a call is ignored.
  if (!before && update.sessionUpdate === UPDATE_KINDS.tool_call_update && update.title === undefined)
    return [words, []];
  const isNext = before !== undefined && words.started === id && before.title === now.title;
  const [next, parts] = isNext
    ? [words, [{ type: "text", value: mark } as const]]
    : lineOf(words, `${mark} ${lineIn(now.title)}`);
  const result = resultText(now, update, mark === CALL_MARKS["failed"]),
    isShown = result !== "" && result.length <= words.remaining;
  const after: TextState = {
    ...next,
    calls,
    last: "line",
    started: undefined,
    remaining: words.remaining - (isShown ? result.length : 0),
  };
  return [after, isShown ? [...parts, { type: "text", value: `\n\n${result}` }] : parts];
}

/**
 * The line ends with a space. VS Code's chat does not show the last word of a text before a space follows, because the
 * word may become a link.
 */
function started(words: TextState, id: string, call: CallText): Converted {
  const [next, line] = lineOf(words, `${START_MARK} ${lineIn(call.title)} `),
    [after, output] = progress(next, id, undefined, call);
  return [{ ...after, started: output.length > 0 ? undefined : id }, [...line, ...output]];
}

/** Sent as thinking: VS Code shows it while it arrives, and collapses it afterwards. */
function progress(words: TextState, id: string, before: CallText | undefined, now: CallText): Converted {
  const added = progressOf(before, now).slice(0, words.remaining);
  if (added === "") return [words, []];
  const value = now.shown === 0 ? `\n\n${lineIn(now.title)}\n${added}` : added;
  const calls = new Map(words.calls).set(id, { ...now, shown: now.shown + added.length });
  return [
    { ...words, calls, started: undefined, remaining: words.remaining - added.length },
    [{ type: "thinking", value }],
  ];
}

const TITLE_LIMIT = 200,
  NOTICE_LIMIT = 1000;

/**
 * Escapes a title to a single line; titles are often commands. Dollars and backticks are written as entities. VS Code's
 * chat holds back all text after a single one of them until the answer ends, and it reads a pair of dollars as a
 * formula.
 */
function lineIn(title: string, limit = TITLE_LIMIT): string {
  const line = visibleLine(title),
    shown = line.length <= limit ? line : `${line.slice(0, limit)}…`;
  return shown
    .replaceAll(/[\\*_[\]<>~#|]/gu, "\\$&")
    .replaceAll("$", "&#36;")
    .replaceAll("`", "&#96;");
}

/** The whole plan, whenever it has changed. */
function plan(words: TextState, { entries }: JsonObject): Converted {
  const steps = arrayOr(entries)
    .filter(isObject)
    .map(({ content, status }) => `- [${status === "completed" ? "x" : " "}] ${lineIn(stringOr(content, ""))}`)
    .join("\n");
  return steps === "" || steps === words.plan ? [words, []] : lineOf({ ...words, plan: steps }, steps);
}

/**
 * Usage in the format of VS Code's chat. An agent reports how full its context window is, but not how much of that is
 * new.
 */
function usage(words: TextState, { used }: JsonObject): Converted {
  return isAmount(used) ? counted({ ...words, used }, used, 0) : [words, []];
}

/**
 * `usage` of the response to `session/prompt`. For the size of the window, a `usage_update` is more exact: this usage
 * may count a model request more than once.
 */
export function wordsOfResult(
  words: TextState,
  { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, thoughtTokens }: JsonObject,
): Converted {
  if (!isAmount(inputTokens) && !isAmount(outputTokens)) return [words, []];
  return counted(
    words,
    words.used ?? sum(inputTokens, cachedReadTokens, cachedWriteTokens),
    sum(outputTokens, thoughtTokens),
  );
}

/** Size of the agent's context window in tokens; `undefined` if this update does not report it. */
export function contextSizeOf(update: unknown): number | undefined {
  const { sessionUpdate, size } = objectOr(update);
  return sessionUpdate === UPDATE_KINDS.usage_update && isAmount(size) && size > 0 ? Math.round(size) : undefined;
}

function counted(words: TextState, prompt: number, completion: number): Converted {
  const json = JSON.stringify({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  });
  return json === words.usage
    ? [words, []]
    : [{ ...words, usage: json }, [{ type: "data", mimeType: "usage", data: Buffer.from(json).toString("base64") }]];
}

function sum(...counts: readonly unknown[]): number {
  return counts.filter(isAmount).reduce((all, each) => all + each, 0);
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
      return l10n.t`(${block.type === "image" ? "an image" : "a sound"} that cannot be shown here)`;
    default:
      return "";
  }
}

function text({ last }: TextState, value: string): ChatPart {
  return { type: "text", value: last === "nothing" ? value : `\n\n${value}` };
}
