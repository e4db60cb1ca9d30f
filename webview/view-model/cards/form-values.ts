/**
 * Converts form input to values for the agent. Pure.
 *
 * Invariants:
 * - A value that `wrongValue` rejects is never part of an answer.
 * - Empty input is omitted, not sent as an empty text.
 */
import * as l10n from "@vscode/l10n";
import {
  wrongValue,
  type ElicitationChoice,
  type Field,
  type FieldValue,
} from "../../../src/protocol/chat/elicitation";
import { visibleText } from "../../../src/protocol/text/visible-text";
/** Values of the page's controls: a text, the state of a checkbox, or the selected values of a list. */
export type Entered = string | boolean | readonly string[];

export type Filled =
  | { readonly kind: "right"; readonly choice: Extract<ElicitationChoice, { kind: "accept" }> }
  /** Field name → error sentence. Never empty. */
  | { readonly kind: "wrong"; readonly wrong: ReadonlyMap<string, string> };

export function filled(fields: readonly Field[], entered: ReadonlyMap<string, Entered>): Filled {
  const all = fields.map(field => ({ field, value: valueOf(field, entered.get(field.name)) }));
  const wrong = all.flatMap(({ field, value }) => {
    const why = wrongValue(field, value);
    return why === undefined ? [] : [[field.name, visibleText(why)] as const];
  });
  if (wrong.length > 0) return { kind: "wrong", wrong: new Map(wrong) };
  return {
    kind: "right",
    choice: {
      kind: "accept",
      values: Object.fromEntries(
        all.flatMap(({ field, value }) => (value === undefined ? [] : [[field.name, value] as const])),
      ),
    },
  };
}

/** Converts the input to the field's type. Text that is not a number stays text, so that `wrongValue` rejects it. */
function valueOf(field: Field, entered: Entered | undefined): FieldValue | undefined {
  switch (field.type) {
    case "boolean":
      return typeof entered === "boolean" ? entered : undefined;
    case "choices":
      return Array.isArray(entered) && entered.length > 0 ? entered : undefined;
    case "number":
    case "integer":
      return typeof entered === "string" && entered.trim() !== "" ? numberOr(entered.trim()) : undefined;
    case "text":
    case "choice":
      return typeof entered === "string" && entered !== "" ? entered : undefined;
  }
}

/** Parses decimal numbers, also with a leading sign and leading zeros, but neither `0x10` nor `Infinity`. */
function numberOr(text: string): number | string {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

/** Expected format of the value, for the user; empty if every value is valid. */
export function hintOf(field: Field): string {
  switch (field.type) {
    case "text":
      return [
        FORMAT[field.format ?? ""],
        range(field.minLength, field.maxLength, CHARACTERS),
        field.pattern === undefined ? undefined : l10n.t`Pattern: ${visibleText(field.pattern)}`,
      ]
        .filter(isGiven)
        .join(" · ");
    case "integer":
      return [l10n.t("A whole number"), range(field.minimum, field.maximum, NUMBERS)].filter(isGiven).join(" · ");
    case "number":
      return [l10n.t("A number"), range(field.minimum, field.maximum, NUMBERS)].filter(isGiven).join(" · ");
    case "choices":
      return [range(field.minItems, field.maxItems, CHOICES)].filter(isGiven).join("");
    case "boolean":
    case "choice":
      return "";
  }
}

const FORMAT: Readonly<Record<string, string>> = {
  email: l10n.t("An e-mail address"),
  uri: l10n.t("A URL with its scheme, such as https://example.org"),
  date: l10n.t("A date, such as 2026-01-31"),
  "date-time": l10n.t("A date and a time, such as 2026-01-31T12:00:00Z"),
};

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== "";

interface RangeTexts {
  readonly exactly: (n: number) => string;
  readonly between: (min: number, max: number) => string;
  readonly minimum: (min: number) => string;
  readonly maximum: (max: number) => string;
}

const NUMBERS: RangeTexts = {
  exactly: n => l10n.t`Exactly ${n}`,
  between: (min, max) => l10n.t`${min} to ${max}`,
  minimum: min => l10n.t`At least ${min}`,
  maximum: max => l10n.t`At most ${max}`,
};
const CHARACTERS: RangeTexts = {
  exactly: n => l10n.t`Exactly ${n} characters`,
  between: (min, max) => l10n.t`${min} to ${max} characters`,
  minimum: min => l10n.t`At least ${min} characters`,
  maximum: max => l10n.t`At most ${max} characters`,
};
const CHOICES: RangeTexts = {
  exactly: n => l10n.t`Exactly ${n} of these`,
  between: (min, max) => l10n.t`${min} to ${max} of these`,
  minimum: min => l10n.t`At least ${min} of these`,
  maximum: max => l10n.t`At most ${max} of these`,
};

/** Undefined without a limit. A minimum of 0 limits only numbers. */
function range(min: number | undefined, max: number | undefined, texts: RangeTexts): string | undefined {
  if (min !== undefined && max !== undefined) return min === max ? texts.exactly(min) : texts.between(min, max);
  if (min !== undefined && (min > 0 || texts === NUMBERS)) return texts.minimum(min);
  return max === undefined ? undefined : texts.maximum(max);
}
