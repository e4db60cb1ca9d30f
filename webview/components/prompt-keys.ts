/** What Enter means in a prompt. Pure. */

type Key = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey" | "isComposing">;

/** `undefined`: it is not about sending, or it ends what an input method composes. */
export function meaningOfKey(
  { key, shiftKey, ctrlKey, metaKey, altKey, isComposing }: Key,
  requireModifier: boolean,
): "send" | "line" | undefined {
  if (key !== "Enter" || isComposing) return undefined;
  if (altKey) return "line";
  if (requireModifier) return shiftKey || ctrlKey || metaKey ? "send" : "line";
  return shiftKey ? "line" : "send";
}
