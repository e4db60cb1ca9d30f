import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { cardSteps, EARLIER } from "./card-diff";

const cards = (keys: readonly string[]) => keys.map(key => ({ key }));
const steps = (shown: string, wanted: string) =>
  cardSteps(cards(shown.split(" ").filter(Boolean)), cards(wanted.split(" ").filter(Boolean)));

suite("card diff", () => {
  test("keeps existing cards and appends new ones", () => {
    for (const [shown, wanted] of [
      ["", ""],
      ["", "a b"],
      ["a", "a b"],
      ["a b", "a b"],
    ] as const)
      deepEqual(steps(shown, wanted), { kind: "onward", gone: [], first: false });
  });

  test("removes the oldest cards and adds the earlier notice once", () => {
    deepEqual(steps("a b c", `${EARLIER} c d`), { kind: "onward", gone: ["a", "b"], first: true });
    deepEqual(steps(`${EARLIER} c d`, `${EARLIER} d e`), { kind: "onward", gone: ["c"], first: false });
    deepEqual(steps("", `${EARLIER} d e`), { kind: "onward", gone: [], first: true });
    deepEqual(steps("a b", ""), { kind: "onward", gone: ["a", "b"], first: false });
  });

  test("starts over for another order, removed last cards and restored earlier ones", () => {
    for (const [shown, wanted] of [
      ["a b", "b a"],
      ["a b", "a"],
      ["a b c", "a c"],
      ["a", "b"],
      [`${EARLIER} c d`, `${EARLIER} b c d`],
      [`${EARLIER} c d`, "b c d"],
      [`${EARLIER} c`, "c"],
      ["a b", "x a b"],
    ] as const)
      equal(steps(shown, wanted).kind, "anew", `${shown} to ${wanted}`);
  });

  test("produces the wanted list (property)", () => {
    const keys = fc.uniqueArray(fc.constantFrom(..."abcdefgh"), { maxLength: 8 });
    fc.assert(
      fc.property(keys, keys, fc.boolean(), fc.boolean(), (shown, wanted, hadFirst, hasFirst) => {
        const before = [...(hadFirst ? [EARLIER] : []), ...shown],
          after = [...(hasFirst ? [EARLIER] : []), ...wanted];
        const taken = cardSteps(cards(before), cards(after));
        if (taken.kind === "anew") return;
        const stay = before.filter(key => !taken.gone.includes(key));
        const there = [...(taken.first ? [EARLIER] : []), ...stay];
        deepEqual([...there, ...after.slice(there.length)], after);
      }),
      { numRuns: 2_000 },
    );
  });
});
