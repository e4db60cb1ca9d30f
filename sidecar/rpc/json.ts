/** Reading JSON that somebody else wrote: every boundary looks before it takes. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectOr(value: unknown): JsonObject { return isObject(value) ? value : {}; }
export function arrayOr(value: unknown): readonly unknown[] { return Array.isArray(value) ? value : []; }
export function stringOr<T>(value: unknown, otherwise: T): string | T { return typeof value === "string" ? value : otherwise; }
export function numberOr<T>(value: unknown, otherwise: T): number | T { return typeof value === "number" ? value : otherwise; }

/** For a person to read: strings as they are, all else indented; cut after `limit` characters, and says so. */
export function readable(value: unknown, limit: number): string {
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2) ?? String(value);
  return text.length <= limit ? text : `${text.slice(0, limit)}\n… (${text.length - limit} more characters)`;
}
