import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import { partsOf, type KnownChange } from "./known-changes";
import type { StoredState } from "./review-log";
import { sameState } from "./snapshots/file-state";

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
});
