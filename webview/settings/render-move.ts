/** Controls that move an extension, and the state of its row meanwhile. Pure. */
import type { ExtensionRow } from "../../src/protocol/settings/settings-view";
import { piece, type Piece } from "./element-tree";
import { line } from "./display-text";
import { sign, type Around } from "./render-parts";
import type { Reorder } from "./reorder";
import { gripText, texts } from "./settings-texts";

/** State of an extension that is being moved. */
export interface Movement {
  readonly isGrabbed: boolean;
  readonly isDragged: boolean;
  readonly mark?: "before" | "after" | undefined;
}

/** `mark` is the drop position of the dragged row. */
export function movementOf(id: string, ids: readonly string[], state: Reorder): Movement {
  if (state.kind !== "dragged") return { isGrabbed: state.kind === "grabbed" && state.id === id, isDragged: false };
  if (state.id === id) return { isGrabbed: false, isDragged: true };
  return {
    isGrabbed: false,
    isDragged: false,
    mark: ids[state.to] !== id ? undefined : state.to < ids.indexOf(state.id) ? "before" : "after",
  };
}

/** Positions among some of the rows are ambiguous, so a search disables the grips. */
export function grip(
  { id, name }: ExtensionRow,
  { isRestricted, isSearching }: Around,
  { isGrabbed }: Movement,
): Piece {
  return piece(
    "button",
    "grip",
    {
      key: "grip",
      action: { kind: "grip", id },
      attributes: {
        type: "button",
        "aria-label": `${texts.grip}: ${line(name)}`,
        "aria-pressed": String(isGrabbed),
        "aria-describedby": "grip-about",
        title: gripText(isSearching),
        disabled: isRestricted || isSearching ? "" : undefined,
      },
    },
    sign("grip"),
  );
}

/** Buttons for users who can neither drag nor use a keyboard. */
export function arrow(by: "up" | "down", { name }: ExtensionRow): Piece {
  return piece(
    "button",
    "grip",
    {
      key: by,
      action: { kind: "move", by },
      attributes: { type: "button", "aria-label": `${texts[by]}: ${line(name)}`, title: texts[by] },
    },
    sign(by),
  );
}
