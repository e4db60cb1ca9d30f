/**
 * Settings page ↔ extension host, by `postMessage`. The host says all that there is to see, with each change; the page
 * draws it and says what was pressed, and knows no rule. The host validates everything that the page says.
 */
import type { Installable } from "./agent-service";

export type Tone = "neutral" | "good" | "warning" | "error";

/** What a button of a row does. */
export const ROW_ACTS = [
  "choose",
  "install",
  "cancel",
  "update",
  "reinstall",
  "uninstall",
  "remove",
  "examine",
  "copyReport",
  "dismiss",
  "signIn",
  "signOut",
  "edit",
  "logs",
  "page",
  "addEntry",
  "removeEntry",
] as const;
export type RowAct = (typeof ROW_ACTS)[number];

/** `about`: said to who does not see beside what it stands, where `label` alone would not do. */
export interface RowButton {
  readonly act: RowAct;
  readonly label: string;
  readonly about?: string;
  readonly isMain?: true;
}

/** A word or two: “installed 1.2.3”, “signed in”, “2 running”. */
export interface Mark {
  readonly tone: Tone;
  readonly text: string;
}

/** What is the matter, or that nothing is. `detail`: what a program said itself. */
export interface Finding {
  readonly tone: Tone;
  readonly sentence: string;
  readonly detail?: string;
  readonly buttons: readonly RowButton[];
}

export const NOTE_ACTS = ["trust", "settingsFile", "newTab"] as const;
export type NoteAct = (typeof NOTE_ACTS)[number];
/** A sentence about all of it, with at most one way on. */
export interface Note {
  readonly tone: Tone;
  readonly sentence: string;
  readonly button?: { readonly act: NoteAct; readonly label: string };
}

/** `percent` from 0 to 100, where it is known. */
export interface Progress {
  readonly label: string;
  readonly percent?: number;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** Where it comes from, and how it is started: “from the registry, npm package @s/ada 1.2.3”. */
  readonly origin: string;
  /** A `data:` address. */
  readonly icon?: string;
  readonly marks: readonly Mark[];
  readonly progress?: Progress;
  readonly findings: readonly Finding[];
  readonly buttons: readonly RowButton[];
}
/** `bypass`: absent where there is nothing to ask for. */
export interface AgentRow extends Row {
  readonly isCurrent: boolean;
  readonly bypass?: boolean;
}
export interface ExtensionRow extends Row {
  readonly isEnabled: boolean;
}

export const UPDATE_MODES = ["auto", "notify", "off"] as const;
export type UpdateMode = (typeof UPDATE_MODES)[number];

export interface SettingsView {
  /** Those that are chosen, installed or written down first. */
  readonly agents: readonly AgentRow[];
  /** In their order from the editor to the agent. */
  readonly extensions: readonly ExtensionRow[];
  readonly requireModifier: boolean;
  readonly updates: UpdateMode;
  /** Sentences above everything: restricted mode, tabs that go on as they began, settings that cannot be read. */
  readonly notes: readonly Note[];
  /** Beside the registry's button: how old it is, why it is not newer. */
  readonly registry?: string;
  /** What cannot be done in a workspace that nobody has trusted: buttons of rows, and adding. */
  readonly isRestricted: boolean;
  /** Whether it is the whole of an editor; the way there is not offered then. */
  readonly isPage: boolean;
}

export type HostToSettings =
  | { readonly type: "view"; readonly view: SettingsView }
  /** Something was done that is not to be seen where the focus is: for a screen reader. */
  | { readonly type: "say"; readonly text: string }
  /** The focus goes to this row. */
  | { readonly type: "reveal"; readonly of: Installable; readonly id: string };

export type SettingsToHost =
  | { readonly type: "ready" }
  | { readonly type: "row"; readonly of: Installable; readonly id: string; readonly act: RowAct }
  | { readonly type: "bypass"; readonly id: string; readonly isOn: boolean }
  | { readonly type: "enable"; readonly id: string; readonly isOn: boolean }
  /** To this place of the list, from 0; beyond its end is the end. */
  | { readonly type: "move"; readonly id: string; readonly to: number }
  | { readonly type: "add"; readonly what: "agent" | "registryAgent" | "extension" }
  | { readonly type: "note"; readonly act: NoteAct }
  | { readonly type: "modifier"; readonly isOn: boolean }
  | { readonly type: "updates"; readonly mode: UpdateMode }
  | { readonly type: "checkUpdates" }
  | { readonly type: "open"; readonly what: "settings" | "page" | "walkthrough" | "logs" }
  | { readonly type: "log"; readonly level: "error" | "warn" | "info" | "debug"; readonly message: string };
