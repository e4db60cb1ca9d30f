/** Meaning of Enter in a prompt. Pure. */

type Key = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey" | "isComposing">;

/** `undefined`: the key does not concern sending, or it ends an input method composition. */
export function meaningOfKey(
  { key, shiftKey, ctrlKey, metaKey, altKey, isComposing }: Key,
  requireModifier: boolean,
): "send" | "line" | undefined {
  if (key !== "Enter" || isComposing) return undefined;
  if (altKey) return "line";
  if (requireModifier) return shiftKey || ctrlKey || metaKey ? "send" : "line";
  return shiftKey ? "line" : "send";
}
