/** Keys of find in the whole chat: Ctrl+F or Cmd+F opens it, F3 and Shift+F3 move between matches. */
export interface FindKeysListener {
  open(): void;
  step(by: 1 | -1): void;
}

export function listenForFind(root: HTMLElement, listener: FindKeysListener): void {
  const isMac = /mac/i.test(navigator.userAgent);
  // The capture phase is necessary because the prompt handles keys. VS Code prevents the browser's own find.
  root.addEventListener(
    "keydown",
    event => {
      if (event.isComposing || event.altKey) return;
      const isFind =
        event.key.toLowerCase() === "f" &&
        !event.shiftKey &&
        (isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey);
      if (isFind) listener.open();
      else if (event.key === "F3" && !event.ctrlKey && !event.metaKey) listener.step(event.shiftKey ? -1 : 1);
      else return;
      event.preventDefault();
    },
    { capture: true },
  );
}
