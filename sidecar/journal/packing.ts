/**
 * Long texts of a JSON value by their hash, so that a journal contains each of them once (issue 16 item 2): an image of
 * a prompt that was queued before, or both sides of a change that is asked about and then shown. Pure.
 */
import { createHash } from "node:crypto";
import { isObject } from "../../src/protocol/wire/json";

/** UTF-16 units from which a text is stored by its hash. */
export const MIN_LENGTH = 4_096;
/** The only member of a reference to a text. The same member of other objects gets one more `$`. */
const REFERENCE = "$text";
const LIKE_REFERENCE = /^\$+text$/;

/** `store` is called for each long text with its hash. */
export function packed(value: unknown, store: (hash: string, text: string) => void): unknown {
  if (typeof value === "string") {
    if (value.length < MIN_LENGTH) return value;
    const hash = createHash("sha256").update(value).digest("base64url").slice(0, 27);
    store(hash, value);
    return { [REFERENCE]: hash };
  }
  if (Array.isArray(value)) return value.map(item => packed(item, store));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [LIKE_REFERENCE.test(key) ? `$${key}` : key, packed(item, store)]),
  );
}

/** `textOf` returns the text with this hash. A text that is not stored becomes empty. */
export function unpacked(value: unknown, textOf: (hash: string) => string | undefined): unknown {
  if (Array.isArray(value)) return value.map(item => unpacked(item, textOf));
  if (!isObject(value)) return value;
  const hash = Object.hasOwn(value, REFERENCE) ? value[REFERENCE] : undefined;
  if (typeof hash === "string") return textOf(hash) ?? "";
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [LIKE_REFERENCE.test(key) ? key.slice(1) : key, unpacked(item, textOf)]),
  );
}
