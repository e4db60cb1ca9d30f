/**
 * Keyed reconciler: turns pieces into elements and updates them. An element exists as long as its piece and keeps its
 * focus, scroll position and selection. Generic over the element type, so that tests need no browser.
 *
 * Invariants:
 * - Drawing the same pieces again changes no element.
 * - The result depends only on the pieces, not on earlier drawings.
 * - The focused element is never moved; its siblings are moved around it.
 * - If the focused element disappears or is disabled, the focus moves to the enclosing place or to the row now at its
 *   position.
 */
import * as l10n from "@vscode/l10n";
import type { UserAction } from "./settings-actions";
import type { Piece, Tag } from "./element-tree";

/** Operations on elements. */
export interface Surface<E> {
  create(tag: Tag): E;
  setText(element: E, text: string): void;
  /** `undefined` removes the attribute. */
  setAttribute(element: E, name: string, value: string | undefined): void;
  /** No effect if the state is already correct. */
  setChecked(element: E, isChecked: boolean): void;
  /** No effect if the value is already correct, or if the user edits the field and the value `isSame` as before. */
  setValue(element: E, value: string, isSame: boolean): void;
  /** Inserts before this child, or at the end. */
  place(parent: E, child: E, before: E | undefined): void;
  remove(element: E): void;
  /** The focused element, whether or not the reconciler created it. */
  focused(): E | undefined;
  focus(element: E): void;
}

interface Shown<E> {
  readonly key: string;
  readonly element: E;
  piece: Piece;
  children: readonly Shown<E>[];
  parent: Shown<E> | undefined;
  isGone: boolean;
}

export class Reconciler<E extends object> {
  readonly #root: Shown<E>;
  readonly #byElement = new WeakMap<E, Shown<E>>();

  constructor(
    private readonly surface: Surface<E>,
    root: E,
  ) {
    this.#root = { key: "", element: root, piece: { tag: "div" }, children: [], parent: undefined, isGone: false };
  }

  show(pieces: readonly Piece[]): void {
    const before = this.#focusPath();
    this.#updateChildren(this.#root, pieces, before?.steps.map(({ shown }) => shown) ?? []);
    if (before) this.#restoreFocus(before.steps, before.focused);
  }

  /** Action of the element; `undefined` if it has none. */
  actAt(element: E): UserAction | undefined {
    return this.#byElement.get(element)?.piece.action;
  }

  // --- children

