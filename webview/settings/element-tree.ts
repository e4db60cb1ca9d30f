/**
 * Declarative description of the screen: the renderers create pieces, and `reconciler.ts` turns them into elements.
 * Pure.
 *
 * Invariant: untrusted text is the text of a piece or an attribute value, never markup.
 */
import type { UserAction } from "./settings-actions";

export type Tag =
  | "main"
  | "section"
  | "header"
  | "h1"
  | "h2"
  | "h3"
  | "p"
  | "div"
  | "span"
  | "bdi"
  | "ul"
  | "li"
  | "label"
  | "fieldset"
  | "legend"
  | "input"
  | "select"
  | "option"
  | "textarea"
  | "button"
  | "img"
  | "pre"
  | "progress"
  | "strong"
  | "svg"
  | "path";

export interface Piece {
  readonly tag: Tag;
  /** Identifies the piece among its siblings: the same key reuses the same element. */
  readonly key?: string;
  readonly text?: string;
  /** An undefined attribute is absent. */
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  /** For an `input`: its state in the view. Drawing restores this state after a click. */
  readonly isChecked?: boolean;
  /** For a field or a list of options: its value in the view. Drawing keeps a text that the user is typing. */
  readonly value?: string;
  /** Receives the focus when a focused descendant disappears. */
  readonly isPlace?: true;
  /** Action of a click, a change or a drag. */
  readonly action?: UserAction;
  readonly children?: readonly Piece[];
}

type PieceOptions = Omit<Piece, "tag" | "children" | "text">;

/** A piece with a class and child pieces; undefined children are omitted. */
export function piece(
  tag: Tag,
  className: string,
  extra: PieceOptions = {},
  ...children: readonly (Piece | undefined)[]
): Piece {
  return {
    tag,
    ...extra,
    attributes: { class: className === "" ? undefined : className, ...extra.attributes },
    children: children.filter(child => child !== undefined),
  };
}

/** A piece with text. */
export function textPiece(tag: Tag, className: string, text: string, extra: PieceOptions = {}): Piece {
  return { tag, ...extra, text, attributes: { class: className === "" ? undefined : className, ...extra.attributes } };
}
