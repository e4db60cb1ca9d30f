/** Texts of the settings page. Texts about an agent or an extension come from the host. */
import type { UpdateMode } from "../../src/protocol/settings-view";
import type { Said } from "./reorder";

export const texts = {
  heading: "Symposium Settings",
  notes: "Notes",
  loading: "Reading the settings…",
  agents: "Agents",
  agentsAbout: "New tabs use the selected agent.",
  selected: "selected",
  bypass: "Allow everything without asking",
  bypassIsOn: "The agent reads and changes files and runs commands without asking you.",
  more: "More",
  detail: "Details",
  addAgent: "Add Agent…",
  fromRegistry: "From the Registry…",
  checkUpdates: "Check for Updates",
  extensions: "Extensions",
  extensionsAbout: "In order from the editor to the agent. Changes apply to new tabs.",
  noExtensions:
    "Extensions run between the editor and the agent and add knowledge, tools and rules. No extensions are installed.",
  addExtension: "Add Extension…",
  grip: "Move",
  gripTooltip: "Drag to move. Keyboard: Space grabs and drops, arrow keys move, Escape cancels.",
  up: "Up",
  down: "Down",
  sending: "Sending",
  modifier: "Send with a modifier key",
  modifierAbout: "Enter inserts a new line. Shift+Enter, Ctrl+Enter or Cmd+Enter sends the prompt.",
  updates: "Updates",
  updatesAbout: "Updates of agents and extensions installed from the registry.",
  modes: {
    auto: ["Automatic", "Installs updates without asking."],
    notify: ["Notify", "Checks at most once a day and notifies you of updates."],
    off: ["Off", "Checks only when you select Check for Updates."],
  } satisfies Readonly<Record<UpdateMode, readonly [string, string]>>,
  links: "See Also",
  allSettings: "All Settings",
  openAsPage: "Open as Page",
  walkthrough: "Walkthrough",
  logs: "Show Logs",
  restricted: "Not available in Restricted Mode",
} as const;

/** Announcement for a row that is being moved. */
export function moveSaid(name: string, { what, place, of }: Said): string {
  const where = `${place} of ${of}`;
  switch (what) {
    case "grabbed":
      return `${name} grabbed, ${where}. Arrow keys move, Space drops, Escape cancels.`;
    case "moved":
      return `${name}, ${where}.`;
    case "atEnd":
      return `${name} stays ${place === 1 ? "first" : "last"}.`;
    case "dropped":
      return `${name} dropped, ${where}.`;
    case "putBack":
      return `${name} not moved, ${where}.`;
  }
}
