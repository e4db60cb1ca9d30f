/**
 * Searches the whole conversation, of which the page has only the newest entries.
 *
 * Invariants:
 * - A search runs in slices, so that a long conversation does not delay other messages.
 * - A new search replaces the previous one, which is not answered.
 */
import type { Conversation, FoundEvent } from "../../src/protocol/chat/chat";
import { queryPattern } from "../../src/protocol/text/query-pattern";
import { entryText, terminalsById } from "../journal/session-text";
import type { Clock } from "../rpc/clock";

const SLICE_MS = 10;
/** Maximum number and total characters of the listed ids, because agents choose ids. */
export const MAX_FOUND = 1_000;
const MAX_CHARACTERS = 200_000;

export interface Search {
  readonly requestNumber: number;
  readonly query: string;
}

export class ConversationSearch implements Disposable {
  #next: Disposable | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly found: (event: FoundEvent) => void,
  ) {}

  /** Searches from the newest entry backwards, in the conversation as it is now. */
  start({ requestNumber, query }: Search, { entries, terminals = [] }: Conversation): void {
    this[Symbol.dispose]();
    const pattern = queryPattern(query),
      byId = terminalsById(terminals),
      entryIds: string[] = [];
    let at = entries.length,
      characters = 0;
    const answer = (isCut: boolean): void =>
      this.found({ type: "found", requestNumber, entryIds: entryIds.reverse(), isCut });
    const slice = (): void => {
      for (const until = this.clock.now() + SLICE_MS; at > 0; ) {
        const entry = entries[--at];
        if (entry !== undefined && entryText(entry, byId).search(pattern) !== -1) {
          characters += entry.id.length;
          if (entryIds.length === MAX_FOUND || characters > MAX_CHARACTERS) return answer(true);
          entryIds.push(entry.id);
        }
        if (at > 0 && this.clock.now() >= until) {
          this.#next = this.clock.after(0, slice);
          return;
        }
      }
      answer(false);
    };
    slice();
  }

  [Symbol.dispose](): void {
    this.#next?.[Symbol.dispose]();
    this.#next = undefined;
  }
}
