/**
 * Limits the stored output of one turn, so that a flooding agent does not exhaust the memory of sidecar, host and page.
 * Pure.
 *
 * Invariants:
 * - Output beyond the limits is omitted, with one notice per turn.
 * - Questions beyond the limit are cancelled and not displayed.
 * - The final status of a displayed tool call is always displayed.
 * - Displayed output is never removed.
 * - The end of the agent's answer is always displayed.
 */
import * as l10n from "@vscode/l10n";
import { chain } from "../agent-session/state-machine";
import { lastIndexOf, type ChatEvent, type Entry, type ToolContent } from "../../src/protocol/chat/chat";
import { objectOr } from "../rpc/json";
import { inTranscript, viewOf } from "./session-subagents";
import { emitEvent, addNotice, type Effect, type Spent, type State, type SessionStep } from "./session-model";
import { UPDATE_KINDS } from "../acp/methods";

export const NOTHING_SPENT: Spent = { entries: 0, words: 0, content: 0, questions: 0 };

/** Characters retained from the end of an answer that exceeds the limit. */
const TAIL_CHARACTERS = 8_000;

/** Maximum number of entries, characters of messages, characters of other content (images as base64), and questions. */
export const MAX_SPENT: Omit<Spent, "omitted"> = {
  entries: 5_000,
  words: 2_000_000,
  content: 16_000_000,
  questions: 500,
};

/** Like `emitEvent`, within the limits of the turn. */
export function emitBounded(state: State, event: ChatEvent, subagent?: string): SessionStep {
  switch (event.type) {
    case "append":
      return appended(state, event, subagent);
    case "upsert":
      return upserted(state, event.entry, subagent);
    default:
      return subagent === undefined ? emitEvent(state, event) : [state, []];
  }
}

/** Emits the event in the transcript of the agent or of its subagent. */
function show(state: State, event: ChatEvent, subagent: string | undefined): SessionStep {
  return emitEvent(state, inTranscript(state, subagent, event));
}

/**
 * Whether the update only adds a tool call beyond the limit. Checked before the update is adapted, to avoid a search
 * through thousands of entries.
 */
export function isTurnFull(state: State, raw: unknown): boolean {
  const { sessionUpdate, status } = objectOr(raw);
  return (
    isEntryLimitReached(state) &&
    sessionUpdate === UPDATE_KINDS.tool_call &&
    status !== "completed" &&
    status !== "failed"
  );
}

/** Calls `asking` unless the limit of questions is reached; otherwise returns `refusal`. */
export function askBounded(
  state: State,
  asking: (state: State) => SessionStep,
  refusal: readonly Effect[],
): SessionStep {
  if (state.spent.questions >= MAX_SPENT.questions) return chain(omitUpdate(state), s => [s, refusal]);
  return asking(spend(state, { questions: 1 }));
}

/** Whether the limit of entries is reached. */
export function isEntryLimitReached({ spent }: State): boolean {
  return spent.entries >= MAX_SPENT.entries;
}

function appended(
  state: State,
  event: Extract<ChatEvent, { readonly type: "append" }>,
  subagent: string | undefined,
): SessionStep {
  const text = wholeCharacters(event.text, MAX_SPENT.words - state.spent.words),
    [after, effects] =
      text === "" ? [state, []] : show(spend(state, { words: text.length }), { ...event, text }, subagent);
  if (text.length === event.text.length) return [after, effects];
  const entries = viewOf(state, subagent)?.entries ?? [],
    isAnswer = entries[lastIndexOf(entries, event.id)]?.kind === "agent";
  return chain([after, effects], s =>
    omitUpdate(s, isAnswer && subagent === undefined ? event.text.slice(text.length) : ""),
  );
}

function upserted(state: State, entry: Entry, subagent: string | undefined): SessionStep {
  const { spent } = state,
    entries = viewOf(state, subagent)?.entries ?? [],
    before = entries[lastIndexOf(entries, entry.id)];
  if (before === undefined && isEntryLimitReached(state))
    return omitUpdate(state, subagent === undefined ? answerIn(entry) : "");
  const fitting = cut(entry, MAX_SPENT.words - spent.words + messageLength(before));
  const words = messageLength(fitting) - messageLength(before),
    content = Math.max(0, contentLength(fitting) - contentLength(before));
  const spending = { entries: before === undefined ? 1 : 0, words, content };
  if (spent.content + content <= MAX_SPENT.content)
    return chain(show(spend(state, spending), { type: "upsert", entry: fitting }, subagent), s =>
      fitting === entry
        ? [s, []]
        : omitUpdate(
            s,
            before === undefined && subagent === undefined ? answerIn(entry).slice(messageLength(fitting)) : "",
          ),
    );
  const rest = withoutContent(fitting, before);
  return chain(
    rest === undefined
      ? [state, []]
      : show(spend(state, { ...spending, content: 0 }), { type: "upsert", entry: rest }, subagent),
    s => omitUpdate(s),
  );
}

