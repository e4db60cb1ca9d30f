/**
 * Session state machine: the places of edited excerpts in their files, for the line numbers of the diffs. Pure.
 *
 * Invariants:
 * - A diff is shown before its place is searched.
 * - A place is searched once for the same diffs of a running call, and again when the call is completed.
 */
import { chain } from "../agent-session/state-machine";
import {
  isTerminal,
  lastIndexOf,
  type ChatEvent,
  type Entry,
  type EntryEvent,
  type ToolCall,
} from "../../src/protocol/chat/chat";
import { isSameDiff, placedDiffs, withPlaces, type Diff } from "../../src/protocol/chat/diff-places";
import { emitEvent, type PlaceSearch, type SessionEvent, type SessionStep, type State } from "./session-model";
import { entriesAt } from "./session-subagents";

/** Adds the searches for the places of the diffs that a step has shown. `before`: the state before the step. */
export function searchPlaces(before: State, [state, effects]: SessionStep): SessionStep {
  const searches = effects.flatMap(effect =>
    effect.kind === "emit" ? searchesOf(before.conversation.entries, effect.event, []) : [],
  );
  return searches.length === 0
    ? [state, effects]
    : [state, [...effects, ...searches.map(search => ({ kind: "findPlaces", search }) as const)]];
}

function searchesOf(entries: readonly Entry[], event: ChatEvent, within: readonly string[]): readonly PlaceSearch[] {
  if (event.type === "nested") return searchesOf(entriesAt(entries, [event.id]), event.event, [...within, event.id]);
  if (event.type !== "upsert" || event.entry.kind !== "tool") return [];
  const { entry } = event,
    diffs = withoutPlace(entry);
  if (diffs.length === 0) return [];
  const known = entries[lastIndexOf(entries, entry.id)];
  return known?.kind === "tool" && isSearched(known, entry, diffs) ? [] : [{ within, entryId: entry.id, diffs }];
}

/** The excerpts without a line number. A failed or cancelled call has changed nothing. */
function withoutPlace(call: ToolCall): readonly Diff[] {
  return call.status === "failed" || call.status === "cancelled"
    ? []
    : placedDiffs(call).flatMap(({ diff, line }) => (line === undefined && diff.oldText !== undefined ? [diff] : []));
}

function isSearched(known: ToolCall, call: ToolCall, diffs: readonly Diff[]): boolean {
  const before = withoutPlace(known);
  return (
    isTerminal(known.status) === isTerminal(call.status) &&
    diffs.every(diff => before.some(each => isSameDiff(each, diff)))
  );
}

/** Adds the places to the diffs of the call, and of its open questions. */
export function placesFound(
  state: State,
  { within, entryId, diffs }: Extract<SessionEvent, { readonly kind: "placesFound" }>,
): SessionStep {
  if (state.phase.kind === "closed" || state.phase.kind === "readOnly") return [state, []];
  const { entries } = state.conversation,
    siblings = entriesAt(entries, within),
    call = siblings[lastIndexOf(siblings, entryId)];
  const questions = entries.filter(
    entry => entry.kind === "permission" && entry.toolEntryId === entryId && entry.answered === undefined,
  );
  return chain(
    [state, []],
    ...[
      ...(call === undefined ? [] : [{ entry: call, within }]),
      ...questions.map(entry => ({ entry, within: [] })),
    ].map(each => (s: State) => addPlaces(s, each, diffs)),
  );
}

function addPlaces(
  state: State,
  { entry, within }: { readonly entry: Entry; readonly within: readonly string[] },
  diffs: readonly Diff[],
): SessionStep {
  if (entry.kind !== "tool" && entry.kind !== "permission") return [state, []];
  const content = withPlaces(entry.content, diffs);
  if (content.every((each, i) => each === entry.content[i])) return [state, []];
  return emitEvent(
    state,
    within.reduceRight<EntryEvent>((event, id) => ({ type: "nested", id, event }), {
      type: "upsert",
      entry: { ...entry, content },
    }),
  );
}
