/** Session state machine: the agent's updates, the duration of thoughts, and the controls that the user sets. */
import * as l10n from "@vscode/l10n";
import { chain } from "../agent-session/state-machine";
import { isTerminal, type ChatEvent, type Conversation } from "../../src/protocol/chat/chat";
import { offers, withValue, type Control, type ControlValue } from "../../src/protocol/chat/controls";
import { missingPart } from "../acp/adapt/replayed-conversation";
import { adaptUpdate } from "../acp/adapt/v1";
import { adaptUpdateV2 } from "../acp/adapt/v2";
import { answerIn, emitBounded, isEntryLimitReached, isTurnFull, omitUpdate } from "./turn-limits";
import { objectOr } from "../rpc/json";
import { timeTool } from "./tool-times";
import { announceSubagent, isAtWork, nameOf, placed, subagentState, viewOf } from "./session-subagents";
import { emitEvent, addNotice, type SessionEvent, type State, type SessionStep } from "./session-model";
import { UPDATE_KINDS } from "../acp/methods";

type Updated = Extract<SessionEvent, { readonly kind: "updated" }>;

export function update(state: State, event: Updated, now: number): SessionStep {
  const { update: raw, subagent } = event,
    { sessionUpdate } = objectOr(raw);
  if (state.phase.kind === "closed") return [state, []];
  if (isTurnFull(state, raw)) return omitUpdate(state);
  if (sessionUpdate === UPDATE_KINDS.subagent_update)
    return isEntryLimitReached(state) ? omitUpdate(state) : announceSubagent(state, subagent, raw);
  if (subagent === undefined) return chain(adapted(state, event, now), s => timeThoughts(s, now));
  if (sessionUpdate === UPDATE_KINDS.state_update) return subagentState(state, subagent, raw);
  return state.subagents.has(subagent) ? chain(placed(state, subagent), s => adapted(s, event, now)) : [state, []];
}

/** Applies the update to the transcript of the session that sent it. */
function adapted(state: State, { update: raw, version, subagent }: Updated, now: number): SessionStep {
  const view = viewOf(state, subagent);
  if (view === undefined) return [state, []];
  const names = (sessionId: string): string => nameOf(state, sessionId)?.name ?? state.conversation.agent.name;
  const { events, made } = (version === 2 ? adaptUpdateV2 : adaptUpdate)(
    view,
    raw,
    n => `${state.prefix}${state.made + n}`,
    names,
  );
  if (made > 0 && isEntryLimitReached(state)) {
    const texts =
      subagent === undefined ? events.map(event => (event.type === "upsert" ? answerIn(event.entry) : "")) : [];
    return omitUpdate(state, texts.join(""));
  }
  const isOver = subagent === undefined ? !isTurn(state) : !isTurn(state) && !isAtWork(state, subagent);
  return chain(
    [{ ...state, made: state.made + made }, []],
    ...events.map(event => (s: State) => {
      const [timed, shown] = timeTool(s, isOver ? withTerminalStatus(view, event) : event, now);
      return emitBounded(timed, shown, subagent);
    }),
  );
}

/** Adds the replayed end of the conversation that was lost with a process; see `replayed-conversation.ts`. */
export function replayed(
  state: State,
  { updates, version }: Extract<SessionEvent, { readonly kind: "replayed" }>,
): SessionStep {
  const { events, made } = missingPart(state.conversation, updates, version, n => `${state.prefix}${state.made + n}`);
  return chain(
    [{ ...state, made: state.made + made }, []],
    ...events.map(event => (s: State) => emitEvent(s, withTerminalStatus(s.conversation, event))),
  );
}

export function isTurn({ phase }: State): boolean {
  return phase.kind === "prompting" || phase.kind === "cancelling";
}

/**
 * Makes a tool call terminal that is announced or changed after its turn. Otherwise the call would appear to run
 * forever.
 */
export function withTerminalStatus(conversation: Conversation, event: ChatEvent): ChatEvent {
  if (event.type !== "upsert" || event.entry.kind !== "tool" || isTerminal(event.entry.status)) return event;
  const { id } = event.entry;
  const known = conversation.entries.find(entry => entry.id === id);
  return {
    type: "upsert",
    entry: { ...event.entry, status: known?.kind === "tool" && isTerminal(known.status) ? known.status : "cancelled" },
  };
}

// --- thoughts

/** A thought ends when another entry follows it. */
function timeThoughts(state: State, now: number): SessionStep {
  const last = state.conversation.entries.at(-1);
  if (last?.id === state.thinking?.id) return [state, []];
  return chain(endThought(state, now), s => [
    last?.kind === "thought" && isTurn(s) ? { ...s, thinking: { id: last.id, since: now } } : s,
    [],
  ]);
}

/** Adds the thought's duration to its entry. */
export function endThought(before: State, now: number): SessionStep {
  if (before.thinking === undefined) return [before, []];
  const { thinking, ...state } = before;
  const thought = state.conversation.entries.findLast(({ id }) => id === thinking.id);
  return thought?.kind !== "thought"
    ? [state, []]
    : emitEvent(state, { type: "upsert", entry: { ...thought, ms: now - thinking.since } });
}

// --- controls

export function showControls(state: State, controls: readonly Control[]): SessionStep {
  return controls.length === 0 && state.conversation.controls.length === 0
    ? [state, []]
    : emitEvent(state, { type: "controls", controls });
}

/** Shows the choice immediately; `controlRefused` reverts it. */
export function chooseControl(state: State, id: string, value: ControlValue): SessionStep {
  const control = state.conversation.controls.find(each => each.id === id);
  if (!control || !offers(control, value) || control.value === value) return [state, []];
  const chosen = showControls(state, withValue(state.conversation.controls, id, value));
  // Without an open agent session, the choice applies to the next one.
  return state.phase.kind === "closed"
    ? [state, []]
    : chain(chosen, s => [s, [{ kind: "setControl", control, value }]]);
}

export function controlRefused(
  state: State,
  { controlId, before, why }: Extract<SessionEvent, { readonly kind: "controlRefused" }>,
): SessionStep {
  const control = state.conversation.controls.find(({ id }) => id === controlId);
  if (!control) return [state, []];
  return chain(showControls(state, withValue(state.conversation.controls, controlId, before)), s =>
    addNotice(s, "warning", l10n.t`“${control.name}” was not changed. ${why}`, []),
  );
}
