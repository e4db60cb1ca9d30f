/** The search box and its result. Pure. */
import type { SettingsView } from "../../src/protocol/settings/settings-view";
import { piece, textPiece, type Piece } from "./element-tree";
import { button } from "./render-parts";
import { hasSearch, MAX_QUERY, rowCount, searchWords } from "./search";
import { SEARCH_ID } from "./settings-actions";
import { matchesText, texts } from "./settings-texts";

/** `found`: the matching rows of the view. Undefined if the page has too few rows. */
export function searchBox(view: SettingsView, found: SettingsView, query: string): Piece | undefined {
  if (!hasSearch(view)) return undefined;
  const isSearching = searchWords(view, query).length > 0;
  return piece(
    "div",
    "search",
    { key: "search", attributes: { role: "search" } },
    {
      tag: "input",
      key: "query",
      value: query,
      action: { kind: "search" },
      attributes: {
        type: "search",
        id: SEARCH_ID,
        placeholder: texts.search,
        "aria-label": texts.search,
        autocomplete: "off",
        spellcheck: "false",
        maxlength: String(MAX_QUERY),
      },
    },
    piece(
      "div",
      "search-result",
      { key: "result" },
      // Always present, because screen readers announce only the changes of an existing element.
      textPiece("p", "", isSearching ? matchesText(rowCount(found), query) : "", {
        key: "count",
        attributes: { role: "status" },
      }),
      isSearching
        ? button({ key: "clear", label: texts.clearSearch, action: { kind: "clearSearch" }, weight: "link" })
        : undefined,
    ),
  );
}
