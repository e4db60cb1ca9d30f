import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { moved, reorder, shown, still, type Reorder, type ReorderEvent, type MoveAnnouncement } from "./reorder";

const IDS = ["a", "b", "c", "d"];

/** The result of these events in order, in a list that executes its moves. */
function play(
  ids: readonly string[],
  events: readonly ReorderEvent[],
): {
  readonly state: Reorder;
  readonly ids: readonly string[];
  readonly moves: readonly string[];
  readonly messages: readonly MoveAnnouncement[];
} {
  let state: Reorder = still,
    list = ids;
  const moves: string[] = [],
    all: MoveAnnouncement[] = [];
  for (const event of events) {
    const { next, move, announcement } = reorder(state, list, event);
    state = next;
    if (move) {
      list = moved(list, move.id, move.to);
      moves.push(`${move.id} to ${move.to}`);
    }
    if (announcement) all.push(announcement);
  }
  return { state, ids: list, moves, messages: all };
}

const grab = (id: string): ReorderEvent => ({ kind: "grab", id });
const go = (by: "up" | "down" | "first" | "last"): ReorderEvent => ({ kind: "step", by });
const over = (to: number): ReorderEvent => ({ kind: "over", to });
const drop: ReorderEvent = { kind: "drop" },
  back: ReorderEvent = { kind: "back" };
const words = (messages: readonly MoveAnnouncement[]): readonly string[] =>
  messages.map(({ what, id, place, of }) => `${what} ${id} ${place}/${of}`);

suite("order of the extensions", () => {
  test("moves a grabbed row on screen and reports it to the host when dropped", () => {
    const held = play(IDS, [grab("b"), go("down"), go("down")]);
    deepEqual([shown(held.state, held.ids), held.ids, held.moves], [["a", "c", "d", "b"], IDS, []]);
    const done = play(IDS, [grab("b"), go("down"), go("down"), drop]);
    deepEqual(
      [done.ids, done.moves, words(done.messages)],
      [["a", "c", "d", "b"], ["b to 3"], ["grabbed b 2/4", "moved b 3/4", "moved b 4/4", "dropped b 4/4"]],
    );
  });

  test("reverts on Escape without a report", () => {
    const { state, ids, moves, messages } = play(IDS, [grab("c"), go("first"), back]);
    deepEqual([state, shown(state, ids), moves, words(messages).at(-1)], [still, IDS, [], "putBack c 3/4"]);
  });

  test("announces the ends of the list and does not move beyond them", () => {
    deepEqual(words(play(IDS, [grab("a"), go("up"), go("last"), go("down")]).messages), [
      "grabbed a 1/4",
      "atEnd a 1/4",
      "moved a 4/4",
      "atEnd a 4/4",
    ]);
    deepEqual(
      play(IDS, [
        { kind: "nudge", id: "a", by: "up" },
        { kind: "nudge", id: "d", by: "down" },
      ]).moves,
      [],
    );
  });

  test("moves by one position immediately without a grab", () =>
    deepEqual(
      play(IDS, [
        { kind: "nudge", id: "a", by: "down" },
        { kind: "nudge", id: "a", by: "down" },
      ]).moves,
      ["a to 1", "a to 2"],
    ));

  test("moves a grabbed row with the buttons", () => {
    const { state, moves } = play(IDS, [
      grab("a"),
      { kind: "nudge", id: "a", by: "down" },
      { kind: "nudge", id: "d", by: "up" },
    ]);
    deepEqual([shown(state, IDS), moves], [["b", "a", "c", "d"], []]);
  });

  test("keeps the list in place while a row is dragged", () => {
    const held = play(IDS, [{ kind: "drag", id: "d" }, over(0)]);
    deepEqual([shown(held.state, held.ids), held.messages], [IDS, []]);
    const done = play(IDS, [{ kind: "drag", id: "d" }, over(0), drop]);
    deepEqual([done.ids, done.moves], [["d", "a", "b", "c"], ["d to 0"]]);
  });

  test("reports no move for an unchanged position", () => {
    deepEqual(play(IDS, [{ kind: "drag", id: "b" }, over(3), over(1), drop]).moves, []);
    deepEqual(play(IDS, [grab("b"), go("down"), go("up"), drop]).moves, []);
  });

  test("releases a removed row and clamps its position", () => {
    const { next } = reorder(still, IDS, grab("b"));
    equal(reorder(next, ["a", "c"], { kind: "listed" }).next, still);
    const last = reorder(next, IDS, go("last")).next;
    const { next: kept } = reorder(last, ["a", "b"], { kind: "listed" });
    deepEqual(shown(kept, ["a", "b"]), ["a", "b"]);
    deepEqual(reorder(kept, ["a", "b"], drop).move, undefined);
  });

  test("ignores an unknown row", () => deepEqual(reorder(still, IDS, grab("z")).next, still));

  const id = fc.constantFrom("a", "b", "c", "d", "e", "z");
  const event: fc.Arbitrary<ReorderEvent> = fc.oneof(
    fc.record({ kind: fc.constantFrom("grab" as const, "drag" as const), id }),
    fc.record({
      kind: fc.constant("step" as const),
      by: fc.constantFrom("up" as const, "down" as const, "first" as const, "last" as const),
    }),
    fc.record({ kind: fc.constant("over" as const), to: fc.integer({ min: -3, max: 9 }) }),
    fc.record({ kind: fc.constant("nudge" as const), id, by: fc.constantFrom("up" as const, "down" as const) }),
    fc.constantFrom<ReorderEvent>({ kind: "drop" }, { kind: "back" }, { kind: "listed" }),
  );
  const list = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"), { minLength: 0, maxLength: 5 });

  test("shows a permutation and announces a valid position (property)", () => {
    fc.assert(
      fc.property(list, fc.array(event, { maxLength: 30 }), (ids, events) => {
        for (let n = 0; n <= events.length; n++) {
          const { state, ids: now, messages } = play(ids, events.slice(0, n));
          deepEqual([...shown(state, now)].sort(), [...ids].sort());
          for (const { place, of } of messages) ok(place >= 1 && place <= of && of === ids.length);
        }
      }),
    );
  });

  test("reports a move that produces the displayed order (property)", () => {
    fc.assert(
      fc.property(list, fc.array(event, { maxLength: 30 }), (ids, events) => {
        const before = play(ids, events);
        const { next, move } = reorder(before.state, before.ids, drop);
        const host = move ? moved(before.ids, move.id, move.to) : before.ids;
        equal(next, still);
        if (before.state.kind !== "dragged") deepEqual(host, shown(before.state, before.ids));
      }),
    );
  });
});
