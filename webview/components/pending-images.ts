/**
 * Pending additions to a tab's draft: an image that is still being decoded belongs to the prompt that is sent right
 * after it was pasted.
 *
 * Invariant: actions queued by `after` run in order, even if decoding fails.
 */
import type { TabId } from "../../src/protocol/page/host-to-page";

export class Intakes {
  readonly #last = new Map<TabId, Promise<void>>();

  add(tabId: TabId, intake: Promise<void>): void {
    this.#chain(
      tabId,
      intake.catch(() => undefined),
    );
  }

  /** Runs `act` immediately if nothing is pending. */
  after(tabId: TabId, act: () => void): void {
    const last = this.#last.get(tabId);
    if (last === undefined) act();
    else this.#chain(tabId, last.then(act));
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
