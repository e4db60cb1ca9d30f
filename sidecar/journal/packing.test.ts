import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { MIN_LENGTH, packed, unpacked } from "./packing";

const LONG = "x".repeat(MIN_LENGTH),
  LONGER = `${LONG}y`;
const value = fc.letrec<{ node: unknown }>(tie => ({
  node: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(null, 1, "", "short", LONG, LONGER),
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("$text", "$$text", "text", "__proto__", "$"), tie("node"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).node;

suite("packing of long texts", () => {
  test("restores any value and stores each long text once", () => {
    fc.assert(
      fc.property(value, original => {
        const texts = new Map<string, string>(),
          line = JSON.stringify(packed(original, (hash, text) => texts.set(hash, text)));
        deepEqual(
          unpacked(JSON.parse(line), hash => texts.get(hash)),
          original,
        );
        equal(line.includes(LONG), false);
        equal(texts.size <= 2, true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("replaces a text that is not stored by an empty one", () => {
    const line = packed([LONG, "short"], () => undefined);
    deepEqual(
      unpacked(line, () => undefined),
      ["", "short"],
    );
  });
});
