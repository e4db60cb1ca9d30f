/**
 * Sets data attributes that tests and the smoke run wait for: the selected tab, its turn state, and the first snapshot.
 * A turn is marked idle only after its end is drawn.
 */
import type { TabId } from "../../src/protocol/page/host-to-page";
import { turnOf, type Page } from "../state/page-model";

export interface PageMarks {
  readonly page: Page;
  isDrawn(tabId: TabId): boolean;
}

export function mark(dataset: Record<string, string | undefined>, { page, isDrawn }: PageMarks): void {
  // Writing an equal value would also notify mutation observers.
  const set = (name: string, value: string): void => {
    if (dataset[name] !== value) dataset[name] = value;
  };
  const tab = page.selected === undefined ? undefined : page.tabs.get(page.selected);
  set("tab", tab?.tabId ?? "");
  const turn = tab ? turnOf(tab) : "idle",
    drawn = tab === undefined || isDrawn(tab.tabId);
  if (drawn || turn !== "idle") set("turn", turn);
  if (drawn && tab?.phase === "live") set("ready", "true");
}
