/**
 * What is to be on screen, as values: what the renderers make of a view, and what `reconciler.ts` makes elements of. Pure.
 *
 * Invariant: what strangers wrote is the text of a piece or the value of an attribute, never markup.
 */
import type { UserAction } from "./user-actions";

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
  | "button"
  | "img"
  | "pre"
  | "progress"
  | "strong"
  | "svg"
  | "path";

export interface Piece {
  readonly tag: Tag;
  /** Among its siblings: the piece with the same key is drawn on the same element. */
  readonly key?: string;
  readonly text?: string;
  /** One that is undefined is not there. */
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  /** Of an `input`: what the view says, also where a press has changed it meanwhile. */
  readonly isChecked?: boolean;
  /** It takes the focus of what goes from inside it. */
  readonly isPlace?: true;
  /** What a press, a tick or a grip does. */
  readonly act?: UserAction;
  readonly children?: readonly Piece[];
}

type More = Omit<Piece, "tag" | "children" | "text">;

/** A piece with a class and other pieces in it; those that are undefined are not there. */
export function piece(
  tag: Tag,
  className: string,
  more: More = {},
  ...children: readonly (Piece | undefined)[]
): Piece {
  return {
    tag,
    ...more,
    attributes: { class: className === "" ? undefined : className, ...more.attributes },
    children: children.filter(child => child !== undefined),
  };
}

/** A piece with text in it. */
export function textPiece(tag: Tag, className: string, text: string, more: More = {}): Piece {
  return { tag, ...more, text, attributes: { class: className === "" ? undefined : className, ...more.attributes } };
}
