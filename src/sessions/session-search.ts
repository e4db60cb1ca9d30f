/**
 * Searches stored sessions while the user types.
 *
 *     idle ─typed▶ delayed ─after a pause▶ searching ─found, failed▶ idle
 *                   ▲ typed │ typed ▲───────┘ typed
 *
 * Invariants:
 * - The results belong to the newest text; later responses to earlier texts are dropped.
 * - A text without a visible character is not searched.
 */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { Clock } from "../clock";
import type { SearchHit, SessionSummary } from "../protocol/sessions/sessions";
import { readableLine, readableText } from "../protocol/text/visible-text";
import { errorMessage } from "../protocol/wire/errors";
import { descriptionOf, titleOf, withoutIcons } from "./session-texts";

export const SEARCH_DELAY_MS = 200;
export const MAX_HITS = 100;

/** An item of a pick list. `detail`: the text around the hit. */
export interface SearchItem {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly session: SessionSummary;
  readonly entryId?: string;
}

export interface SearchResults {
  readonly items: readonly SearchItem[];
  readonly isSearching: boolean;
  /** Whether further hits exist. */
  readonly isCut: boolean;
  /** A sentence for the user, without items. */
  readonly problem?: string;
}

export interface SearchDeps {
  readonly clock: Clock;
  search(query: string): Promise<{ readonly items: readonly SearchItem[]; readonly isCut: boolean }>;
  show(results: SearchResults): void;
}

type SearchState =
  | { readonly kind: "idle" }
  | { readonly kind: "delayed"; readonly timer: { dispose(): void } }
  | { readonly kind: "searching" };

const NOTHING: SearchResults = { items: [], isSearching: false, isCut: false };

export class SessionSearch {
  #state: SearchState = { kind: "idle" };
  #results = NOTHING;

  constructor(private readonly deps: SearchDeps) {}

  /** The earlier results remain until those of the new text arrive. */
  typed(text: string): void {
    this.dispose();
    const query = text.trim();
    if (query === "") return this.#show(NOTHING);
    this.#state = {
      kind: "delayed",
      timer: this.deps.clock.after(SEARCH_DELAY_MS, () => void this.#search(query)),
    };
    const { items, isCut } = this.#results;
    this.#show({ items, isCut, isSearching: true });
  }

  dispose(): void {
    if (this.#state.kind === "delayed") this.#state.timer.dispose();
    this.#state = { kind: "idle" };
  }

  async #search(query: string): Promise<void> {
    const state: SearchState = { kind: "searching" };
    this.#state = state;
    const results = await this.deps
      .search(query)
      .then(
        (found): SearchResults => ({
          ...found,
          isSearching: false,
          ...(found.items.length === 0 ? { problem: l10n.t("No session contains this text.") } : {}),
        }),
      )
      .catch((error: unknown): SearchResults => ({ ...NOTHING, problem: errorMessage(error) }));
    if (this.#state !== state) return;
    this.#state = { kind: "idle" };
    this.#show(results);
  }

  #show(results: SearchResults): void {
    this.#results = results;
    this.deps.show(results);
  }
}

/** Omits hits in sessions that are not in the list, because they were created or deleted meanwhile. */
export function searchItems(
  hits: readonly SearchHit[],
  sessions: readonly SessionSummary[],
  now: number,
): readonly SearchItem[] {
  const byConversation = new Map(
    sessions.flatMap((session): [string, SessionSummary][] =>
      session.ref.kind === "stored" ? [[session.ref.conversation, session]] : [],
    ),
  );
  return hits.flatMap(({ conversation, entryId, excerpt }): readonly SearchItem[] => {
    const session = byConversation.get(conversation);
    return session === undefined
      ? []
      : [
          {
            label: withoutIcons(titleOf(session)),
            description: withoutIcons(`${descriptionOf(session, now)} · ${readableLine(path.basename(session.cwd))}`),
            detail: withoutIcons(readableText(excerpt)),
            session,
            ...(entryId === undefined ? {} : { entryId }),
          },
        ];
  });
}
