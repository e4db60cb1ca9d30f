/** Find bar of a tab, and the matches in its cards. Pure. */
import * as l10n from "@vscode/l10n";
import { keyOf } from "../cards/card";
import { texts } from "../text/chat-texts";
import type { Find } from "../../state/find-model";
import type { Tab } from "../../state/page-model";

export interface FindView {
  readonly query: string;
  /** Position and number of the matches; `undefined` until they are known. */
  readonly count: string | undefined;
  readonly tone: "plain" | "error";
  readonly hasMatches: boolean;
}

/** Entries by the keys of their first cards. */
export interface ShownMatches {
  /** The highlighted text; empty for the result of a search in all sessions. */
  readonly query: string;
  /** The entry to show. */
  readonly current: string | undefined;
  readonly all: ReadonlySet<string>;
}

export function findView({ find }: Tab): FindView | undefined {
  switch (find.kind) {
    case "closed":
      return undefined;
    case "open":
      return { query: "", count: "", tone: "plain", hasMatches: false };
    case "searching":
      return { query: find.query, count: undefined, tone: "plain", hasMatches: false };
    case "found": {
      const hasMatches = find.entryIds.length > 0;
      return { query: find.query, count: countOf(find), tone: hasMatches ? "plain" : "error", hasMatches };
    }
  }
}

function countOf({ entryIds, at, isCut }: Extract<Find, { readonly kind: "found" }>): string {
  const total = `${entryIds.length}${isCut ? "+" : ""}`;
  return entryIds.length === 0 ? texts.noResults : l10n.t`${at + 1} of ${total}`;
}

export function shownMatches({ find, reveal }: Tab): ShownMatches {
  return {
    query: find.kind === "closed" ? "" : find.query,
    current: reveal.kind === "shown" ? keyOf(reveal.entryId) : undefined,
    all: keysOf(find.kind === "found" ? find.entryIds : NONE),
  };
}

const NONE: readonly string[] = [];
const known = new WeakMap<readonly string[], ReadonlySet<string>>();

/** The same set for the same list, because each frame needs it. */
function keysOf(entryIds: readonly string[]): ReadonlySet<string> {
  const before = known.get(entryIds);
  if (before !== undefined) return before;
  const keys = new Set(entryIds.map(keyOf));
  known.set(entryIds, keys);
  return keys;
}

/** Key of the first card of this card's entry. */
export function entryKeyOf(cardKey: string): string {
  return cardKey.replace(/#(?:\d+|interrupted)$/, "");
}
