/**
 * What the user said in which tab, and what of it must be on the screen. Invariant: nothing is asked twice, and nothing
 * is lost that the user did not take back.
 */
import { deepEqual } from "node:assert/strict";

export class Said {
  /** Each prompt's tab, in the order of saying. */
  readonly #tabs = new Map<string, string>();
  readonly #closed = new Set<string>();
  /** Taken out of the queue: those that had gone out by then are there, the others are not. */
  readonly #dropped = new Set<string>();
  /** Tabs in which a turn was stopped: what waits then may be overtaken. */
  readonly #stopped = new Set<string>();

  /**
   * Prompts that may be a draft again without an act of the user: they waited in a queue, or were refused with a
   * reason.
   */
  readonly #returnable = new Set<string>();

  /** What came back to the input is sent with the next prompt: it is said now, and not where it was said before. */
  prompt(tabId: string, marks: readonly string[]): void {
    for (const mark of marks) {
      this.#tabs.delete(mark);
      this.#tabs.set(mark, tabId);
    }
  }

  returnable(marks: readonly string[]): void {
    for (const mark of marks) this.#returnable.add(mark);
  }

  /** When everything has come to rest: a prompt that was entered was sent, unless the user was told that it was not. */
  checkDraft(tabId: string, draft: readonly string[]): void {
    const swallowed = draft.filter(mark => !this.#returnable.has(mark));
    deepEqual(swallowed, [], `prompts of ${tabId} that were entered and not sent`);
  }

  drop(marks: readonly string[]): void {
    for (const mark of marks) this.#dropped.add(mark);
  }
  stop(tabId: string): void {
    this.#stopped.add(tabId);
  }
  /** In every tab. */
  stopAll(): void {
    for (const tabId of this.#tabs.values()) this.#stopped.add(tabId);
  }
  close(tabId: string): void {
    this.#closed.add(tabId);
  }

  /** The tab of these prompts that were sent as one. */
  tabOf(marks: readonly string[]): string | undefined {
    return marks.map(mark => this.#tabs.get(mark)).findLast(tabId => tabId !== undefined);
  }

  /** At any time: in the order in which the user said them, each once. */
  isInOrder(tabId: string, prompts: readonly string[]): boolean {
    if (this.#stopped.has(tabId)) return new Set(prompts).size === prompts.length;
    const said = [...this.#tabs.keys()];
    return prompts.every((mark, i) => i === 0 || said.indexOf(mark) > said.indexOf(prompts[i - 1] ?? ""));
  }

  /** In the end. */
  check(tabId: string, prompts: readonly string[]): void {
    // A tab that was closed is there again when the view was hidden before the host had heard of it.
    if (this.#closed.has(tabId)) return;
    const said = [...this.#tabs]
      .filter(([mark, owner]) => owner === tabId && (!this.#dropped.has(mark) || prompts.includes(mark)))
      .map(([mark]) => mark);
    const inOrder = (marks: readonly string[]) => (this.#stopped.has(tabId) ? marks.toSorted() : marks);
    deepEqual(inOrder(prompts), inOrder(said), "prompts on the screen");
  }
}
