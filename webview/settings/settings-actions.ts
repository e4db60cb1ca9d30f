/** Actions of the settings page. */
import type { SettingsToHost } from "../../src/protocol/settings/settings-to-host";
import type { RowKind, UpdateMode } from "../../src/protocol/settings/settings-view";

/** User settings with a checkbox. */
export type Switch = { readonly kind: "bypass" | "enable"; readonly id: string } | { readonly kind: "modifier" };

export type UserAction =
  | { readonly kind: "send"; readonly message: SettingsToHost }
  | { readonly kind: "switch"; readonly of: Switch }
  | { readonly kind: "mode"; readonly mode: UpdateMode }
  /** The agent of new tabs. */
  | { readonly kind: "agent"; readonly id: string }
  /** A control of an extension's setting. `option`: one checkbox of several. */
  | { readonly kind: "setting"; readonly of: SettingRef; readonly option?: string }
  | { readonly kind: "reset"; readonly of: SettingRef }
  /** The search box. */
  | { readonly kind: "search" }
  | { readonly kind: "clearSearch" }
  /** Toggles a disclosure. */
  | { readonly kind: "fold"; readonly fold: string }
  /** The grip of an extension: a click grabs or drops it, a pointer drags it. */
  | { readonly kind: "grip"; readonly id: string }
  /** Moves the grabbed extension. */
  | { readonly kind: "move"; readonly by: "up" | "down" };

/** A setting of an extension. */
export interface SettingRef {
  readonly id: string;
  readonly name: string;
}

/** The message for a changed checkbox. */
export function switched(of: Switch, isOn: boolean): SettingsToHost {
  switch (of.kind) {
    case "modifier":
      return { type: "modifier", isOn };
    case "bypass":
      return { type: "bypass", id: of.id, isOn };
    case "enable":
      return { type: "enable", id: of.id, isOn };
  }
}

/**
 * Element id of a row; also the base of the ids of its parts. Untrusted ids are encoded without spaces and without
 * collisions.
 */
export const rowId = (of: RowKind, id: string): string => `${of}-${word(id)}`;

/** Element id of the search box. */
export const SEARCH_ID = "search";

/** Element id of a control. A setting's name contains no hyphen. */
export const controlId = ({ id, name }: SettingRef): string => `setting-${word(id)}-${word(name)}`;

/** Escapes all characters except letters, digits and hyphens. */
export const word = (text: string): string =>
  text.replace(/[^A-Za-z0-9-]/g, character => `_${(character.codePointAt(0) ?? 0).toString(16)}_`);
