/**
 * What tests and the smoke run wait for, as data attributes: the selected tab, its turn (idle when its end is drawn),
 * and a first snapshot.
 */
import type { TabId } from "../../src/protocol/webview";
import { turnOf, type Page } from "../state/page-model";

export interface PageMarks {
  readonly page: Page;
  isDrawn(tabId: TabId): boolean;
}

export function mark(dataset: Record<string, string | undefined>, { page, isDrawn }: PageMarks): void {
  // What is the same would be a change of the page all the same.
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
