/**
 * Values of the settings of an agent extension: the settings page and the extension read them with the same functions.
 * A stored value that does not fit its control counts as absent and is kept. Pure.
 */
import * as l10n from "@vscode/l10n";
import { isObject, isStrings, objectOr, type Fields } from "../wire/json";
import { MAX_TEXT, MAX_TEXTS } from "./setting-limits";
import type { SettingControl, SettingsSchema } from "./setting-schema";

export type SettingValue = boolean | number | string | readonly string[] | Readonly<Record<string, boolean>>;

type Option<C extends SettingControl> = C extends { readonly options: readonly { readonly value: infer V }[] }
  ? V & string
  : never;
/** Values of one control. */
type ValueOf<C extends SettingControl> = C extends { readonly type: "boolean" }
  ? boolean
  : C extends { readonly type: "number" }
    ? number
    : C extends { readonly type: "choice" }
      ? Option<C>
      : C extends { readonly type: "choices" }
        ? { readonly [O in Option<C>]: boolean }
        : C extends { readonly type: "text" }
          ? string
          : readonly string[];
export type ValuesOf<S extends SettingsSchema> = { readonly [N in keyof S]: ValueOf<S[N]> };

export function defaultOf(control: SettingControl): SettingValue {
  return control.type === "choices"
    ? Object.fromEntries(control.options.map(option => [option.value, option.default]))
    : control.default;
}

/** Whether the user can choose this value. A value of `choices` has all options and no others. */
export function fits(control: SettingControl, value: unknown): value is SettingValue {
  switch (control.type) {
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return (
        typeof value === "number" &&
        value >= control.min &&
        value <= control.max &&
        (control.isWhole !== true || Number.isInteger(value))
      );
    case "choice":
      return control.options.some(option => option.value === value);
    case "choices":
      return (
        isObject(value) &&
        Object.keys(value).length === control.options.length &&
        control.options.every(option => Object.hasOwn(value, option.value) && typeof value[option.value] === "boolean")
      );
    case "text":
      return (
        typeof value === "string" &&
        value.length <= (control.maxLength ?? MAX_TEXT) &&
        !/[\r\n]/.test(value) &&
        (value === control.default || control.isName !== true || hasLetterOrDigit(value))
      );
    case "texts":
      return (
        isStrings(value) &&
        value.length <= MAX_TEXTS &&
        value.every(line => line.length <= MAX_TEXT && /^\S(?:.*\S)?$/.test(line))
      );
  }
}

/** Also after the normalization of a folder name. */
const hasLetterOrDigit = (text: string): boolean =>
  /[\p{L}\p{N}]/u.test(text.normalize("NFKC").toLowerCase().normalize("NFKC"));

/** `misfits`: paths of the stored values that do not fit, such as `tools.search`. Their defaults apply. */
export interface StoredSetting {
  readonly value: SettingValue;
  readonly misfits: readonly string[];
}

/** Reads one setting. `null` counts as absent. */
export function storedSetting(settings: Fields, name: string, control: SettingControl): StoredSetting {
  const stored = own(settings, name);
  if (stored === undefined) return { value: defaultOf(control), misfits: [] };
  if (control.type !== "choices")
    return fits(control, stored) ? { value: stored, misfits: [] } : { value: defaultOf(control), misfits: [name] };
  if (!isObject(stored)) return { value: defaultOf(control), misfits: [name] };
  const options = control.options.map(option => ({ ...option, stored: own(stored, option.value) }));
  return {
    value: Object.fromEntries(
      options.map(option => [option.value, typeof option.stored === "boolean" ? option.stored : option.default]),
    ),
    misfits: options
      .filter(option => option.stored !== undefined && typeof option.stored !== "boolean")
      .map(option => `${name}.${option.value}`),
  };
}

/** The values of an extension. Reports each stored value that does not fit. */
export function settingValues<const S extends SettingsSchema>(
  schema: S,
  settings: Fields,
  onMisfit: (path: string, control: SettingControl) => void,
): ValuesOf<S> {
  const values = Object.entries(schema).map(([name, control]) => {
    const { value, misfits } = storedSetting(settings, name, control);
    for (const path of misfits) onMisfit(path, control);
    return [name, value] as const;
  });
  // The schema determines the type of each value.
  return Object.fromEntries(values) as ValuesOf<S>;
}

/**
 * Sets one setting, or with `undefined` resets it. Removes values equal to the default. Keeps unknown members, also
 * those of `choices`.
 */
export function withSetting(
  settings: Fields,
  name: string,
  control: SettingControl,
  value: SettingValue | undefined,
): Fields {
  const { [name]: stored, ...others } = settings,
    next = value === undefined || isEqual(value, defaultOf(control)) ? undefined : value;
  const written = control.type === "choices" ? withOptions(control, stored, objectOr(next)) : next;
  if (written === undefined) return Object.hasOwn(settings, name) ? others : settings;
  return isEqual(written, stored) ? settings : { ...settings, [name]: written };
}

function withOptions(
  { options }: Extract<SettingControl, { readonly type: "choices" }>,
  stored: unknown,
  next: Fields,
): Fields | undefined {
  const unknown = Object.entries(objectOr(stored)).filter(([key]) => options.every(option => option.value !== key));
  const changed = options.flatMap(option =>
    Object.hasOwn(next, option.value) && next[option.value] !== option.default
      ? [[option.value, next[option.value]] as const]
      : [],
  );
  const all = [...unknown, ...changed];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** Independent of the order of members. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isEqual(item, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}

/** The warning of the chosen option. */
export const warningOf = (control: SettingControl, value: SettingValue): string | undefined =>
  control.type === "choice" ? control.options.find(option => option.value === value)?.warning : undefined;

/** The expected value, as a noun phrase for users. */
export function expectedValue(control: SettingControl): string {
  switch (control.type) {
    case "boolean":
      return l10n.t("true or false");
    case "number":
      return control.isWhole === true
        ? l10n.t`a whole number from ${control.min} to ${control.max}`
        : l10n.t`a number from ${control.min} to ${control.max}`;
    case "choice":
      return l10n.t("one of the options");
    case "choices":
      return l10n.t("an object with true or false for each option");
    case "text":
      return control.isName === true
        ? l10n.t`a text of at most ${control.maxLength ?? MAX_TEXT} characters with a letter or a digit`
        : l10n.t`a text of at most ${control.maxLength ?? MAX_TEXT} characters`;
    case "texts":
      return l10n.t`a list of at most ${MAX_TEXTS} texts of at most ${MAX_TEXT} characters`;
  }
}

/** A direct member other than `null`. */
function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? (fields[name] ?? undefined) : undefined;
}
