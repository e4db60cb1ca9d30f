import { deepEqual } from "node:assert/strict";
import { MAX_BYTES, readSettings, USUAL_BYTES } from "./settings";

const DEFAULTS = { embodiment: "first-prompt", embodimentBytes: USUAL_BYTES, sparkler: undefined, approve: "ask" };

const read = (given: Record<string, unknown>) => {
  const invalid: unknown[] = [];
  return [readSettings(given, { log: (_, __, { setting }) => invalid.push(setting) }), invalid];
};

suite("Sparkle settings", () => {
  test("uses defaults for missing values", () => deepEqual(read({ sparkler: null }), [DEFAULTS, []]));

  test("applies valid values", () => {
    const settings = { embodiment: "off", embodimentBytes: 5_000, sparkler: "Ada", approve: "all" };
    deepEqual(read(settings), [settings, []]);
  });

  test("treats an empty name as the first sparkler", () => deepEqual(read({ sparkler: "" }), [DEFAULTS, []]));

  for (const [name, value] of [
    ["embodiment", "always"],
    ["embodiment", true],
    ["embodimentBytes", MAX_BYTES + 1],
    ["sparkler", 7],
    ["sparkler", ".."],
  ] as const)
    test(`reports ${name}: ${JSON.stringify(value)} as invalid`, () =>
      deepEqual(read({ [name]: value }), [DEFAULTS, [name]]));
});
