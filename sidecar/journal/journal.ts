/**
 * Where a session's events are kept before anybody sees them. The journal on disk is to come behind this interface;
 * until then the session's memory is the journal, and the death of the process loses what no page shows.
 */
import type { ChatEvent } from "../../src/protocol/chat";

export interface Journal {
  /** Returns when the event is kept: what follows may show it. */
  append(numbered: { readonly seq: number; readonly event: ChatEvent }): void;
}

/** The conversation in memory holds what the events did; nothing else needs keeping. */
export const memoryJournal: Journal = { append: () => undefined };
