/**
 * Reorders the extensions by pointer or keyboard. Pure.
 *
 *     still ──grab──▶ grabbed ──drop──▶ still      keyboard: each arrow key moves the row, Escape puts it back
 *       └────drag──▶ dragged ──drop──▶ still       pointer: a mark shows the drop position
 *
 * Invariants:
 * - The displayed order is always a permutation of the host's list.
 * - The host receives one message per completed move to another position.
 * - A grabbed or dragged row that disappears from the list is released.
 */
export type Reorder =
  | { readonly kind: "still" }
  | { readonly kind: "grabbed" | "dragged"; readonly id: string; readonly from: number; readonly to: number };

export type ReorderEvent =
  | { readonly kind: "grab"; readonly id: string }
  | { readonly kind: "drag"; readonly id: string }
  | { readonly kind: "step"; readonly by: "up" | "down" | "first" | "last" }
  /** The pointer is over this position of the list. */
  | { readonly kind: "over"; readonly to: number }
  | { readonly kind: "drop" }
  | { readonly kind: "back" }
  /** Moves one position without a grab. */
  | { readonly kind: "nudge"; readonly id: string; readonly by: "up" | "down" }
  /** The host's list has changed. */
  | { readonly kind: "listed" };

export interface MoveAnnouncement {
  readonly what: "grabbed" | "moved" | "dropped" | "putBack" | "atEnd";
  readonly id: string;
  readonly place: number;
  readonly of: number;
}
export interface Outcome {
  readonly next: Reorder;
  /** Message to the host. */
  readonly move?: { readonly id: string; readonly to: number };
  readonly announcement?: MoveAnnouncement;
}

export const still: Reorder = { kind: "still" };

/** Moves `id` to the position `to`, which is limited to the list. */
export function moved(ids: readonly string[], id: string, to: number): readonly string[] {
  if (!ids.includes(id)) return ids;
  const others = ids.filter(each => each !== id);
  return others.toSpliced(Math.max(0, Math.min(to, others.length)), 0, id);
}

/** The displayed order: a grabbed row moves along, a dragged row stays until it is dropped. */
export function shown(state: Reorder, ids: readonly string[]): readonly string[] {
  return state.kind === "grabbed" ? moved(ids, state.id, state.to) : ids;
}

/** `ids`: the list without the move in progress. */
export function reorder(state: Reorder, ids: readonly string[], event: ReorderEvent): Outcome {
  switch (event.kind) {
    case "grab":
    case "drag":
      return start(ids, event.id, event.kind === "grab" ? "grabbed" : "dragged");
    case "nudge":
      return nudge(state, ids, event.id, event.by);
    case "step":
      return state.kind === "grabbed" ? stepped(state, ids, event.by) : { next: state };
    case "over":
      return state.kind === "dragged" ? { next: { ...state, to: within(event.to, ids) } } : { next: state };
    case "drop":
      return state.kind === "still" ? { next: still } : dropped(state, ids);
    case "back":
      return state.kind === "still"
        ? { next: still }
        : { next: still, announcement: announced("putBack", state.id, ids.indexOf(state.id), ids) };
    case "listed": {
      if (state.kind === "still") return { next: still };
      const from = ids.indexOf(state.id);
      return { next: from === -1 ? still : { ...state, from, to: within(state.to, ids) } };
    }
  }
}

type ActiveReorder = Exclude<Reorder, { readonly kind: "still" }>;

function start(ids: readonly string[], id: string, kind: ActiveReorder["kind"]): Outcome {
  const from = ids.indexOf(id);
  if (from === -1) return { next: still };
  return {
    next: { kind, id, from, to: from },
    ...(kind === "grabbed" ? { announcement: announced("grabbed", id, from, ids) } : {}),
  };
}

function nudge(state: Reorder, ids: readonly string[], id: string, by: "up" | "down"): Outcome {
  if (state.kind === "grabbed" && state.id === id) return stepped(state, ids, by);
  const from = ids.indexOf(id);
  if (state.kind !== "still" || from === -1) return { next: state };
  const to = within(from + (by === "up" ? -1 : 1), ids);
  return to === from
    ? { next: still, announcement: announced("atEnd", id, from, ids) }
    : { next: still, move: { id, to }, announcement: announced("moved", id, to, ids) };
}

function stepped(state: ActiveReorder, ids: readonly string[], by: "up" | "down" | "first" | "last"): Outcome {
  const wanted = { up: state.to - 1, down: state.to + 1, first: 0, last: ids.length - 1 }[by];
  const to = within(wanted, ids);
  return { next: { ...state, to }, announcement: announced(to === state.to ? "atEnd" : "moved", state.id, to, ids) };
}

function dropped(state: ActiveReorder, ids: readonly string[]): Outcome {
  const at = announced("dropped", state.id, state.to, ids);
  return state.to === ids.indexOf(state.id)
    ? { next: still, announcement: at }
    : { next: still, move: { id: state.id, to: state.to }, announcement: at };
}

const within = (to: number, ids: readonly string[]): number => Math.max(0, Math.min(to, ids.length - 1));
const announced = (
  what: MoveAnnouncement["what"],
  id: string,
  at: number,
  ids: readonly string[],
): MoveAnnouncement => ({
  what,
  id,
  place: at + 1,
  of: ids.length,
});
