import { deepEqual, equal } from "node:assert/strict";
import { MAX_BYTES, readSettings, USUAL_BYTES } from "./settings";

suite("Sparkle settings", () => {
  test("uses defaults for missing values", () => {
    const texts: string[] = [];
    deepEqual(
      readSettings({ sparkler: null }, what => texts.push(what)),
      { embodiment: "first-prompt", embodimentBytes: USUAL_BYTES, sparkler: undefined },
    );
    deepEqual(texts, []);
  });

  test("applies valid values", () =>
    deepEqual(
      readSettings({ embodiment: "off", embodimentBytes: 5_000.5, sparkler: "Ada" }, () => {
        throw new Error("nothing is odd");
      }),
      { embodiment: "off", embodimentBytes: 5_000, sparkler: "Ada" },
    ));

  for (const [name, value] of [
    ["embodiment", "always"],
    ["embodiment", true],
    ["embodimentBytes", 100],
    ["embodimentBytes", MAX_BYTES + 1],
    ["embodimentBytes", NaN],
    ["embodimentBytes", "16384"],
    ["sparkler", 7],
    ["sparkler", ".."],
    ["sparkler", ""],
  ] as const)
    test(`reports ${name}: ${JSON.stringify(value)} as invalid`, () => {
      const texts: string[] = [];
      deepEqual(
        readSettings({ [name]: value }, what => texts.push(what)),
        { embodiment: "first-prompt", embodimentBytes: USUAL_BYTES, sparkler: undefined },
      );
      equal(texts.length, 1);
    });
});
