/**
 * A question of the agent other than a permission request: a form to fill in, or a page to visit (ACP schema v1,
 * `CreateElicitationRequest`). The values are sent only to the agent and are not part of the conversation.
 */
import * as l10n from "@vscode/l10n";
import type { Field, FieldValue } from "./question-schema";

export type {
  Elicitation,
  ElicitationAnswered,
  ElicitationChoice,
  Field,
  FieldOption,
  FieldValue,
  FormQuestion as FormAsk,
  UrlQuestion as UrlAsk,
} from "./question-schema";

/**
 * Validates a value for a field. Returns an error sentence, or `undefined` if it is valid. `undefined` as value:
 * absent.
 */
export function wrongValue(field: Field, value: FieldValue | undefined): string | undefined {
  if (value === undefined || value === "") return field.required ? l10n.t`${field.title} is required.` : undefined;
  switch (field.type) {
    case "text":
      return typeof value === "string" ? wrongText(field, value) : l10n.t`${field.title} must be text.`;
    case "number":
    case "integer":
      return typeof value === "number" && Number.isFinite(value)
        ? wrongNumber(field, value)
        : l10n.t`${field.title} must be a number.`;
    case "boolean":
      return typeof value === "boolean" ? undefined : l10n.t`${field.title} must be yes or no.`;
    case "choice":
      return field.options.some(option => option.value === value)
        ? undefined
        : l10n.t`${field.title}: choose one of the options.`;
    case "choices":
      return Array.isArray(value) ? wrongChoices(field, value) : l10n.t`${field.title}: choose from the options.`;
  }
}

type FieldOf<T extends Field["type"]> = Extract<Field, { readonly type: T }>;

/** The pattern is shown to the user but checked only by the agent: a malicious pattern could take exponential time. */
function wrongText({ title, minLength, maxLength, format }: FieldOf<"text">, value: string): string | undefined {
  const { length } = [...value];
  if (minLength !== undefined && length < minLength)
    return l10n.t`${title} must have at least ${minLength} characters.`;
  if (maxLength !== undefined && length > maxLength) return l10n.t`${title} can have at most ${maxLength} characters.`;
  return format === undefined ? undefined : wrongFormat(title, format, value);
}

function wrongFormat(title: string, format: string, value: string): string | undefined {
  switch (format) {
    case "email":
      return /^[^\s@]+@[^\s@]+$/u.test(value) ? undefined : l10n.t`${title} must be an e-mail address.`;
    case "uri":
      return /^[a-z][a-z0-9+.-]*:\S+$/iu.test(value)
        ? undefined
        : l10n.t`${title} must be a URL with its scheme, such as https://example.org.`;
    case "date":
      return isDate(value) ? undefined : l10n.t`${title} must be a date, such as 2026-01-31.`;
    case "date-time":
      return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/u.test(value) && !Number.isNaN(Date.parse(value))
        ? undefined
        : l10n.t`${title} must be a date and a time, such as 2026-01-31T12:00:00Z.`;
    default:
      return undefined;
  }
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(value)) return false;
  const time = Date.parse(value);
  // an invalid day of the month becomes another date
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function wrongNumber(
  { title, type, minimum, maximum }: FieldOf<"number" | "integer">,
  value: number,
): string | undefined {
  if (type === "integer" && !Number.isInteger(value)) return l10n.t`${title} must be a whole number.`;
  if (minimum !== undefined && value < minimum) return l10n.t`${title} must be at least ${minimum}.`;
  return maximum !== undefined && value > maximum ? l10n.t`${title} must be at most ${maximum}.` : undefined;
}

function wrongChoices(
  { title, options, minItems, maxItems, required }: FieldOf<"choices">,
  values: readonly string[],
): string | undefined {
  if (values.some(value => !options.some(option => option.value === value)))
    return l10n.t`${title}: choose from the options.`;
  if (required && values.length === 0) return l10n.t`${title} is required.`;
  if (minItems !== undefined && values.length < minItems && (required || values.length > 0))
    return l10n.t`${title}: choose at least ${minItems}.`;
  return maxItems !== undefined && values.length > maxItems ? l10n.t`${title}: choose at most ${maxItems}.` : undefined;
}
