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
/** A finite number from 0 on. */
export function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
/** `undefined` also for an empty string. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Human-readable text: strings unchanged, other values indented, truncated after `limit` characters with a note. */
export function readable(value: unknown, limit: number): string {
  return cut(typeof value === "string" ? value : indented(value), limit);
}

export function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}\n… (${text.length - limit} more characters)`;
}

/** A parsed value may be nested too deep to serialise: the parser has no depth limit, the serialiser has one. */
function indented(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2) ?? String(value);
  } catch {
    return "(nested too deep to be shown)";
  }
}
