/**
 * Delays the sending of a tab's prompt until its pasted images are decoded.
 *
 * Invariant: actions queued by `after` run in order, even if decoding fails.
 */
import type { TabId } from "../../src/protocol/page/host-to-page";

export class PendingImages {
  readonly #last = new Map<TabId, Promise<void>>();

  add(tabId: TabId, intake: Promise<void>): void {
    this.#chain(
      tabId,
      intake.catch(() => undefined),
    );
  }

  /** Runs `action` after the tab's pending images; immediately if none are pending. */
  after(tabId: TabId, action: () => void): void {
    const last = this.#last.get(tabId);
    if (last === undefined) action();
    else this.#chain(tabId, last.then(action));
  }

  #chain(tabId: TabId, next: Promise<void>): void {
    const before = this.#last.get(tabId);
    const all = before === undefined ? next : Promise.all([before, next]).then(() => undefined);
    this.#last.set(tabId, all);
    void all.finally(() => {
      if (this.#last.get(tabId) === all) this.#last.delete(tabId);
    });
  }
}
