/** Readers for untrusted JSON: each value is checked at the boundary. */
export {
  arrayOr,
  isObject,
  isStrings,
  objectOr,
  parseJson,
  type Fields as JsonObject,
} from "../../src/protocol/wire/json";

export function stringOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === "string" ? value : otherwise;
}
export function numberOr<T>(value: unknown, otherwise: T): number | T {
  return typeof value === "number" ? value : otherwise;
}
/** Whether a value is a finite, non-negative number. */
export function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
/** Returns undefined for an empty string, too. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Formats a value for people: strings unchanged, other values as indented JSON. Truncates to `limit` characters with a
 * note.
 */
export function readable(value: unknown, limit: number): string {
  return cut(typeof value === "string" ? value : indented(value), limit);
}

export function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}\n… (${text.length - limit} more characters)`;
}

/** `JSON.parse` accepts deeper nesting than `JSON.stringify`. */
function indented(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2) ?? String(value);
  } catch {
    return "(nested too deep to be shown)";
  }
}
