/** Interprets Enter in a prompt. Pure. */

type Key = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey" | "isComposing">;

/** Returns `undefined` for other keys, and for an Enter that ends an input method composition. */
export function meaningOfKey(
  { key, shiftKey, ctrlKey, metaKey, altKey, isComposing }: Key,
  requireModifier: boolean,
): "send" | "line" | undefined {
  if (key !== "Enter" || isComposing) return undefined;
  if (altKey) return "line";
  if (requireModifier) return shiftKey || ctrlKey || metaKey ? "send" : "line";
  return shiftKey ? "line" : "send";
}
