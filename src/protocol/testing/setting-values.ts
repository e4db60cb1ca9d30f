/** Values that the controls of a settings page can produce. */
import fc from "fast-check";
import type { SettingValue } from "../agents/extension-settings";
import { MAX_TEXT } from "../agents/setting-limits";
import { fits } from "../agents/extension-settings";
import type { SettingControl } from "../agents/setting-schema";

const lineText = fc.oneof(fc.string({ unit: "grapheme", maxLength: 60 }), fc.string({ maxLength: 20 }));

function unchecked(control: SettingControl): fc.Arbitrary<SettingValue> {
  switch (control.type) {
    case "boolean":
      return fc.boolean();
    case "number":
      return control.isWhole === true
        ? fc.integer({ min: control.min, max: control.max })
        : fc.double({ min: control.min, max: control.max, noNaN: true });
    case "choice":
      return fc.constantFrom(...control.options.map(({ value }) => value));
    case "choices":
      return fc.record(Object.fromEntries(control.options.map(({ value }) => [value, fc.boolean()])), {
        noNullPrototype: true,
      });
    case "text":
      return fc.oneof(fc.constant(control.default), lineText);
    case "texts":
      return fc.array(
        lineText.map(text => text.trim().slice(0, MAX_TEXT)).filter(text => text !== ""),
        { maxLength: 5 },
      );
  }
}

export const settingValue = (control: SettingControl): fc.Arbitrary<SettingValue> =>
  unchecked(control).filter(value => fits(control, value));
