import { deepEqual, equal } from "node:assert/strict";
import { MOST_BYTES, readSettings, USUAL_BYTES } from "./settings";

suite("the settings of Sparkle", () => {
  test("what is absent is the default, and nothing is said", () => {
    const said: string[] = [];
    deepEqual(
      readSettings({ sparkler: null }, what => said.push(what)),
      { embodiment: "first-prompt", embodimentBytes: USUAL_BYTES, sparkler: undefined },
    );
    deepEqual(said, []);
  });

  test("what is there is taken", () =>
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
    ["embodimentBytes", MOST_BYTES + 1],
    ["embodimentBytes", NaN],
    ["embodimentBytes", "16384"],
    ["sparkler", 7],
    ["sparkler", ".."],
    ["sparkler", ""],
  ] as const)
    test(`${name}: ${JSON.stringify(value)} cannot be read, which is said`, () => {
      const said: string[] = [];
      deepEqual(
        readSettings({ [name]: value }, what => said.push(what)),
        { embodiment: "first-prompt", embodimentBytes: USUAL_BYTES, sparkler: undefined },
      );
      equal(said.length, 1);
    });
});
