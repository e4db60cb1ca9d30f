/**
 * The focus does not get lost with what had it: who works by keyboard would have to begin at the top of the page.
 *
 * A browser takes it from what is removed at once, and from what is disabled before its next frame. mynah disables the
 * buttons of a card as one of them is pressed; when the page is busy, the frame comes before the card is drawn anew.
 */
export class KeptFocus {
  /** `toPrompt` puts the focus into the prompt of the tab that is shown. */
  constructor(
    root: HTMLElement,
    private readonly toPrompt: () => void,
  ) {
    root.addEventListener("focusout", ({ target, relatedTarget }) => {
      // Not before the browser has done what it tells of.
      if (relatedTarget === null && target instanceof HTMLButtonElement && target.disabled)
        setTimeout(() => {
          if (isNowhere(document.activeElement)) toPrompt();
        });
    });
  }

  /**
   * Around a drawing. A form that was moved has lost the focus, and gets it back; a button that was pressed may be
   * gone, a form closed: the prompt has it then.
   */
  around(draw: () => void): void {
    const focused = document.activeElement;
    draw();
    if (!(focused instanceof HTMLElement) || isNowhere(focused)) return;
    if (!focused.isConnected || focused.closest("[inert]")) this.toPrompt();
    else if (focused !== document.activeElement) focused.focus();
  }
}

const isNowhere = (element: Element | null): boolean => element === null || element === document.body;
