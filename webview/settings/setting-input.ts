/** Input of the user in the control of a setting. Pure. */
import { fits, isEqual, type SettingValue } from "../../src/protocol/agents/extension-settings";
import { isObject } from "../../src/protocol/wire/json";
import type { SettingRow } from "../../src/protocol/settings/settings-view";
import type { SettingRef } from "./settings-actions";

/** A checkbox, of one `option` if the control has several; or the text of a field or of a list of options. */
export type Input =
  | { readonly isOn: boolean; readonly option?: string | undefined; readonly text?: undefined }
  | { readonly text: string; readonly isOn?: undefined };

/** A text that does not fit its setting. It stays in the field with an error. */
export interface Draft {
  readonly of: SettingRef;
  readonly text: string;
}

export const withoutDraft = (drafts: readonly Draft[], of: SettingRef): readonly Draft[] =>
  drafts.filter(draft => !isEqual(draft.of, of));

/** Undefined if the input does not fit. */
export function enteredValue({ control, value }: SettingRow, input: Input): SettingValue | undefined {
  const candidate = (): unknown => {
    if (input.text === undefined)
      return input.option === undefined || !isObject(value) ? input.isOn : { ...value, [input.option]: input.isOn };
    switch (control.type) {
      case "number":
        return input.text.trim() === "" ? undefined : Number(input.text);
      case "texts":
        return input.text.split(/\r?\n/).flatMap(line => (line.trim() === "" ? [] : [line.trim()]));
      case "text":
        return input.text.trim();
      default:
        return input.text;
    }
  };
  const entered = candidate();
  return fits(control, entered) ? entered : undefined;
}

/** The text in the field of a value. */
export function fieldText(value: SettingValue): string {
  return Array.isArray(value) ? value.join("\n") : String(value);
}
