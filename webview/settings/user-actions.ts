/** What can be done on the page. */
import type { Installable } from "../../src/protocol/agent-service";
import type { SettingsToHost, UpdateMode } from "../../src/protocol/settings-view";

/** What stands in the user's settings and is ticked here. */
export type Switch = { readonly kind: "bypass" | "enable"; readonly id: string } | { readonly kind: "modifier" };

export type UserAction =
  | { readonly kind: "say"; readonly message: SettingsToHost }
  | { readonly kind: "switch"; readonly of: Switch }
  | { readonly kind: "mode"; readonly mode: UpdateMode }
  /** Shows what is folded, or folds it again. */
  | { readonly kind: "fold"; readonly fold: string }
  /** The grip by which an extension is moved: pressed, it is taken or dropped; a pointer drags it. */
  | { readonly kind: "grip"; readonly id: string }
  /** Of one that is taken. */
  | { readonly kind: "move"; readonly by: "up" | "down" };

/** The message of a switch that was put on or off. */
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
 * Ids of elements: of a row, what it folds, its name. What strangers named is spelled so that it is one word, and no
 * two are the same.
 */
export const rowId = (of: Installable, id: string): string => `${of}-${word(id)}`;

/** Letters, digits and hyphens stay. */
export const word = (text: string): string =>
  text.replace(/[^A-Za-z0-9-]/g, character => `_${(character.codePointAt(0) ?? 0).toString(16)}_`);
