/**
 * How much of one turn is kept and shown: an agent that floods must not take the memory of three programs. Pure.
 *
 * Invariants: what no person could read in a day is cut, and said once a turn; a question is left out only behind hundreds of others,
 * and is answered then; how a tool call that is shown ended is always shown; what was shown stays.
 */
import { lastIndexOf, type ChatEvent, type Entry, type ToolContent } from "../../src/protocol/chat";
import { objectOr } from "../rpc/json";
import { chain, emit, say, type Effect, type State, type Step } from "./session-model";

/** Of one turn; `told`: the user knows that something is left out. */
export interface Spent { readonly entries: number; readonly words: number; readonly content: number; readonly questions: number; readonly told: boolean }

export const NOTHING_SPENT: Spent = { entries: 0, words: 0, content: 0, questions: 0, told: false };

/** Cards, characters of messages, characters of all else (images count as base64), and questions. */
export const MOST: Omit<Spent, "told"> = { entries: 5_000, words: 2_000_000, content: 16_000_000, questions: 500 };

/** As `emit`, as far as there is room for what the agent sent. */
export function emitBounded(state: State, event: ChatEvent): Step {
  switch (event.type) {
    case "append": return appended(state, event);
    case "upsert": return upserted(state, event.entry);
    default: return emit(state, event);
  }
}

/** Before an update is looked at: a call that is announced when there is no room for another costs no search among thousands. */
export function isFull(state: State, raw: unknown): boolean {
  const { sessionUpdate, status } = objectOr(raw);
  return hasNoRoom(state) && sessionUpdate === "tool_call" && status !== "completed" && status !== "failed";
}

/** As `asking`, when there is room for one question more. */
export function askBounded(state: State, asking: (state: State) => Step, refusal: readonly Effect[]): Step {
  if (state.spent.questions >= MOST.questions) return chain(tell(state), s => [s, refusal]);
  return asking(spend(state, { questions: 1 }));
}

/** For another card. */
export function hasNoRoom({ spent }: State): boolean { return spent.entries >= MOST.entries; }

function appended(state: State, event: Extract<ChatEvent, { readonly type: "append" }>): Step {
  const text = wholeCharacters(event.text, MOST.words - state.spent.words), [after, effects] = text === "" ? [state, []] : emit(spend(state, { words: text.length }), { ...event, text });
  return text.length === event.text.length ? [after, effects] : chain([after, effects], tell);
}

function upserted(state: State, entry: Entry): Step {
  const { spent, conversation: { entries } } = state, before = entries[lastIndexOf(entries, entry.id)];
  if (before === undefined && hasNoRoom(state)) return tell(state);
  const fitting = cut(entry, MOST.words - spent.words + wordsIn(before));
  const words = wordsIn(fitting) - wordsIn(before), content = Math.max(0, contentIn(fitting) - contentIn(before));
  const spending = { entries: before === undefined ? 1 : 0, words, content };
  if (spent.content + content <= MOST.content) return chain(emit(spend(state, spending), { type: "upsert", entry: fitting }), s => fitting === entry ? [s, []] : tell(s));
  const rest = withoutContent(fitting, before);
  return chain(rest === undefined ? [state, []] : emit(spend(state, { ...spending, content: 0 }), { type: "upsert", entry: rest }), tell);
}

/** What can still be said of it: how the call stands. */
function withoutContent(entry: Entry, before: Entry | undefined): Entry | undefined {
  if (entry.kind !== "tool") return undefined;
  if (before?.kind === "tool") return { ...before, status: entry.status };
  const { input: _input, output: _output, ...call } = entry;
  return { ...call, content: [] };
}

/** Once a turn. */
export function tell(state: State): Step {
  if (state.spent.told) return [state, []];
  return say({ ...state, spent: { ...state.spent, told: true } }, "warning", `${state.conversation.agent.name} sends more in this turn than can be kept. What is too much is left out.`, []);
}

function spend(state: State, { entries = 0, words = 0, content = 0, questions = 0 }: Partial<Spent>): State {
  const { spent } = state;
  return { ...state, spent: { ...spent, entries: spent.entries + entries, words: spent.words + words, content: spent.content + content, questions: spent.questions + questions } };
}

function wordsIn(entry: Entry | undefined): number {
  return entry?.kind === "agent" || entry?.kind === "thought" || entry?.kind === "compaction" ? entry.text.length : 0;
}

function cut(entry: Entry, room: number): Entry {
  return wordsIn(entry) <= room || !("text" in entry) ? entry : { ...entry, text: wholeCharacters(entry.text, room) };
}

function contentIn(entry: Entry | undefined): number {
  switch (entry?.kind) {
    case "tool": return entry.content.reduce((sum, content) => sum + lengthOf(content), (entry.input?.length ?? 0) + (entry.output?.length ?? 0));
    case "media": return lengthOf(entry.content);
    case "unknown": return entry.json.length;
    default: return 0;
  }
}

function lengthOf(content: ToolContent): number {
  return Object.values(content).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
}

/** The first `length` characters at most, and no half of one. */
function wholeCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, Math.max(0, length));
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