/** Removes the new content of a tool call, but keeps its status. `undefined` for other entries. */
function withoutContent(entry: Entry, before: Entry | undefined): Entry | undefined {
  if (entry.kind !== "tool") return undefined;
  if (before?.kind === "tool") return { ...before, status: entry.status };
  const { input: _input, output: _output, ...call } = entry;
  return { ...call, content: [] };
}

/** Omits one update. `text`: its part of the answer. The first omission of a turn adds a notice. */
export function omitUpdate(state: State, text = ""): SessionStep {
  const { omitted = { noticeId: `${state.prefix}${state.made}`, updates: 0, tail: "" } } = state.spent;
  const noticed: SessionStep =
    state.spent.omitted === undefined
      ? addNotice(state, "warning", l10n.t`${limitSentence(state)} The excess is omitted.`, [])
      : [state, []];
  const tail =
    omitted.tail.length + text.length > 2 * TAIL_CHARACTERS
      ? (omitted.tail + text).slice(-TAIL_CHARACTERS)
      : omitted.tail + text;
  return chain(noticed, s => [
    { ...s, spent: { ...s.spent, omitted: { ...omitted, updates: omitted.updates + 1, tail } } },
    [],
  ]);
}

/** At the end of a turn, shows the number of omitted updates and the end of the answer. */
export function closeBounds(state: State): SessionStep {
  const { omitted } = state.spent;
  if (omitted === undefined) return [state, []];
  const count =
    omitted.updates === 1
      ? l10n.t("1 update is omitted.")
      : l10n.t`${omitted.updates.toLocaleString("en")} updates are omitted.`;
  const text = `${limitSentence(state)} ${count}${omitted.tail.trim() === "" ? "" : l10n.t(" The end of the answer follows.")}`;
  const notice: Entry = { kind: "notice", id: omitted.noticeId, severity: "warning", text, actions: [] };
  const { omitted: _, ...spent } = state.spent;
  return chain(emitEvent({ ...state, spent }, { type: "upsert", entry: notice }), s =>
    omitted.tail.trim() === ""
      ? [s, []]
      : emitEvent(
          { ...s, made: s.made + 1 },
          { type: "upsert", entry: { kind: "agent", id: `${s.prefix}${s.made}`, text: endOf(omitted.tail) } },
        ),
  );
}

function limitSentence({ conversation }: State): string {
  return l10n.t`${conversation.agent.name} sends more in this turn than Symposium can store.`;
}

/** The last characters, from the next word boundary if it is near. */
function endOf(tail: string): string {
  if (tail.length <= TAIL_CHARACTERS) return tail;
  const cut = tail.slice(-TAIL_CHARACTERS),
    start = cut.slice(0, TAIL_CHARACTERS / 10).search(/\s\S/);
  return `…${start === -1 ? cut.replace(/^[\uDC00-\uDFFF]/, "") : cut.slice(start)}`;
}

/** The agent's text in an entry. */
export function answerIn(entry: Entry): string {
  return entry.kind === "agent" ? entry.text : "";
}

function spend(state: State, { entries = 0, words = 0, content = 0, questions = 0 }: Partial<Spent>): State {
  const { spent } = state;
  return {
    ...state,
    spent: {
      ...spent,
      entries: spent.entries + entries,
      words: spent.words + words,
      content: spent.content + content,
      questions: spent.questions + questions,
    },
  };
}

function messageLength(entry: Entry | undefined): number {
  return entry?.kind === "agent" ||
    entry?.kind === "thought" ||
    entry?.kind === "compaction" ||
    entry?.kind === "message"
    ? entry.text.length
    : 0;
}

function cut(entry: Entry, limit: number): Entry {
  return messageLength(entry) <= limit || !("text" in entry) || entry.text === undefined
    ? entry
    : { ...entry, text: wholeCharacters(entry.text, limit) };
}

function contentLength(entry: Entry | undefined): number {
  switch (entry?.kind) {
    case "tool":
      return entry.content.reduce(
        (sum, content) => sum + lengthOf(content),
        (entry.input?.length ?? 0) + (entry.output?.length ?? 0),
      );
    case "media":
      return lengthOf(entry.content);
    case "unknown":
      return entry.json.length;
    default:
      return 0;
  }
}

function lengthOf(content: ToolContent): number {
  return Object.values(content).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
}

/** At most the first `length` characters, without cutting a surrogate pair. */
function wholeCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, Math.max(0, length));
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
