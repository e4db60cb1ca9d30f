/**
 * The text of mynah's prompt inputs: mynah tells nobody of it until it is sent, and it must outlive the page.
 *
 * Invariant: whatever changes an input (keys, pasting, dropping, mynah's own history) is reported before the next task:
 * a view can be gone a moment later. A MutationObserver sees all of them; mynah's `paste` fires no `input` event.
 */
const INPUT = ".mynah-chat-prompt-input";
const SOON_MS = 5_000;

export class PromptInput {
  constructor(
    private readonly root: HTMLElement,
    private readonly typed: (mynahId: string, text: string) => void,
  ) {
    root.addEventListener("input", ({ target }) => {
      const input = target instanceof Element ? target.closest(INPUT) : null;
      const mynahId = input?.closest("[mynah-tab-id]")?.getAttribute("mynah-tab-id");
      if (!(input instanceof HTMLElement) || !mynahId) return;
      keepLines(input);
      typed(mynahId, textOf(input));
    });
  }

  watch(mynahId: string): void {
    const input = this.element(mynahId);
    if (!input) return;
    new MutationObserver(() => this.typed(mynahId, textOf(input))).observe(input, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  }

  /**
   * Through the element, because mynah's store keeps what it was last told and drops a repeat, and makes `<br>` of
   * lines.
   */
  fill(mynahId: string, text: string): void {
    const input = this.element(mynahId);
    if (!input || textOf(input) === text) return;
    input.textContent = text;
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    if (document.activeElement === input) window.getSelection()?.selectAllChildren(input);
    if (document.activeElement === input) window.getSelection()?.collapseToEnd();
  }

  /** Only in a page that has the focus: it is never taken from the editor. */
  focus(mynahId: string): void {
    if (document.hasFocus()) this.element(mynahId)?.focus();
  }

  /** The view was asked to show itself, and may have the focus in a moment: not in one that is far off. */
  focusWhenThere(mynahId: string): void {
    if (document.hasFocus()) return this.focus(mynahId);
    const until = performance.now() + SOON_MS;
    window.addEventListener(
      "focus",
      () => {
        if (performance.now() < until) this.element(mynahId)?.focus();
      },
      { once: true },
    );
  }

  element(mynahId: string): HTMLElement | null {
    return this.root.querySelector<HTMLElement>(`[mynah-tab-id="${mynahId}"] ${INPUT}`);
  }
}

function textOf(input: Element): string {
  return input.textContent ?? "";
}

/**
 * What is dictated, dropped or put in by a program comes with an element for each further line, and whoever reads the
 * input's text, mynah too, would find the lines joined.
 */
function keepLines(input: HTMLElement): void {
  if (!input.querySelector(":scope > div")) return;
  const selection = window.getSelection();
  const text = linesOf(input);
  const before = document.createRange();
  before.selectNodeContents(input);
  if (selection?.focusNode && input.contains(selection.focusNode))
    before.setEnd(selection.focusNode, selection.focusOffset);
  const caret = linesOf(before.cloneContents()).length;
  input.textContent = text;
  if (document.activeElement === input && input.firstChild)
    selection?.collapse(input.firstChild, Math.min(caret, text.length));
}

function linesOf(input: Node): string {
  return [...input.childNodes]
    .map((node, i) => (i > 0 && node instanceof HTMLDivElement ? "\n" : "") + (node.textContent ?? ""))
    .join("");
}
