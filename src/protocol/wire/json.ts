/** Readers for untrusted JSON, such as messages and settings: each value is checked at the boundary. Pure. */
/** A JSON object: neither `null` nor an array. */
export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
export function objectOr(value: unknown): Fields {
  return isObject(value) ? value : {};
}
export function arrayOr(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
export function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(item => typeof item === "string");
}
/** A string that is neither empty nor white space only. */
export function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
/** `undefined` if `text` is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
