/** Find bar of a tab and the entry that it shows; `find.ts` is the state machine. */
import type { Entry, FoundEvent } from "../../src/protocol/chat/chat";

/** `origin`: id of the entry at which a new query starts. */
export type Find =
  | { readonly kind: "closed"; readonly query: string }
  | { readonly kind: "open"; readonly query: ""; readonly origin: string | undefined }
  | ({ readonly kind: "searching"; readonly origin: string | undefined } & Searched)
  /** `at`: index of the shown match; -1 without matches. */
  | ({ readonly kind: "found"; readonly origin: string | undefined; readonly at: number } & Searched & Answer);

export interface Searched {
  readonly query: string;
  /** The last request: its number, its time, and the entries that it concerned. */
  readonly request: { readonly number: number; readonly at: number; readonly entries: readonly Entry[] };
}

type Answer = Omit<FoundEvent, "type">;

/** The entry to show: a match, or the result of a search in all sessions. */
export type Reveal =
  | { readonly kind: "none" }
  /** Until the tab has a session. */
  | { readonly kind: "waiting"; readonly entryId: string }
  /** `omitted`: number of entries before the window at the last request, and its time. */
  | { readonly kind: "loading"; readonly entryId: string; readonly omitted: number; readonly at: number }
  /** A new object scrolls to the entry again. */
  | { readonly kind: "shown"; readonly entryId: string };

export type FindAction =
  /** `origin`: id of the first visible entry. `selection`: the selected text of the conversation. */
  | { readonly kind: "findOpened"; readonly tabId: string; readonly origin?: string; readonly selection?: string }
  | { readonly kind: "queryTyped"; readonly tabId: string; readonly query: string }
  | { readonly kind: "findStepped"; readonly tabId: string; readonly by: 1 | -1 }
  | { readonly kind: "findClosed"; readonly tabId: string };

export const CLOSED: Find = { kind: "closed", query: "" };
export const NO_REVEAL: Reveal = { kind: "none" };
