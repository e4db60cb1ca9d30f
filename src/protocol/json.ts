/** A JSON object, also as the settings and a page's messages have them: neither `null` nor a list. */
export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
