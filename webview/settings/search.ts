/** Search in the rows of the page. Pure. */
import { queryPattern } from "../../src/protocol/text/query-pattern";
import type { RecommendationRow, SettingsView } from "../../src/protocol/settings/settings-view";

/** Minimum number of rows of a page with a search box. */
export const MIN_SEARCHED_ROWS = 8;
export const MAX_QUERY = 200;

/** Number of agents, extensions and recommendations. */
export const rowCount = ({ agents, extensions, recommendations }: SettingsView): number =>
  agents.length + extensions.length + (recommendations?.rows.length ?? 0);

export const hasSearch = (view: SettingsView): boolean => rowCount(view) >= MIN_SEARCHED_ROWS;

/** Words of the query; none if the page has no search box. */
export const searchWords = (view: SettingsView, query: string): readonly string[] =>
  hasSearch(view) ? query.split(/\s+/).filter(word => word !== "") : [];

/** The view with the rows that contain all words. */
export function searched(view: SettingsView, words: readonly string[]): SettingsView {
  if (words.length === 0) return view;
  const { agents, extensions, recommendations } = view,
    patterns = words.map(word => queryPattern(word));
  const isMatch = ({ id, name, description = "", origin }: SearchedRow): boolean => {
    const text = [id, name, description, origin].join("\n").normalize();
    return patterns.every(pattern => text.search(pattern) !== -1);
  };
  return {
    ...view,
    agents: agents.filter(isMatch),
    extensions: extensions.filter(isMatch),
    ...(recommendations && { recommendations: { ...recommendations, rows: recommendations.rows.filter(isMatch) } }),
  };
}

type SearchedRow = Pick<RecommendationRow, "id" | "name" | "description" | "origin">;
