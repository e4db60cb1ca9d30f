/** Tabs of VS Code's editors, by their labels. An editor of several changes has no other identity in the stable API. */
import * as vscode from "vscode";
import type { EditorTabs } from "./change-tabs";

export const editorTabs: EditorTabs = {
  labels: () => allTabs().map(({ label }) => label),
  active: () => vscode.window.tabGroups.activeTabGroup.activeTab?.label,
  onChange: listener => {
    const { tabGroups } = vscode.window;
    // VS Code reports the last tab of a group only as a change of the groups.
    return vscode.Disposable.from(tabGroups.onDidChangeTabs(listener), tabGroups.onDidChangeTabGroups(listener));
  },
  close: async isClosed => {
    const tabs = allTabs().filter(({ label }) => isClosed(label));
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
  },
};

function allTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
}
