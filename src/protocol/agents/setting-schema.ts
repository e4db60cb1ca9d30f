/**
 * Schema of the settings of an agent extension. The settings page shows a control for each setting, and the extension
 * reads its values with the same schema (`extension-settings.ts`). Schemas of other authors come from documents and are
 * untrusted. Pure.
 *
 * Invariants:
 * - The default of a control fits the control.
 * - A document's control that does not match is dropped, and the others are kept.
 */
import * as v from "valibot";
import { isObject } from "../wire/json";
import { MAX_TEXT, MAX_TEXTS } from "./setting-limits";
import { filled, finite, list, text, whole, type Infer } from "../wire/schema";

const MAX_CONTROLS = 50,
  MAX_OPTIONS = 50;

/** Name of a setting: a member of `settings`. */
const NAME = /^[A-Za-z]\w{0,63}$/;

const labelled = { label: filled(80), description: v.exactOptional(text(500)) };
const value = filled(100);
const areDistinct = (options: readonly { readonly value: string }[]): boolean =>
  options.length > 0 && new Set(options.map(option => option.value)).size === options.length;
const DISTINCT_OPTIONS = "at least one option, with different values";

const settingControl = v.variant("type", [
  v.object({ type: v.literal("boolean"), ...labelled, default: v.boolean() }),
  v.pipe(
    v.object({
      type: v.literal("number"),
      ...labelled,
      default: finite,
      min: finite,
      max: finite,
      /** Only whole numbers. */
      isWhole: v.exactOptional(v.literal(true)),
      /** “minutes” */
      unit: v.exactOptional(filled(30)),
    }),
    v.check(
      ({ default: byDefault, min, max, isWhole }) =>
        min <= byDefault && byDefault <= max && (isWhole !== true || Number.isInteger(byDefault)),
      "a default from min to max",
    ),
  ),
  v.pipe(
    v.object({
      type: v.literal("choice"),
      ...labelled,
      default: value,
      /** `warning`: a sentence about the consequence, shown with the option and confirmed by the user. */
      options: list(v.object({ value, label: filled(80), warning: v.exactOptional(filled(500)) }), MAX_OPTIONS),
    }),
    v.check(({ options }) => areDistinct(options), DISTINCT_OPTIONS),
    v.check(
      ({ default: byDefault, options }) => options.some(option => option.value === byDefault),
      "a default that is one of the options",
    ),
  ),
  /** Stored as an object with true or false for each option. */
  v.pipe(
    v.object({
      type: v.literal("choices"),
      ...labelled,
      options: list(v.object({ value, ...labelled, default: v.boolean() }), MAX_OPTIONS),
    }),
    v.check(({ options }) => areDistinct(options), DISTINCT_OPTIONS),
  ),
  /** One line. */
  v.pipe(
    v.object({
      type: v.literal("text"),
      ...labelled,
      default: text(MAX_TEXT),
      maxLength: v.exactOptional(v.pipe(whole(1), v.maxValue(MAX_TEXT))),
      /** A text other than the default has at least one letter or digit. */
      isName: v.exactOptional(v.literal(true)),
    }),
    v.check(({ default: byDefault }) => !/[\r\n]/.test(byDefault), "a default of one line"),
    v.check(
      ({ default: byDefault, maxLength = MAX_TEXT }) => byDefault.length <= maxLength,
      "a default of at most maxLength characters",
    ),
  ),
  /** Lines, none of which is blank. */
  v.object({
    type: v.literal("texts"),
    ...labelled,
    default: list(v.pipe(filled(MAX_TEXT), v.regex(/^\S(?:.*\S)?$/)), MAX_TEXTS),
  }),
]);

export type SettingControl = Infer<typeof settingControl>;
export type SettingType = SettingControl["type"];
/** Controls by the name of their setting, in the order of the page. */
export type SettingsSchema = Readonly<Record<string, SettingControl>>;

export const SETTING_TYPES = [
  "boolean",
  "number",
  "choice",
  "choices",
  "text",
  "texts",
] as const satisfies readonly SettingType[];

/** `at`: the path of the member in the schema. `expected`: a noun phrase, if known. */
export interface SchemaProblem {
  readonly at: readonly string[];
  readonly expected?: string;
}

/** Reads the `settingsSchema` of a document. */
export function readSettingsSchema(given: unknown): {
  readonly schema: SettingsSchema;
  readonly problems: readonly SchemaProblem[];
} {
  if (!isObject(given)) return { schema: {}, problems: [{ at: [] }] };
  const read = Object.entries(given).map(([name, control], i) => ({ name, ...readControl(name, control, i) }));
  return {
    schema: Object.fromEntries(read.flatMap(({ name, control }) => (control ? [[name, control]] : []))),
    problems: read.flatMap(({ problem }) => problem ?? []),
  };
}

function readControl(
  name: string,
  given: unknown,
  index: number,
): { readonly control?: SettingControl; readonly problem?: SchemaProblem } {
  if (!NAME.test(name))
    return { problem: { at: [name], expected: "a name of letters, digits and “_” that starts with a letter" } };
  if (index >= MAX_CONTROLS) return { problem: { at: [name], expected: `one of the first ${MAX_CONTROLS} settings` } };
  const parsed = v.safeParse(settingControl, given, { abortEarly: true });
  if (parsed.success) return { control: parsed.output };
  const [{ type, path = [], message }] = parsed.issues;
  return {
    problem: {
      at: [name, ...path.map(({ key }) => String(key))],
      ...(type === "check" ? { expected: message } : {}),
    },
  };
}
