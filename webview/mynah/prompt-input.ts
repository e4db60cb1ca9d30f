/**
 * Text of mynah's prompt inputs. mynah reports the text only on sending, but drafts must be saved during typing.
 *
 * Invariant: every change of an input (typing, pasting, dropping, mynah's history) is reported before the next task,
 * because the view can be disposed at any time. A MutationObserver is necessary, because mynah's `paste` fires no
 * `input` event.
 */
import { selectors } from "./selectors";

const FOCUS_TIMEOUT_MS = 5_000;

export class PromptInput {
  constructor(
    private readonly root: HTMLElement,
    private readonly typed: (mynahId: string, text: string) => void,
  ) {
    root.addEventListener("input", ({ target }) => {
      const input = target instanceof Element ? target.closest(selectors.prompt) : null;
      const mynahId = input?.closest("[mynah-tab-id]")?.getAttribute("mynah-tab-id");
      if (!(input instanceof HTMLElement) || !mynahId) return;
      normalizeLines(input);
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
   * Sets the text of the element, because mynah's store ignores a repeated value and converts line breaks to `<br>`.
   */
  fill(mynahId: string, text: string): void {
    const input = this.element(mynahId);
    if (!input || textOf(input) === text) return;
    input.textContent = text;
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    if (document.activeElement === input) window.getSelection()?.selectAllChildren(input);
    if (document.activeElement === input) window.getSelection()?.collapseToEnd();
  }

  /** Has no effect unless the page has the focus, so that the editor never loses it. */
  focus(mynahId: string): void {
    if (document.hasFocus()) this.element(mynahId)?.focus();
  }

  /**
   * Focuses the prompt now, or when the page gets the focus within `FOCUS_TIMEOUT_MS`, because the view may still be
   * opening.
   */
  focusOrDefer(mynahId: string): void {
    if (document.hasFocus()) return this.focus(mynahId);
    const until = performance.now() + FOCUS_TIMEOUT_MS;
    window.addEventListener(
      "focus",
      () => {
        if (performance.now() < until) this.element(mynahId)?.focus();
      },
      { once: true },
    );
  }

  element(mynahId: string): HTMLElement | null {
    return this.root.querySelector<HTMLElement>(`[mynah-tab-id="${mynahId}"] ${selectors.prompt}`);
  }
}

function textOf(input: Element): string {
  return input.textContent ?? "";
}

/**
 * Converts line elements to line breaks. Dictated, dropped or inserted text has one element per further line, and mynah
 * would join the lines.
 */
function normalizeLines(input: HTMLElement): void {
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
