/**
 * The prompts that the user sent in each tab, and those that must be on the screen. Invariant: no prompt is sent twice,
 * and none is lost unless the user removed it.
 */
import { deepEqual } from "node:assert/strict";

export class PromptLog {
  /** Each prompt's tab, in the order of sending. */
  readonly #tabs = new Map<string, string>();
  readonly #closed = new Set<string>();
  /** Prompts removed from the queue. Prompts that were already sent remain on the screen. */
  readonly #dropped = new Set<string>();
  /** Tabs in which a turn was cancelled. Later prompts may overtake prompts that were queued then. */
  readonly #stopped = new Set<string>();

  /**
   * Prompts that may become a draft again without a user action, because they waited in a queue or were rejected with a
   * reason.
   */
  readonly #returnable = new Set<string>();

  /** Drafts that returned to the input are sent with the next prompt and take its position. */
  prompt(tabId: string, marks: readonly string[]): void {
    for (const mark of marks) {
      this.#tabs.delete(mark);
      this.#tabs.set(mark, tabId);
    }
  }

  returnable(marks: readonly string[]): void {
    for (const mark of marks) this.#returnable.add(mark);
  }

  /** Checked when all programs are idle: each entered prompt was sent, or the user was notified. */
  checkDraft(tabId: string, draft: readonly string[]): void {
    const unsent = draft.filter(mark => !this.#returnable.has(mark));
    deepEqual(unsent, [], `prompts of ${tabId} that were entered and not sent`);
  }

  drop(marks: readonly string[]): void {
    for (const mark of marks) this.#dropped.add(mark);
  }
  stop(tabId: string): void {
    this.#stopped.add(tabId);
  }
  /** Like `stop`, for every tab. */
  stopAll(): void {
    for (const tabId of this.#tabs.values()) this.#stopped.add(tabId);
  }
  close(tabId: string): void {
    this.#closed.add(tabId);
  }

  /** The tab of prompts that were sent as one message. */
  tabOf(marks: readonly string[]): string | undefined {
    return marks.map(mark => this.#tabs.get(mark)).findLast(tabId => tabId !== undefined);
  }

  /** Invariant at any time: prompts are in the order of the user's input, without duplicates. */
  isInOrder(tabId: string, prompts: readonly string[]): boolean {
    if (this.#stopped.has(tabId)) return new Set(prompts).size === prompts.length;
    const texts = [...this.#tabs.keys()];
    return prompts.every((mark, i) => i === 0 || texts.indexOf(mark) > texts.indexOf(prompts[i - 1] ?? ""));
  }

  /** Checks the prompts at the end of the test. */
  check(tabId: string, prompts: readonly string[]): void {
    // A closed tab is restored if the view was hidden before the host received the message.
    if (this.#closed.has(tabId)) return;
    const texts = [...this.#tabs]
      .filter(([mark, owner]) => owner === tabId && (!this.#dropped.has(mark) || prompts.includes(mark)))
      .map(([mark]) => mark);
    const inOrder = (marks: readonly string[]) => (this.#stopped.has(tabId) ? marks.toSorted() : marks);
    deepEqual(inOrder(prompts), inOrder(texts), "prompts on the screen");
  }
}
