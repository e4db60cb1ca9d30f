/** Texts of the settings page. Texts about an agent or an extension come from the host. */
import * as l10n from "@vscode/l10n";
import type { UpdateMode } from "../../src/protocol/settings/settings-view";
import { brief } from "./display-text";
import type { MoveAnnouncement } from "./reorder";

export const texts = {
  heading: l10n.t("Symposium Settings"),
  notes: l10n.t("Notes"),
  loading: l10n.t("Reading the settings…"),
  search: l10n.t("Search agents and extensions"),
  clearSearch: l10n.t("Clear Search"),
  agents: l10n.t("Agents"),
  agentsAbout: l10n.t("New tabs use the selected agent."),
  selectAgent: l10n.t("Use for new tabs"),
  bypass: l10n.t("Allow everything without asking"),
  bypassIsOn: l10n.t("The agent reads and changes files and runs commands without asking you."),
  more: l10n.t("More"),
  detail: l10n.t("Details"),
  addAgent: l10n.t("Add Agent…"),
  fromRegistry: l10n.t("From the Registry…"),
  checkUpdates: l10n.t("Check for Updates"),
  extensions: l10n.t("Extensions"),
  extensionsAbout: l10n.t("In order from the editor to the agent. Changes apply to new tabs."),
  noExtensions: l10n.t(
    "Extensions run between the editor and the agent and add knowledge, tools and rules. No extensions are installed.",
  ),
  addExtension: l10n.t("Add Extension…"),
  recommendations: l10n.t("Recommended Extensions"),
  recommendationsAbout: l10n.t(
    "For this workspace, by its dependencies and files. Nothing is installed before you add it. Add enables it in all workspaces.",
  ),
  grip: l10n.t("Move"),
  settings: l10n.t("Settings"),
  changed: l10n.t("Changed"),
  reset: l10n.t("Reset"),
  editInFile: l10n.t("Edit in settings.json"),
  up: l10n.t("Up"),
  down: l10n.t("Down"),
  sending: l10n.t("Sending"),
  modifier: l10n.t("Send with a modifier key"),
  modifierAbout: l10n.t("Enter inserts a new line. Shift+Enter, Ctrl+Enter or Cmd+Enter sends the prompt."),
  updates: l10n.t("Updates"),
  updatesAbout: l10n.t("Updates of the built-in agents, and of agents and extensions from the registry."),
  modes: {
    auto: [l10n.t("Automatic"), l10n.t("Installs updates without asking.")],
    notify: [l10n.t("Notify"), l10n.t("Checks at most once a day and notifies you of updates.")],
    off: [l10n.t("Off"), l10n.t("Checks only when you select Check for Updates.")],
  } satisfies Readonly<Record<UpdateMode, readonly [string, string]>>,
  draftTranslation: l10n.t("This translation is a draft. Please report mistakes."),
  links: l10n.t("See Also"),
  allSettings: l10n.t("All Settings"),
  openAsPage: l10n.t("Open as Page"),
  walkthrough: l10n.t("Walkthrough"),
  logs: l10n.t("Show Logs"),
  restricted: l10n.t("Not available in Restricted Mode"),
} as const;

export const gripText = (isSearching: boolean): string =>
  isSearching
    ? l10n.t("Clear the search to move extensions.")
    : l10n.t("Drag to move. Keyboard: Space grabs and drops, arrow keys move, Escape cancels.");
/** Result of a search. */
export function matchesText(count: number, query: string): string {
  if (count === 0) return l10n.t`No agent or extension matches “${brief(query.trim())}”.`;
  return count === 1 ? l10n.t("1 match") : l10n.t`${count} matches`;
}
export function showDismissed(count: number): string {
  return count === 1 ? l10n.t("Show 1 Dismissed Recommendation") : l10n.t`Show ${count} Dismissed Recommendations`;
}
export function hiddenRecommendations(count: number): string {
  return count === 1
    ? l10n.t("1 other extension is recommended. Add or dismiss an extension to see it.")
    : l10n.t`${count} other extensions are recommended. Add or dismiss extensions to see them.`;
}
/** Range of a number, below its field. */
export const rangeText = (min: number, max: number): string => l10n.t`From ${min} to ${max}.`;
export const perLine = l10n.t("One per line.");
/** Error below a field. */
export const correctionText = (expected: string): string => l10n.t`Enter ${expected}.`;
/** Settings without a control. */
export const othersText = (names: readonly string[]): string =>
  l10n.t`settings.json also sets ${names.map(name => `“${name}”`).join(", ")}.`;

/** Announcement for a row that is being moved. */
export function moveAnnouncementText(name: string, { what, place, of }: MoveAnnouncement): string {
  const where = l10n.t`${place} of ${of}`;
  switch (what) {
    case "grabbed":
      return l10n.t`${name} grabbed, ${where}. Arrow keys move, Space drops, Escape cancels.`;
    case "moved":
      return `${name}, ${where}.`;
    case "atEnd":
      return place === 1 ? l10n.t`${name} stays first.` : l10n.t`${name} stays last.`;
    case "dropped":
      return l10n.t`${name} dropped, ${where}.`;
    case "putBack":
      return l10n.t`${name} not moved, ${where}.`;
  }
}
