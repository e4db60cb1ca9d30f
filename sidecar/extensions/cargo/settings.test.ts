import { deepEqual } from "node:assert/strict";
import { readSettings } from "./settings";

const DEFAULTS = { timeoutMinutes: 10, maxWarnings: 5, approve: "ask", environment: {} };

const read = (given: Record<string, unknown>) => {
  const invalid: unknown[] = [];
  return { settings: readSettings(given, { log: (_, __, { setting }) => invalid.push(setting) }), invalid };
};

suite("Cargo extension settings", () => {
  test("uses defaults for missing values and ignores unknown ones", () =>
    deepEqual(read({ other: 1 }), { settings: DEFAULTS, invalid: [] }));
  test("applies valid values", () => {
    const settings = { timeoutMinutes: 0.5, maxWarnings: 0, approve: "all", environment: { RUSTFLAGS: "-Dwarnings" } };
    deepEqual(read(settings), { settings, invalid: [] });
  });
  test("reports invalid values and uses their defaults", () =>
    deepEqual(read({ timeoutMinutes: 0, maxWarnings: 1.5, approve: "never" }), {
      settings: DEFAULTS,
      invalid: ["timeoutMinutes", "maxWarnings", "approve"],
    }));
  test("reports non-string environment values and applies the others", () => {
    deepEqual(read({ environment: { A: "1", B: 2 } }), {
      settings: { ...DEFAULTS, environment: { A: "1" } },
      invalid: ["environment"],
    });
    deepEqual(read({ environment: ["A"] }).invalid, ["environment"]);
  });
});
