/**
 * Session state machine: the duration of tool calls. Pure.
 *
 * Invariants:
 * - A call starts with its first update, or with the first update after the request for its permission.
 * - Only a long call has a duration.
 */
import { isTerminal, type ChatEvent } from "../../src/protocol/chat/chat";
import type { State } from "./session-model";

/** A shorter call has no duration. */
const MIN_MS = 5_000;

/** Records the start of a call, or adds the duration to the event that ends it. */
export function timeTool(state: State, event: ChatEvent, now: number): readonly [State, ChatEvent] {
  if (event.type !== "upsert" || event.entry.kind !== "tool") return [state, event];
  const { entry } = event,
    since = state.toolStarts?.get(entry.id);
  if (!isTerminal(entry.status))
    return since === undefined
      ? [{ ...state, toolStarts: new Map(state.toolStarts).set(entry.id, now) }, event]
      : [state, event];
  if (since === undefined) return [state, event];
  const ms = now - since;
  return [stopTime(state, entry.id), ms < MIN_MS ? event : { ...event, entry: { ...entry, ms } }];
}

/** The call waits for a permission. */
export function stopTime(state: State, id: string): State {
  if (state.toolStarts?.has(id) !== true) return state;
  return { ...state, toolStarts: new Map([...state.toolStarts].filter(([each]) => each !== id)) };
}

/** Call at the end of a turn, which ends its calls. */
export function forgetTools({ toolStarts: _, ...state }: State): readonly [State, readonly []] {
  return [state, []];
}
