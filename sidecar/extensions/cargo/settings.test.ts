import { deepEqual } from "node:assert/strict";
import { DEFAULTS, readSettings } from "./settings";

const read = (given: Record<string, unknown>) => {
  const warnings: string[] = [];
  return { settings: readSettings(given, (setting, has) => warnings.push(`${setting} ${has}`)), warnings };
};

suite("Cargo extension settings", () => {
  test("uses defaults for missing values and ignores unknown ones", () =>
    deepEqual(read({ other: 1 }), { settings: DEFAULTS, warnings: [] }));
  test("applies valid values", () => {
    const settings = { timeoutMinutes: 0.5, maxWarnings: 0, environment: { RUSTFLAGS: "-Dwarnings" } };
    deepEqual(read(settings), { settings, warnings: [] });
  });
  for (const timeoutMinutes of [0, -1, 1441, "10", null, NaN, Infinity])
    test(`reports timeoutMinutes ${String(timeoutMinutes)} and uses the default`, () =>
      deepEqual(read({ timeoutMinutes }), {
        settings: DEFAULTS,
        warnings: ["timeoutMinutes must be a number from 0.1 to 1440"],
      }));
  for (const maxWarnings of [-1, 1.5, 101, "5"])
    test(`reports maxWarnings ${maxWarnings} and uses the default`, () =>
      deepEqual(read({ maxWarnings }), {
        settings: DEFAULTS,
        warnings: ["maxWarnings must be a whole number from 0 to 100"],
      }));
  test("reports non-string environment values and applies the others", () => {
    deepEqual(read({ environment: { A: "1", B: 2 } }), {
      settings: { ...DEFAULTS, environment: { A: "1" } },
      warnings: ["environment must be an object of strings"],
    });
    deepEqual(read({ environment: ["A"] }).warnings, ["environment must be an object of strings"]);
  });
});