  /** `path`: the focused element and its ancestors. */
  #updateChildren(parent: Shown<E>, pieces: readonly Piece[], path: readonly Shown<E>[]): void {
    const before = new Map(parent.children.map(child => [child.key, child]));
    const after = keyed(pieces).map(([key, piece]): Shown<E> => {
      const same = before.get(key);
      before.delete(key);
      return same ?? this.#create(key, piece, parent);
    });
    for (const gone of before.values()) this.#remove(gone);
    this.#arrange(
      parent,
      parent.children.filter(({ isGone }) => !isGone),
      after,
      path,
    );
    parent.children = after;
    pieces.forEach((piece, i) => {
      const shown = after[i];
      if (shown) this.#update(shown, piece, path);
    });
  }

  #create(key: string, piece: Piece, parent: Shown<E>): Shown<E> {
    const element = this.surface.create(piece.tag);
    const shown: Shown<E> = { key, element, piece: { tag: piece.tag }, children: [], parent, isGone: false };
    this.#byElement.set(element, shown);
    return shown;
  }

  #remove(gone: Shown<E>): void {
    gone.isGone = true;
    this.surface.remove(gone.element);
  }

  /** `present`: the members of `after` already on screen, in their order on screen. */
  #arrange(
    parent: Shown<E>,
    present: readonly Shown<E>[],
    after: readonly Shown<E>[],
    path: readonly Shown<E>[],
  ): void {
    const onScreen = new Set(present),
      order = [...present];
    const put = (shown: Shown<E>, before: Shown<E> | undefined): void => {
      const at = order.indexOf(shown);
      if (at !== -1 && order[at + 1] === before) return;
      if (at !== -1) order.splice(at, 1);
      order.splice(before ? order.indexOf(before) : order.length, 0, shown);
      this.surface.place(parent.element, shown.element, before?.element);
    };
    const focusedIndex = after.findIndex(shown => path.includes(shown));
    const anchor = focusedIndex === -1 ? after.findIndex(shown => onScreen.has(shown)) : focusedIndex;
    for (let i = anchor - 1; i >= 0; i--) put(at(after, i), at(after, i + 1));
    for (let i = anchor + 1; i < after.length; i++) {
      const previous = after[i - 1];
      const next = order[previous ? order.indexOf(previous) + 1 : 0];
      if (next !== after[i]) put(at(after, i), next);
    }
  }

  // --- one piece

  #update(shown: Shown<E>, piece: Piece, path: readonly Shown<E>[]): void {
    const { element, piece: old } = shown,
      { surface } = this;
    shown.piece = piece;
    const attributes = attributesOf(piece),
      before = attributesOf(old);
    for (const name of Object.keys(before))
      if (before[name] !== undefined && attributes[name] === undefined) surface.setAttribute(element, name, undefined);
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined && value !== before[name]) surface.setAttribute(element, name, value);
    if (piece.isChecked !== undefined) surface.setChecked(element, piece.isChecked);
    if (piece.text !== undefined) {
      this.#updateChildren(shown, [], path);
      if (piece.text !== old.text) surface.setText(element, piece.text);
      return;
    }
    if (old.text !== undefined) surface.setText(element, "");
    this.#updateChildren(shown, piece.children ?? [], path);
    // After the children, because a list can only have the value of one of its options.
    if (piece.value !== undefined) surface.setValue(element, piece.value, piece.value === old.value);
  }

  // --- focus

  #focusPath(): { readonly focused: Shown<E>; readonly steps: readonly Step<E>[] } | undefined {
    const element = this.surface.focused();
    const focused = element && this.#byElement.get(element);
    if (!focused) return undefined;
    const steps: Step<E>[] = [];
    for (let shown: Shown<E> | undefined = focused; shown; shown = shown.parent)
      steps.unshift({ shown, index: shown.parent?.children.indexOf(shown) ?? 0 });
    return { focused, steps };
  }

  #restoreFocus(steps: readonly Step<E>[], focused: Shown<E>): void {
    if (!steps.some(({ shown }) => shown.isGone) && attributesOf(focused.piece)["disabled"] === undefined) return;
    // Innermost remaining ancestor first, preferring its child at the position of the lost one.
    for (let i = steps.length - 1; i >= 0; i--) {
      const { shown } = at(steps, i);
      if (shown.isGone || steps.slice(0, i).some(outer => outer.shown.isGone)) continue;
      const lost = steps[i + 1];
      const replacement = lost?.shown.isGone
        ? shown.children[Math.min(lost.index, shown.children.length - 1)]
        : undefined;
      const place = [replacement, shown].find(each => each?.piece.isPlace);
      if (place) return this.surface.focus(place.element);
    }
  }
}

interface Step<E> {
  readonly shown: Shown<E>;
  readonly index: number;
}

/** Gives each piece a key that is unique among its siblings, because untrusted names may be equal. */
function keyed(pieces: readonly Piece[]): readonly (readonly [key: string, piece: Piece])[] {
  const count = new Map<string, number>();
  return pieces.map(piece => {
    const key = JSON.stringify([piece.tag, piece.key ?? null]),
      n = count.get(key) ?? 0;
    count.set(key, n + 1);
    return [`${key} ${n}`, piece];
  });
}

function attributesOf({ attributes = {}, isPlace }: Piece): Readonly<Record<string, string | undefined>> {
  return isPlace ? { ...attributes, tabindex: "-1" } : attributes;
}

/** Element at a valid index. */
function at<T>(list: readonly T[], i: number): T {
  const found = list[i];
  if (found === undefined) throw new Error(l10n.t`No item has the index ${i}.`);
  return found;
}
