/**
 * Settings page ↔ extension host, by `postMessage`. The host sends the complete view with each change. The page renders
 * the view and reports the user's actions. The host validates all messages of the page (`settings-to-host.ts`).
 */
import type { Installable } from "../agents/agent-service";
import type { SettingValue } from "../agents/extension-settings";
import type { SettingControl } from "../agents/setting-schema";

export type Tone = "neutral" | "good" | "warning" | "error";

/** Action of a row's button. */
export const ROW_ACTIONS = [
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
  "add",
  "keep",
] as const;
export type RowAction = (typeof ROW_ACTIONS)[number];

/** Kinds of rows. */
export type RowKind = Installable | "recommendation";

/** `about`: accessible name, if `label` is ambiguous without its visual context. */
export interface RowButton {
  readonly action: RowAction;
  readonly label: string;
  readonly about?: string;
  readonly isMain?: true;
}

/** One or two words: “installed 1.2.3”, “signed in”, “2 running”. */
export interface Mark {
  readonly tone: Tone;
  readonly text: string;
}

/** A problem or a success. `detail`: output of a program. */
export interface Finding {
  readonly tone: Tone;
  readonly sentence: string;
  readonly detail?: string;
  readonly buttons: readonly RowButton[];
}

export const NOTE_ACTIONS = ["trust", "settingsFile", "newTab"] as const;
export type NoteAction = (typeof NOTE_ACTIONS)[number];
/** A sentence about the whole page, with at most one action. */
export interface Note {
  readonly tone: Tone;
  readonly sentence: string;
  readonly button?: { readonly action: NoteAction; readonly label: string };
}

/** `percent`: 0 to 100, if known. */
export interface Progress {
  readonly label: string;
  readonly percent?: number;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** Origin and start method: “from the registry, npm package @s/ada 1.2.3”. */
  readonly origin: string;
  /** A `data:` URI. */
  readonly icon?: string;
  readonly marks: readonly Mark[];
  readonly progress?: Progress;
  readonly findings: readonly Finding[];
  readonly buttons: readonly RowButton[];
}
/** `bypass`: absent for agents without permission requests. */
export interface AgentRow extends Row {
  readonly isCurrent: boolean;
  readonly bypass?: boolean;
}
export interface ExtensionRow extends Row {
  readonly isEnabled: boolean;
  /** Absent for an extension without settings. */
  readonly settings?: SettingsGroup;
}

/** Settings of an extension, in the order of its schema. */
export interface SettingsGroup {
  readonly rows: readonly SettingRow[];
  /** Names of settings without a control, which only settings.json shows. */
  readonly others: readonly string[];
}

/** `value`: the effective value. `isChanged`: settings.json has another value than the default. */
export interface SettingRow {
  readonly name: string;
  readonly control: SettingControl;
  readonly value: SettingValue;
  readonly isChanged: boolean;
  /** A sentence about a stored value that does not fit. */
  readonly problem?: string;
}

/** Recommended extension. `id`: the key of the recommendation. */
export type RecommendationRow = Omit<Row, "icon" | "marks">;

/** Recommended extensions for this workspace. */
export interface RecommendationsSection {
  readonly rows: readonly RecommendationRow[];
  /** Number of recommendations after the last row. */
  readonly hidden: number;
  /** Sentences about unusable lists. */
  readonly problems: readonly string[];
  /** Number of dismissed recommendations. */
  readonly dismissed: number;
}

export const UPDATE_MODES = ["auto", "notify", "off"] as const;
export type UpdateMode = (typeof UPDATE_MODES)[number];

export interface SettingsView {
  /** Selected, installed and configured agents come first. */
  readonly agents: readonly AgentRow[];
  /** Ordered from the editor to the agent. */
  readonly extensions: readonly ExtensionRow[];
  /** Absent without recommendations. */
  readonly recommendations?: RecommendationsSection;
  readonly requireModifier: boolean;
  readonly updates: UpdateMode;
  /** Sentences at the top: Restricted Mode, tabs that still use their old settings, invalid settings. */
  readonly notes: readonly Note[];
  /** Text beside the registry's button: age of the data, and the reason why it is not newer. */
  readonly registry?: string;
  /** In an untrusted workspace: row buttons and adding are disabled. */
  readonly isRestricted: boolean;
  /** Whether the page is in an editor, which hides the link to open one. */
  readonly isPage: boolean;
}

export type HostToSettings =
  | { readonly type: "view"; readonly view: SettingsView }
  /** Announces a change outside the focused element to screen readers. */
  | { readonly type: "announce"; readonly text: string }
  /** Moves the focus to this row. */
  | { readonly type: "reveal"; readonly of: Installable; readonly id: string };
