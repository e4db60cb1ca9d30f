/** Texts of the settings page. Texts about an agent or an extension come from the host. */
import type { UpdateMode } from "../../src/protocol/settings-view";
import type { Said } from "./reorder";

export const texts = {
  heading: "Symposium Settings",
  notes: "Notes",
  loading: "Reading the settings…",
  agents: "Agents",
  agentsAbout: "New tabs begin with the selected agent.",
  selected: "selected",
  bypass: "Allow everything without asking",
  bypassIsOn: "It reads, changes and runs what it wants, and you are not asked.",
  more: "More",
  detail: "Details",
  addAgent: "Add Agent…",
  fromRegistry: "From the Registry…",
  checkUpdates: "Check for Updates",
  extensions: "Extensions",
  extensionsAbout: "In order from the editor to the agent. Changes count for tabs opened from now on.",
  noExtensions:
    "Extensions stand between the editor and an agent, and add to what it can do: knowledge, tools, rules of your house. There are none yet.",
  addExtension: "Add Extension…",
  grip: "Move",
  gripTooltip: "Drag to move. By keyboard: Space takes it, arrow keys move it, Space drops it, Escape puts it back.",
  up: "Up",
  down: "Down",
  sending: "Sending",
  modifier: "Send with a modifier key",
  modifierAbout: "Enter begins a new line; Shift+Enter, Ctrl+Enter or Cmd+Enter sends.",
  updates: "Updates",
  updatesAbout: "Of agents and extensions that came from the registry.",
  modes: {
    auto: ["Automatic", "New versions are installed without asking."],
    notify: ["Notify", "Looks once a day at most, and says what is new."],
    off: ["Off", "Looks only when you check."],
  } satisfies Readonly<Record<UpdateMode, readonly [string, string]>>,
  links: "See Also",
  allSettings: "All Settings",
  openAsPage: "Open as Page",
  walkthrough: "Walkthrough",
  logs: "Show Logs",
  restricted: "Not in Restricted Mode",
} as const;

/** Announcement for a row that is being moved. */
export function moveSaid(name: string, { what, place, of }: Said): string {
  const where = `${place} of ${of}`;
  switch (what) {
    case "grabbed":
      return `${name} taken, ${where}. Arrow keys move it, Space drops it, Escape puts it back.`;
    case "moved":
      return `${name}, ${where}.`;
    case "atEnd":
      return `${name} stays ${place === 1 ? "first" : "last"}.`;
    case "dropped":
      return `${name} dropped, ${where}.`;
    case "putBack":
      return `${name} put back, ${where}.`;
  }
}
