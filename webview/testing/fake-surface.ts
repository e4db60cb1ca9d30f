/** In-memory element tree with focus tracking and a log of all changes. */
import type { Piece } from "../settings/element-tree";
import type { Surface } from "../settings/reconciler";

export class FakeElement {
  readonly attributes = new Map<string, string>();
  readonly children: FakeElement[] = [];
  parent: FakeElement | undefined;
  text = "";
  isChecked = false;
  value = "";
  constructor(readonly tag: string) {}
}

export class FakeSurface implements Surface<FakeElement> {
  readonly root = new FakeElement("div");
  /** Log of operations with their elements. */
  readonly touches: string[] = [];
  #focused: FakeElement | undefined;

  create(tag: string): FakeElement {
    return new FakeElement(tag);
  }
  setText(element: FakeElement, text: string): void {
    this.#touch("setText", element);
    // As in a browser, setting the text removes the children.
    for (const child of element.children.splice(0)) child.parent = undefined;
    element.text = text;
  }
  setAttribute(element: FakeElement, name: string, value: string | undefined): void {
    this.#touch(`setAttribute ${name}`, element);
    if (value === undefined) element.attributes.delete(name);
    else element.attributes.set(name, value);
  }
  setChecked(element: FakeElement, isChecked: boolean): void {
    if (element.isChecked === isChecked) return;
    this.#touch("setChecked", element);
    element.isChecked = isChecked;
  }
  setValue(element: FakeElement, value: string, isSame: boolean): void {
    if (element.value === value || (isSame && element === this.#focused)) return;
    this.#touch("setValue", element);
    element.value = value;
  }
  place(parent: FakeElement, child: FakeElement, before: FakeElement | undefined): void {
    this.#touch("place", child);
    this.#cut(child);
    const at = before === undefined ? parent.children.length : parent.children.indexOf(before);
    if (at === -1) throw new Error("The reference element is not a child of the parent.");
    parent.children.splice(at, 0, child);
    child.parent = parent;
  }
  remove(element: FakeElement): void {
    this.#touch("remove", element);
    this.#cut(element);
  }
  focused(): FakeElement | undefined {
    return this.#focused;
  }
  focus(element: FakeElement): void {
    this.#focused = this.isIn(element) ? element : this.#focused;
  }

  isIn(element: FakeElement): boolean {
    return element === this.root || (element.parent !== undefined && this.isIn(element.parent));
  }

  /** The element at this path of child indexes below the root. */
  at(...path: readonly number[]): FakeElement {
    return path.reduce<FakeElement>((element, i) => {
      const child = element.children[i];
      if (!child) throw new Error(`No element is at ${path.join(", ")}.`);
      return child;
    }, this.root);
  }

  all(element = this.root): readonly FakeElement[] {
    return element.children.flatMap(child => [child, ...this.all(child)]);
  }

  /** As in a browser, removing an element from the document blurs it. */
  #cut(element: FakeElement): void {
    const held = this.#focused;
    if (held && (held === element || this.all(element).includes(held))) this.#focused = undefined;
    element.parent?.children.splice(element.parent.children.indexOf(element), 1);
    element.parent = undefined;
  }
  #touch(what: string, element: FakeElement): void {
    this.touches.push(`${what} of ${element.tag}`);
  }
}

/** Common representation of an actual element and an expected piece. */
export type Seen = readonly [
  tag: string,
  attributes: Readonly<Record<string, string>>,
  isChecked: boolean,
  content: string | readonly Seen[],
];

export const seenOf = ({ tag, attributes, isChecked, text, children }: FakeElement): Seen => [
  tag,
  Object.fromEntries([...attributes].sort(([a], [b]) => (a < b ? -1 : 1))),
  isChecked,
  children.length > 0 ? children.map(seenOf) : text,
];

export function wantedOf({ tag, attributes = {}, isPlace, isChecked = false, text, children = [] }: Piece): Seen {
  const all: Record<string, string | undefined> = { ...attributes, ...(isPlace ? { tabindex: "-1" } : {}) };
  const present = Object.entries(all)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return [tag, Object.fromEntries(present), isChecked, text ?? (children.length > 0 ? children.map(wantedOf) : "")];
}
