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
   * Kind of the last output of this turn: the agent's text, a line of Symposium, or a call that VS Code shows itself.
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
export function nextTurn(state: TextState): TextState {
  return { ...NO_TEXT, usage: state.usage, used: state.used };
}

/** Adds a paragraph of Symposium. */
export function lineOf(state: TextState, line: string): Converted {
  return [{ ...state, last: "line", started: undefined }, [text(state, line)]];
}

/** Adds a sentence of Symposium that contains untrusted text, as a paragraph. */
export function noticeOf(state: TextState, sentence: string): Converted {
  return lineOf(state, lineIn(sentence, NOTICE_LIMIT));
}

/**
 * `raw`: the `update` member of `session/update` (schema v1, `SessionUpdate`). `originOf`: whether a call uses one of
 * VS Code's tools.
 */
export function partsOfUpdate(state: TextState, raw: unknown, originOf: (call: JsonObject) => CallOrigin): Converted {
  const update = objectOr(raw);
  switch (update.sessionUpdate) {
    case UPDATE_KINDS.agent_message_chunk:
      return message(state, update);
    case UPDATE_KINDS.agent_thought_chunk:
      return thought(state, update);
    case UPDATE_KINDS.tool_call:
    case UPDATE_KINDS.tool_call_update:
      return call(state, update, originOf(update));
    case UPDATE_KINDS.plan:
      return plan(state, update);
    case UPDATE_KINDS.usage_update:
      return usage(state, update);
    default:
      return [state, []];
  }
}

function message(state: TextState, update: JsonObject): Converted {
  const content = contentOf(update.content),
    messageId = stringOr(update.messageId, undefined);
  if (content === "") return [state, []];
  const continues =
    state.last === "words" &&
    (messageId === undefined || state.messageId === undefined || messageId === state.messageId);
  return [
    { ...state, last: "words", started: undefined, messageId },
    [continues ? { type: "text", value: content } : text(state, content)],
  ];
}

function thought(state: TextState, update: JsonObject): Converted {
  const value = contentOf(update.content);
  return value === "" ? [state, []] : [{ ...state, started: undefined }, [{ type: "thinking", value }]];
}

/**
 * Maximum number of tracked calls. Above it, the oldest calls are dropped, because some agents never end their calls.
 */
const MAX_CALLS = 200;

function call(state: TextState, update: JsonObject, origin: CallOrigin): Converted {
  const id = stringOr(update.toolCallId, "");
  if (origin === "bridged")
    return [{ ...state, last: state.last === "nothing" ? "nothing" : "call", started: undefined }, []];
  const before = state.calls.get(id),
    now = callAfter(before, update),
    calls = new Map(state.calls);
  calls.delete(id);
  const mark = CALL_MARKS[stringOr(update.status, "")];
  if (mark === undefined) {
    calls.set(id, now);
    const [oldest] = calls.keys();
    if (calls.size > MAX_CALLS && oldest !== undefined) calls.delete(oldest);
    // VS Code itself shows the call when the `tools/call` arrives.
    if (origin === "claimed") return [{ ...state, calls }, []];
    return before ? progress({ ...state, calls }, id, before, now) : started({ ...state, calls }, id, now);
  }
  // Ignores a repeated end of a call.
  if (!before && update.sessionUpdate === UPDATE_KINDS.tool_call_update && update.title === undefined)
    return [state, []];
  const isNext = before !== undefined && state.started === id && before.title === now.title;
  const [next, parts] = isNext
    ? [state, [{ type: "text", value: mark } as const]]
    : lineOf(state, `${mark} ${lineIn(now.title)}`);
  const result = resultText(now, update, mark === CALL_MARKS["failed"]),
    isShown = result !== "" && result.length <= state.remaining;
  const after: TextState = {
    ...next,
    calls,
    last: "line",
    started: undefined,
    remaining: state.remaining - (isShown ? result.length : 0),
  };
  return [after, isShown ? [...parts, { type: "text", value: `\n\n${result}` }] : parts];
}

