import { deepEqual } from "node:assert/strict";
import { DEFAULTS, readSettings } from "./settings";

const read = (given: Record<string, unknown>) => {
  const odd: string[] = [];
  return { settings: readSettings(given, (setting, has) => odd.push(`${setting} ${has}`)), odd };
};

suite("settings of the extension Cargo", () => {
  test("those that are not there have defaults, and unknown ones are left alone", () =>
    deepEqual(read({ other: 1 }), { settings: DEFAULTS, odd: [] }));
  test("those that can be read count", () => {
    const settings = { timeoutMinutes: 0.5, maxWarnings: 0, environment: { RUSTFLAGS: "-Dwarnings" } };
    deepEqual(read(settings), { settings, odd: [] });
  });
  for (const timeoutMinutes of [0, -1, 1441, "10", null, NaN, Infinity])
    test(`timeoutMinutes ${String(timeoutMinutes)} is said, and the default counts`, () =>
      deepEqual(read({ timeoutMinutes }), {
        settings: DEFAULTS,
        odd: ["timeoutMinutes has to be a number from 0.1 to 1440"],
      }));
  for (const maxWarnings of [-1, 1.5, 101, "5"])
    test(`maxWarnings ${maxWarnings} is said, and the default counts`, () =>
      deepEqual(read({ maxWarnings }), {
        settings: DEFAULTS,
        odd: ["maxWarnings has to be a whole number from 0 to 100"],
      }));
  test("of an environment what is no text is said, the rest counts", () => {
    deepEqual(read({ environment: { A: "1", B: 2 } }), {
      settings: { ...DEFAULTS, environment: { A: "1" } },
      odd: ["environment has to be texts by their names"],
    });
    deepEqual(read({ environment: ["A"] }).odd, ["environment has to be texts by their names"]);
  });
});
