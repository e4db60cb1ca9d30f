/**
 * Keeps the focus when the focused element disappears. Otherwise keyboard users would have to start at the top of the
 * page.
 *
 * The browser blurs a removed element immediately and a disabled one before its next frame. mynah disables all buttons
 * of a card when one is pressed. On a busy page the blur precedes the redrawing of the card.
 */
export class FocusKeeper {
  /** `toPrompt` focuses the prompt of the visible tab. */
  constructor(
    root: HTMLElement,
    private readonly toPrompt: () => void,
  ) {
    root.addEventListener("focusout", ({ target, relatedTarget }) => {
      // Deferred until the browser has moved the focus.
      if (relatedTarget === null && target instanceof HTMLButtonElement && target.disabled)
        setTimeout(() => {
          if (isUnfocused(document.activeElement)) toPrompt();
        });
    });
  }

  /**
   * Calls `draw` and then restores the focus of a moved form. If the focused element was removed, hidden or made inert,
   * the prompt gets the focus.
   */
  around(draw: () => void): void {
    const focused = document.activeElement;
    draw();
    if (!(focused instanceof HTMLElement) || isUnfocused(focused)) return;
    if (!focused.isConnected || focused.closest("[inert], [hidden]")) this.toPrompt();
    else if (focused !== document.activeElement) focused.focus();
  }
}

const isUnfocused = (element: Element | null): boolean => element === null || element === document.body;
