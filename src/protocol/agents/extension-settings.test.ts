import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { settingValue } from "../testing/setting-values";
import { BUILT_IN_SETTINGS, CARGO_SETTINGS, FERRIS_SETTINGS, SPARKLE_SETTINGS } from "./built-in-settings";
import { defaultOf, fits, settingValues, storedSetting, withSetting } from "./extension-settings";
import { readSettingsSchema, type SettingControl } from "./setting-schema";

const WORDS: SettingControl = { type: "texts", label: "Words", default: ["a"] };
const CONTROLS: readonly SettingControl[] = [...Object.values(BUILT_IN_SETTINGS).flatMap(Object.values), WORDS];
const control = fc.constantFrom(...CONTROLS);
const controlAndValue = control.chain(each => fc.tuple(fc.constant(each), settingValue(each)));

suite("settings of extensions", () => {
  test("have schemas that a document could declare, with a fitting default", () => {
    for (const schema of Object.values(BUILT_IN_SETTINGS))
      deepEqual(readSettingsSchema(structuredClone(schema)), { schema, problems: [] });
    for (const each of CONTROLS) ok(fits(each, defaultOf(each)));
  });

  test("are read as they were written", () =>
    fc.assert(
      fc.property(controlAndValue, fc.dictionary(fc.string(), fc.jsonValue()), ([each, value], others) => {
        const { s: _, ...before } = others,
          after = withSetting(before, "s", each, value);
        deepEqual(storedSetting(after, "s", each), { value, misfits: [] });
        deepEqual(withSetting(after, "s", each, undefined), before);
        deepEqual(withSetting(after, "s", each, value), after);
      }),
    ));

  test("have their defaults for any stored value that does not fit, which is kept", () =>
    fc.assert(
      fc.property(control, fc.jsonValue({ maxDepth: 2 }), (each, stored) => {
        const { value, misfits } = storedSetting({ s: stored }, "s", each);
        ok(fits(each, value));
        if (each.type !== "choices" && stored !== null)
          deepEqual([misfits, value], fits(each, stored) ? [[], stored] : [["s"], defaultOf(each)]);
      }),
    ));

  test("report each value that does not fit", () => {
    const misfits: string[] = [];
    const values = settingValues(
      { ...CARGO_SETTINGS, ...FERRIS_SETTINGS },
      {
        timeoutMinutes: "10",
        maxWarnings: 1.5,
        approve: "all",
        everywhere: null,
        tools: { crate_sources: "no", x: 1 },
      },
      path => misfits.push(path),
    );
    deepEqual(misfits, ["timeoutMinutes", "maxWarnings", "tools.crate_sources"]);
    deepEqual(values, {
      timeoutMinutes: 10,
      maxWarnings: 5,
      approve: "all",
      tools: { crate_sources: true, rust_crate_query: true },
      everywhere: false,
      cacheAnswers: true,
    });
  });

  test("ignore members of the object prototype", () => {
    const toString: SettingControl = { type: "text", label: "Text", default: "a" };
    deepEqual(storedSetting({}, "toString", toString), { value: "a", misfits: [] });
  });

  test("keep unknown options of a set, and remove values equal to the default", () => {
    const { tools } = FERRIS_SETTINGS,
      off = withSetting({ tools: { later: 1 } }, "tools", tools, { crate_sources: true, rust_crate_query: false });
    deepEqual(off, { tools: { later: 1, rust_crate_query: false } });
    deepEqual(withSetting(off, "tools", tools, undefined), { tools: { later: 1 } });
    deepEqual(withSetting({ tools: "x", other: 1 }, "tools", tools, undefined), { other: 1 });
  });

  test("accept names with a letter or a digit only", () => {
    const accepted = ["Ada", "✨ Ada", "7", "", "é"].map(name => fits(SPARKLE_SETTINGS.sparkler, name));
    const refused = ["..", " ", "✨", "a".repeat(61), "a\nb"].map(name => fits(SPARKLE_SETTINGS.sparkler, name));
    deepEqual([new Set(accepted), new Set(refused)], [new Set([true]), new Set([false])]);
  });
});

suite("settingsSchema of a document", () => {
  const problem = (given: unknown): string => {
    const { schema, problems } = readSettingsSchema({
      good: { type: "boolean", label: "Good", default: true },
      x: given,
    });
    deepEqual(Object.keys(schema), ["good"]);
    equal(problems.length, 1);
    return [problems[0]?.at.join("."), problems[0]?.expected].filter(Boolean).join(": ");
  };
  const number = { type: "number", label: "N", default: 1, min: 0, max: 2 };
  const choice = { type: "choice", label: "C", default: "a", options: [{ value: "a", label: "A" }] };
  for (const [given, expected] of [
    [7, "x"],
    [{ type: "color", label: "X" }, "x.type"],
    [{ type: "boolean", default: true }, "x.label"],
    [{ type: "boolean", label: "X", default: "yes" }, "x.default"],
    [{ ...number, max: 0.5 }, "x: a default from min to max"],
    [{ ...number, default: 0.5, isWhole: true }, "x: a default from min to max"],
    [{ ...number, min: undefined }, "x.min"],
    [{ ...choice, default: "b" }, "x: a default that is one of the options"],
    [{ ...choice, options: [...choice.options, ...choice.options] }, "x: at least one option, with different values"],
    [{ ...choice, options: [{ label: "A" }] }, "x.options.0.value"],
    [{ type: "choices", label: "C", options: [] }, "x: at least one option, with different values"],
    [{ type: "text", label: "T", default: "abc", maxLength: 2 }, "x: a default of at most maxLength characters"],
    [{ type: "texts", label: "T", default: [""] }, "x.default.0"],
  ] as const)
    test(`names the problem of ${JSON.stringify(given)}`, () => equal(problem(given), expected));

  test("names a wrong name", () => {
    const given = { type: "boolean", label: "Good", default: true };
    deepEqual(
      readSettingsSchema({ "a-b": given, ["__proto__"]: given, "1": given }).problems.map(({ at }) => at),
      [["1"], ["a-b"], ["__proto__"]],
    );
    deepEqual(readSettingsSchema([]), { schema: {}, problems: [{ at: [] }] });
  });

  test("never throws for any JSON, and drops unknown members", () => {
    fc.assert(fc.property(fc.jsonValue(), value => void readSettingsSchema(value)));
    deepEqual(readSettingsSchema({ n: { ...number, color: "red" } }).schema, { n: number });
  });
});
