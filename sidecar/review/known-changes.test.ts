import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { partsOf, partsOfMove, type KnownChange } from "./known-changes";
import type { StoredState } from "./review-log";
import { sameState, type FileChange } from "./snapshots/file-state";
import type { HeadChange } from "./snapshots/head-log";

const state = (n: number): StoredState => (n === 0 ? undefined : { mode: "100644", oid: String(n) });

suite("known changes of a file", () => {
  test("divide what changed into the agent's and the user's parts", () => {
    const save = (before: number, after: number): KnownChange => ({
      by: "user",
      before: state(before),
      after: state(after),
    });
    deepEqual(partsOf(state(1), [save(2, 3), { ...save(3, 4), by: "operation" }], state(5)), [
      { by: "agent", before: state(1), after: state(2) },
      { by: "user", before: state(2), after: state(3) },
      { by: "agent", before: state(4), after: state(5) },
    ]);
    deepEqual(partsOf(state(1), [save(1, 0)], state(0)), [{ by: "user", before: state(1), after: state(0) }]);
  });

  test("have no part without a change, and lead to the last state", () => {
    const change = fc.record({
      by: fc.constantFrom("user" as const, "operation" as const),
      before: fc.nat(3).map(state),
      after: fc.nat(3).map(state),
    });
    fc.assert(
      fc.property(fc.nat(3).map(state), fc.array(change, { maxLength: 4 }), fc.nat(3).map(state), (at, known, now) => {
        const parts = partsOf(at, known, now);
        const operations = known.filter(({ by }) => by === "operation");
        if (parts.some(({ before, after }) => sameState(before, after))) throw new Error("a part without a change");
        // Each state is reached by the previous part, or by an operation.
        let last = at;
        for (const { before, after } of parts) {
          if (!sameState(last, before) && !operations.some(each => sameState(each.after, before)))
            throw new Error("a gap");
          last = after;
        }
        if (!sameState(last, now) && !operations.some(({ after }) => sameState(after, now)))
          throw new Error("the last state is not reached");
      }),
    );
  });

  test("are those of commits and of the files, if a branch was switched", () => {
    const move = (kind: "move" | "commit" | "unknown", before: number, after: number): HeadChange =>
        ({ kind, before: state(before), after: state(after) }) as HeadChange,
      parts = (from: number, to: number, ...moves: readonly HeadChange[]): string => {
        const change = { before: state(from), after: state(to) } as FileChange,
          { parts: found, isUnclear } = partsOfMove(change, moves);
        return [
          ...found.map(({ by, before, after }) => `${by} ${before?.oid ?? "-"}${after?.oid ?? "-"}`),
          ...(isUnclear ? ["unclear"] : []),
        ].join();
      };
    equal(parts(1, 2), "agent 12");
    equal(parts(1, 2, move("move", 1, 2)), "user 12");
    equal(parts(1, 3, move("move", 1, 2)), "user 12,agent 23");
    equal(parts(3, 2, move("move", 1, 2)), "agent 32,unclear");
    equal(parts(0, 2, move("move", 0, 2)), "user -2");
    equal(parts(0, 3, move("move", 0, 2)), "agent -3,unclear");
    equal(parts(1, 3, move("commit", 1, 2), move("move", 2, 3)), "agent 12,user 23");
    equal(parts(3, 1, move("commit", 1, 2), move("move", 2, 1)), "agent 32,user 21");
    equal(parts(3, 2, move("commit", 1, 2)), "agent 32");
    equal(parts(1, 2, move("unknown", 1, 2)), "agent 12,unclear");
  });
});
