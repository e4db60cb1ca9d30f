/**
 * Stores a session's events before they are displayed. An on-disk journal is planned behind this interface. Until then
 * the session's memory is the journal: if the process dies, events that no page shows are lost.
 */
import type { ChatEvent } from "../../src/protocol/chat";

export interface Journal {
  /** Returns when the event is stored, so that later steps may display it. */
  append(numbered: { readonly seq: number; readonly event: ChatEvent }): void;
}

/** Stores nothing: the conversation in memory already contains the effect of each event. */
export const memoryJournal: Journal = { append: () => undefined };
