/** Keys of find in the whole chat: Ctrl+F or Cmd+F opens it, F3 and Shift+F3 move between matches. */
export interface FindKeysListener {
  open(): void;
  step(by: 1 | -1): void;
}

export function listenForFind(root: HTMLElement, listener: FindKeysListener): void {
  // The capture phase is necessary because the prompt handles keys. VS Code prevents the browser's own find.
  root.addEventListener(
    "keydown",
    event => {
      if (event.isComposing || event.altKey) return;
      if (isFindKey(event)) listener.open();
      else if (event.key === "F3" && !event.ctrlKey && !event.metaKey) listener.step(event.shiftKey ? -1 : 1);
      else return;
      event.preventDefault();
    },
    { capture: true },
  );
}

/** Cmd+F on macOS, Ctrl+F elsewhere. */
export function isFindKey({ key, isComposing, altKey, shiftKey, metaKey, ctrlKey }: KeyboardEvent): boolean {
  if (isComposing || altKey || shiftKey || key.toLowerCase() !== "f") return false;
  return /mac/i.test(navigator.userAgent) ? metaKey && !ctrlKey : ctrlKey && !metaKey;
}
