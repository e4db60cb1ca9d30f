/**
 * What an agent of ACP v1 does in a session → what VS Code's chat can show of it: text, thinking and usage. Calls of the agent's own tools
 * are a line each when they end; those of VS Code's tools are shown by VS Code. Pure, lenient, and never throws.
 */
import type { ChatPart } from "../../src/protocol/lm";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { visible } from "./safe-text";

export interface Words {
  /** What was said last of this turn: words, a line of ours, or a call that shows itself. */
  readonly last: "nothing" | "words" | "line" | "call";
  readonly messageId: string | undefined;
  /** Titles of calls that go on. */
  readonly titles: ReadonlyMap<string, string>;
  readonly plan: string;
  readonly usage: string;
}

export const NO_WORDS: Words = { last: "nothing", messageId: undefined, titles: new Map(), plan: "", usage: "" };

type Said = readonly [next: Words, parts: readonly ChatPart[]];

/** A new turn has begun. */
export function nextTurn(words: Words): Words { return { ...NO_WORDS, usage: words.usage }; }

/** A paragraph of ours. */
export function lineOf(words: Words, line: string): Said { return [{ ...words, last: "line" }, [text(words, line)]]; }

/** A sentence of ours with words of others in it, as a paragraph. */
export function noticeOf(words: Words, sentence: string): Said { return lineOf(words, lineIn(sentence, NOTICE_LIMIT)); }

/** `raw`: the `update` member of `session/update` (schema v1, `SessionUpdate`). `isBridged`: a call of a tool of VS Code's. */
export function wordsOfUpdate(words: Words, raw: unknown, isBridged: (call: JsonObject) => boolean): Said {
  const update = objectOr(raw);
  switch (update.sessionUpdate) {
    case "agent_message_chunk": return message(words, update);
    case "agent_thought_chunk": return thought(words, update);
    case "tool_call": case "tool_call_update": return call(words, update, isBridged);
    case "plan": return plan(words, update);
    case "usage_update": return usage(words, update);
    default: return [words, []];
  }
}

function message(words: Words, update: JsonObject): Said {
  const said = contentOf(update.content), messageId = stringOr(update.messageId, undefined);
  if (said === "") return [words, []];
  const continues = words.last === "words" && (messageId === undefined || words.messageId === undefined || messageId === words.messageId);
  return [{ ...words, last: "words", messageId }, [continues ? { type: "text", value: said } : text(words, said)]];
}

function thought(words: Words, update: JsonObject): Said {
  const value = contentOf(update.content);
  return value === "" ? [words, []] : [words, [{ type: "thinking", value }]];
}

/** Calls that are still kept; an agent that never ends its calls loses the titles of the oldest. */
const MOST_TITLES = 200;
const MARKS: Readonly<Record<string, string>> = { completed: "✓", failed: "✗", cancelled: "✗" };

function call(words: Words, update: JsonObject, isBridged: (call: JsonObject) => boolean): Said {
  const id = stringOr(update.toolCallId, "");
  if (isBridged(update)) return [{ ...words, last: words.last === "nothing" ? "nothing" : "call" }, []];
  const title = stringOr(update.title, undefined) ?? words.titles.get(id) ?? stringOr(update.name, "Tool call"), mark = MARKS[stringOr(update.status, "")];
  const titles = new Map(words.titles);
  titles.delete(id);
  if (mark === undefined) {
    titles.set(id, title);
    const [oldest] = titles.keys();
    if (titles.size > MOST_TITLES && oldest !== undefined) titles.delete(oldest);
    return [{ ...words, titles }, []];
  }
  // An end that is told twice is one end.
  if (!words.titles.has(id) && update.sessionUpdate === "tool_call_update" && update.title === undefined) return [words, []];
  return lineOf({ ...words, titles }, `${mark} ${lineIn(title)}`);
}

const TITLE_LIMIT = 200, NOTICE_LIMIT = 1000;

/** One line, that stays one: titles are often commands. */
function lineIn(title: string, limit = TITLE_LIMIT): string {
  const line = visible(title.replaceAll(/\s+/gu, " ").trim()).replaceAll(/[\\`*_[\]<>~#|]/gu, "\\$&");
  return line.length <= limit ? line : `${line.slice(0, limit)}…`;
}

/** The whole plan, whenever it is another one. */
function plan(words: Words, { entries }: JsonObject): Said {
  const steps = arrayOr(entries).filter(isObject).map(({ content, status }) => `- [${status === "completed" ? "x" : " "}] ${lineIn(stringOr(content, ""))}`).join("\n");
  return steps === "" || steps === words.plan ? [words, []] : lineOf({ ...words, plan: steps }, steps);
}

/** As VS Code's chat reads it. An agent tells how full its window is; what of that is new it does not say. */
function usage(words: Words, { used }: JsonObject): Said {
  if (typeof used !== "number" || !Number.isFinite(used) || used < 0) return [words, []];
  const json = JSON.stringify({ prompt_tokens: used, completion_tokens: 0, total_tokens: used });
  return json === words.usage ? [words, []] : [{ ...words, usage: json }, [{ type: "data", mimeType: "usage", data: Buffer.from(json).toString("base64") }]];
}

/** A content block (schema v1, `ContentBlock`) as Markdown. */
function contentOf(raw: unknown): string {
  const block = objectOr(raw), { uri } = block;
  switch (block.type) {
    case "text": return stringOr(block.text, "");
    case "resource_link": return `[${lineIn(stringOr(block.title, undefined) ?? stringOr(block.name, "resource"))}](<${stringOr(uri, "").replaceAll(/[<>\s]/gu, "")}>)`;
    case "resource": return stringOr(objectOr(block.resource).text, "");
    case "image": case "audio": return `(${block.type === "image" ? "an image" : "a sound"} that cannot be shown here)`;
    default: return "";
  }
}

function text({ last }: Words, value: string): ChatPart { return { type: "text", value: last === "nothing" ? value : `\n\n${value}` }; }
