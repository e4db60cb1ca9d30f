/**
 * Pieces made elements, again and again: an element stays as long as its piece does, with its focus, its scroll
 * position and what is selected in it. Generic over what an element is, so that its rules can be tested without a
 * browser.
 *
 * Invariants: drawing the same again touches nothing; what is drawn depends on the pieces alone, not on what was drawn
 * before; the element that has the focus is not moved, its neighbours are moved around it; where it goes, or can no
 * longer have the focus, the focus goes to the place around it, or to the row that is now where it was.
 */
import type { UserAction } from "./user-actions";
import type { Piece, Tag } from "./element-tree";

/** What elements can do. */
export interface Surface<E> {
  make(tag: Tag): E;
  setText(element: E, text: string): void;
  /** `undefined` takes it away. */
  setAttribute(element: E, name: string, value: string | undefined): void;
  /** Touches nothing where it is so already. */
  setChecked(element: E, isChecked: boolean): void;
  /** Before this child, or behind all. */
  place(parent: E, child: E, before: E | undefined): void;
  remove(element: E): void;
  /** The element that has the focus, whoever drew it. */
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
    this.#fill(this.#root, pieces, before?.steps.map(({ shown }) => shown) ?? []);
    if (before) this.#handOver(before.steps, before.focused);
  }

  /** What the element does, or one that it is in. */
  actAt(element: E): UserAction | undefined {
    return this.#byElement.get(element)?.piece.act;
  }

  // --- children

  /** `path`: what has the focus, and what it is in. */
  #fill(parent: Shown<E>, pieces: readonly Piece[], path: readonly Shown<E>[]): void {
    const before = new Map(parent.children.map(child => [child.key, child]));
    const after = keyed(pieces).map(([key, piece]): Shown<E> => {
      const same = before.get(key);
      before.delete(key);
      return same ?? this.#make(key, piece, parent);
    });
    for (const gone of before.values()) this.#take(gone);
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

  #make(key: string, piece: Piece, parent: Shown<E>): Shown<E> {
    const element = this.surface.make(piece.tag);
    const shown: Shown<E> = { key, element, piece: { tag: piece.tag }, children: [], parent, isGone: false };
    this.#byElement.set(element, shown);
    return shown;
  }

  #take(gone: Shown<E>): void {
    gone.isGone = true;
    this.surface.remove(gone.element);
  }

  /** `there`: those of `after` that are on screen, in their order on screen. */
  #arrange(parent: Shown<E>, there: readonly Shown<E>[], after: readonly Shown<E>[], path: readonly Shown<E>[]): void {
    const onScreen = new Set(there),
      order = [...there];
    const put = (shown: Shown<E>, before: Shown<E> | undefined): void => {
      const at = order.indexOf(shown);
      if (at !== -1 && order[at + 1] === before) return;
      if (at !== -1) order.splice(at, 1);
      order.splice(before ? order.indexOf(before) : order.length, 0, shown);
      this.surface.place(parent.element, shown.element, before?.element);
    };
    const held = after.findIndex(shown => path.includes(shown));
    const anchor = held === -1 ? after.findIndex(shown => onScreen.has(shown)) : held;
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
      this.#fill(shown, [], path);
      if (piece.text !== old.text) surface.setText(element, piece.text);
      return;
    }
    if (old.text !== undefined) surface.setText(element, "");
    this.#fill(shown, piece.children ?? [], path);
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

  #handOver(steps: readonly Step<E>[], focused: Shown<E>): void {
    if (!steps.some(({ shown }) => shown.isGone) && attributesOf(focused.piece)["disabled"] === undefined) return;
    // From the inside out, what is still there; first its child where the lost one was.
    for (let i = steps.length - 1; i >= 0; i--) {
      const { shown } = at(steps, i);
      if (shown.isGone || steps.slice(0, i).some(outer => outer.shown.isGone)) continue;
      const lost = steps[i + 1];
      const heir = lost?.shown.isGone ? shown.children[Math.min(lost.index, shown.children.length - 1)] : undefined;
      const place = [heir, shown].find(each => each?.piece.isPlace);
      if (place) return this.surface.focus(place.element);
    }
  }
}

interface Step<E> {
  readonly shown: Shown<E>;
  readonly index: number;
}

/** Each with a key that no sibling has: of strangers' names two may be the same. */
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

/** An index that was counted. */
function at<T>(list: readonly T[], i: number): T {
  const found = list[i];
  if (found === undefined) throw new Error(`Nothing is at ${i}.`);
  return found;
}