/**
 * The line ends with a space. VS Code's chat hides the last word of a text until a space follows, because the word may
 * become a link.
 */
function started(state: TextState, id: string, call: CallText): Converted {
  const [next, line] = lineOf(state, `${START_MARK} ${lineIn(call.title)} `),
    [after, output] = progress(next, id, undefined, call);
  return [{ ...after, started: output.length > 0 ? undefined : id }, [...line, ...output]];
}

/** Sends output as thinking, which VS Code shows while it streams and collapses afterwards. */
function progress(state: TextState, id: string, before: CallText | undefined, now: CallText): Converted {
  const added = progressOf(before, now).slice(0, state.remaining);
  if (added === "") return [state, []];
  const value = now.shown === 0 ? `\n\n${lineIn(now.title)}\n${added}` : added;
  const calls = new Map(state.calls).set(id, { ...now, shown: now.shown + added.length });
  return [
    { ...state, calls, started: undefined, remaining: state.remaining - added.length },
    [{ type: "thinking", value }],
  ];
}

const TITLE_LIMIT = 200,
  NOTICE_LIMIT = 1000;

/**
 * Escapes a title, which is often a command, to a single line. Dollars and backticks become entities. After an unpaired
 * character, VS Code's chat hides the text until the answer ends, and a pair of dollars becomes a formula.
 */
function lineIn(title: string, limit = TITLE_LIMIT): string {
  const line = visibleLine(title),
    shown = line.length <= limit ? line : `${line.slice(0, limit)}…`;
  return shown
    .replaceAll(/[\\*_[\]<>~#|]/gu, "\\$&")
    .replaceAll("$", "&#36;")
    .replaceAll("`", "&#96;");
}

/** Sends the whole plan if it has changed. */
function plan(state: TextState, { entries }: JsonObject): Converted {
  const steps = arrayOr(entries)
    .filter(isObject)
    .map(({ content, status }) => `- [${status === "completed" ? "x" : " "}] ${lineIn(stringOr(content, ""))}`)
    .join("\n");
  return steps === "" || steps === state.plan ? [state, []] : lineOf({ ...state, plan: steps }, steps);
}

/**
 * Usage in the format of VS Code's chat. An agent reports the used tokens of its context window, but not the new
 * tokens.
 */
function usage(state: TextState, { used }: JsonObject): Converted {
  return isAmount(used) ? counted({ ...state, used }, used, 0) : [state, []];
}

/**
 * Adds the `usage` of the response to `session/prompt`. A `usage_update` has precedence for the context size, because
 * this usage may count a model request more than once.
 */
export function partsOfUsage(
  state: TextState,
  { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, thoughtTokens }: JsonObject,
): Converted {
  if (!isAmount(inputTokens) && !isAmount(outputTokens)) return [state, []];
  return counted(
    state,
    state.used ?? sum(inputTokens, cachedReadTokens, cachedWriteTokens),
    sum(outputTokens, thoughtTokens),
  );
}

/** Size of the agent's context window in tokens; `undefined` if this update does not report it. */
export function contextSizeOf(update: unknown): number | undefined {
  const { sessionUpdate, size } = objectOr(update);
  return sessionUpdate === UPDATE_KINDS.usage_update && isAmount(size) && size > 0 ? Math.round(size) : undefined;
}

function counted(state: TextState, prompt: number, completion: number): Converted {
  const json = JSON.stringify({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  });
  return json === state.usage
    ? [state, []]
    : [{ ...state, usage: json }, [{ type: "data", mimeType: "usage", data: Buffer.from(json).toString("base64") }]];
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
      return l10n.t("(an image that cannot be shown here)");
    case "audio":
      return l10n.t("(a sound that cannot be shown here)");
    default:
      return "";
  }
}

function text({ last }: TextState, value: string): ChatPart {
  return { type: "text", value: last === "nothing" ? value : `\n\n${value}` };
}
