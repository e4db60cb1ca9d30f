/**
 * Subagents in the session state machine (ACP schema v2, `SubagentUpdate`). Each subagent has one card with its
 * transcript per turn of its parent. Its questions are shown in the conversation, under its name. Pure.
 *
 * Invariants:
 * - The entries of a subagent are nested in its own entry.
 * - Updates of a subagent do not change its parent's title, commands, options or usage.
 */
import { chain } from "../agent-session/state-machine";
import {
  isTerminal,
  lastIndexOf,
  type ChatEvent,
  type Conversation,
  type Entry,
  type EntryEvent,
  type Subagent,
  type SubagentName,
  type SubagentStatus,
} from "../../src/protocol/chat/chat";
import { settledSubagent } from "../../src/protocol/chat/settled-entries";
import { cut, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { emitEvent, type KnownSubagent, type State, type SessionStep } from "./session-model";

const TITLE_LIMIT = 200,
  DESCRIPTION_LIMIT = 2_000,
  ID_LIMIT = 1_000;
const UNNAMED = "Subagent";
/** Maximum nesting of subagents. Deeper subagents are shown beside their parent. */
const MAX_DEPTH = 8;

/** Handles a `subagent_update` from the agent (`parent` is undefined) or from one of its subagents. */
export function announceSubagent(state: State, parent: string | undefined, raw: unknown): SessionStep {
  const update = objectOr(raw),
    sessionId = stringOr(update.sessionId, undefined);
  if (sessionId === undefined || sessionId.length > ID_LIMIT || isWithin(state, parent, sessionId)) return [state, []];
  const known = state.subagents.get(sessionId);
  const named: KnownSubagent = {
    path: known?.path ?? [],
    turn: known?.turn ?? -1,
    parent: known === undefined ? parent : known.parent,
    name: name(update.title, known),
    ...statusOf(update.state, known),
    ...described(update.description, known),
  };
  const next = { ...state, subagents: new Map(state.subagents).set(sessionId, named) };
  return named.turn === state.turn
    ? upsert(next, sessionId, named, entriesAt(state.conversation.entries, named.path))
    : placed(next, sessionId);
}

/** Handles a `state_update` of the subagent like its parent's `subagent_update`. */
export function subagentState(state: State, sessionId: string, update: unknown): SessionStep {
  return announceSubagent(state, state.subagents.get(sessionId)?.parent, { sessionId, state: update });
}

/** The conversation with the subagent's entries of this turn; `undefined` if the subagent was never announced. */
export function viewOf(state: State, sessionId: string | undefined): Conversation | undefined {
  if (sessionId === undefined) return state.conversation;
  const known = state.subagents.get(sessionId);
  return (
    known && {
      ...state.conversation,
      entries: known.turn === state.turn ? entriesAt(state.conversation.entries, known.path) : [],
    }
  );
}

/** Nests an event of the subagent in the entries around it; `undefined` if the event changes no entry. */
export function nested(state: State, sessionId: string, event: ChatEvent): EntryEvent | undefined {
  if (event.type !== "upsert" && event.type !== "append" && event.type !== "nested") return undefined;
  return (state.subagents.get(sessionId)?.path ?? []).reduceRight<EntryEvent>(
    (inner, id) => ({ type: "nested", id, event: inner }),
    event,
  );
}

/** Like `nested`, but returns the unchanged event if it belongs to the agent or changes no entry. */
export function inTranscript(state: State, sessionId: string | undefined, event: ChatEvent): ChatEvent {
  return sessionId === undefined ? event : (nested(state, sessionId, event) ?? event);
}

/**
 * Ensures that the subagent has an entry in the current turn. A subagent has one entry per turn in which it is active.
 */
export function placed(state: State, sessionId: string): SessionStep {
  const known = state.subagents.get(sessionId);
  if (known === undefined || known.turn === state.turn) return [state, []];
  const around = known.parent === undefined ? ([state, []] as const) : placed(state, known.parent);
  return chain(around, s => {
    const outer = known.parent === undefined ? [] : (s.subagents.get(known.parent)?.path ?? []);
    const here: KnownSubagent = {
      ...known,
      turn: s.turn,
      path: [...outer.slice(0, MAX_DEPTH - 1), `${s.prefix}${s.made}`],
    };
    return upsert(
      { ...s, made: s.made + 1, subagents: new Map(s.subagents).set(sessionId, here) },
      sessionId,
      here,
      [],
    );
  });
}

export function nameOf(state: State, sessionId: string | undefined): SubagentName | undefined {
  const known = sessionId === undefined ? undefined : state.subagents.get(sessionId);
  return sessionId === undefined || known === undefined ? undefined : { sessionId, name: known.name };
}

/** Whether the subagent is still working, possibly after its parent's turn has ended. */
export function isAtWork({ subagents }: State, sessionId: string | undefined): boolean {
  const status = sessionId === undefined ? undefined : subagents.get(sessionId)?.status;
  return status === "running" || status === "waiting";
}

/** Settles the entries of ended subagents, at the end of a turn. */
export function settleIdleSubagents(state: State, why: string): SessionStep {
  return settleWhere(state, why, id => !isAtWork(state, id));
}

/** Cancels all running subagents and settles their entries. */
export function settleSubagents(state: State, why: string): SessionStep {
  const ended = new Map(
    [...state.subagents].map(([id, known]) => [
      id,
      isAtWork(state, id) ? { ...known, status: "cancelled" as const } : known,
    ]),
  );
  return settleWhere({ ...state, subagents: ended }, why, () => true);
}

/** A subagent with a running child is not settled. */
function settleWhere(state: State, why: string, which: (sessionId: string) => boolean): SessionStep {
  const settle = (entry: Subagent): Subagent =>
    !which(entry.sessionId) || entry.entries.some(each => each.kind === "subagent" && !which(each.sessionId))
      ? entry
      : settledSubagent(entry, why);
  const changed = state.conversation.entries.flatMap(entry => {
    const after = entry.kind === "subagent" ? settle(entry) : undefined;
    return after === undefined || after === entry ? [] : [after];
  });
  return chain([state, []], ...changed.map(entry => (s: State) => emitEvent(s, { type: "upsert", entry })));
}

function upsert(
  state: State,
  sessionId: string,
  { path, name, description, status, error }: KnownSubagent,
  entries: readonly Entry[],
): SessionStep {
  const id = path.at(-1) ?? "";
  const entry: Subagent = {
    kind: "subagent",
    id,
    sessionId,
    name,
    status,
    ...(description === undefined ? {} : { description }),
    ...(error === undefined ? {} : { error }),
    // A subagent that has ended has no open calls.
    entries: isTerminal(status)
      ? entries.map(each =>
          each.kind === "tool" && !isTerminal(each.status) ? { ...each, status: "cancelled" } : each,
        )
      : entries,
  };
  const event = path
    .slice(0, -1)
    .reduceRight<EntryEvent>((inner, outer) => ({ type: "nested", id: outer, event: inner }), {
      type: "upsert",
      entry,
    });
  return emitEvent(state, event);
}

/** The entries of the subagent at this path, or of the conversation. */
export function entriesAt(entries: readonly Entry[], path: readonly string[]): readonly Entry[] {
  return path.reduce<readonly Entry[]>((at, id) => {
    const entry = at[lastIndexOf(at, id)];
    return entry?.kind === "subagent" ? entry.entries : [];
  }, entries);
}

/** A subagent cannot be its own ancestor. */
function isWithin({ subagents }: State, parent: string | undefined, sessionId: string): boolean {
  if (subagents.has(sessionId)) return false; // its parent is already set and does not change
  for (let at = parent; at !== undefined; at = subagents.get(at)?.parent) if (at === sessionId) return true;
  return false;
}

function name(title: unknown, known: KnownSubagent | undefined): string {
  if (typeof title === "string" && title.trim() !== "") return cut(title, TITLE_LIMIT);
  return title === undefined ? (known?.name ?? UNNAMED) : UNNAMED;
}

function described(description: unknown, known: KnownSubagent | undefined): { readonly description?: string } {
  if (description === undefined) return known?.description === undefined ? {} : { description: known.description };
  return typeof description === "string" && description !== ""
    ? { description: cut(description, DESCRIPTION_LIMIT) }
    : {};
}

/** Schema v2, `StateUpdate`. An unknown state counts as running. */
function statusOf(
  raw: unknown,
  known: KnownSubagent | undefined,
): { readonly status: SubagentStatus; readonly error?: string } {
  if (raw === undefined)
    return { status: known?.status ?? "unknown", ...(known?.error === undefined ? {} : { error: known.error }) };
  const { state, stopReason, error }: JsonObject = objectOr(raw);
  switch (state) {
    case "idle":
      return stopReason === "error"
        ? { status: "failed", ...errorOf(error) }
        : { status: stopReason === "cancelled" ? "cancelled" : "completed" };
    case "requires_action":
      return { status: "waiting" };
    case "unknown":
    case undefined:
      return { status: "unknown" };
    default:
      return { status: "running" };
  }
}

function errorOf(raw: unknown): { readonly error?: string } {
  const message = stringOr(objectOr(raw).message, "");
  return message === "" ? {} : { error: cut(message, DESCRIPTION_LIMIT) };
}
