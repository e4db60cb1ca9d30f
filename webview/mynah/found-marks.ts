/**
 * Marks the shown match of a tab and highlights the found text in its cards, without changing the elements of mynah-ui.
 * A browser without the CSS Custom Highlight API only marks the card.
 *
 * Invariant: only cards of matching entries are searched, and an unchanged card once.
 */
import { queryPattern } from "../../src/protocol/text/query-pattern";
import type { Card } from "../view-model/cards/card";
import { entryKeyOf, type ShownMatches } from "../view-model/tab/find-view";
import { cardElement, isFolded, unfold } from "./elements";

/** Maximum number of highlighted texts in one card. */
const MAX_RANGES = 200;
const BLOCKS = "p, li, pre, td, th, h1, h2, h3, h4, h5, h6, div, section, dd, dt";
const CONTROLS = "button, select, textarea, .symposium-unseen";

interface FoundText {
  readonly card: Card;
  readonly query: string;
  readonly ranges: readonly Range[];
}

export class FoundMarks {
  #found: ReadonlyMap<string, FoundText> = new Map();
  #current: HTMLElement | undefined;
  #range: Range | undefined;

  constructor(private readonly list: HTMLElement) {}

  /** Call after each drawing of the cards. */
  show(cards: readonly Card[], { query, current, all }: ShownMatches): void {
    const pattern = queryPattern(query),
      matching = cards.filter(({ key }) => {
        const entry = entryKeyOf(key);
        return entry === current || all.has(entry);
      });
    const found = new Map<string, FoundText>();
    for (const card of matching) {
      const before = this.#found.get(card.key);
      found.set(
        card.key,
        before !== undefined && before.card === card && before.query === query && areShown(before.ranges)
          ? before
          : { card, query, ranges: query === "" ? [] : rangesIn(cardElement(this.list, card.key), pattern) },
      );
    }
    this.#replace(found, current);
  }

  #replace(found: ReadonlyMap<string, FoundText>, current: string | undefined): void {
    const [one, others] = highlights();
    for (const { ranges } of this.#found.values()) for (const range of ranges) others?.delete(range);
    if (this.#range) one?.delete(this.#range);
    this.#found = found;
    for (const { ranges } of found.values()) for (const range of ranges) others?.add(range);
    const shown = [...found.values()].filter(({ card }) => entryKeyOf(card.key) === current),
      ranges = shown.flatMap(text => text.ranges),
      kept = this.#range && ranges.find(range => range === this.#range);
    this.#range = kept ?? ranges.find(range => foldsAround(range).length === 0) ?? ranges[0];
    if (this.#range) {
      others?.delete(this.#range);
      one?.add(this.#range);
    }
    const holder = shown.find(text => this.#range !== undefined && text.ranges.includes(this.#range)) ?? shown[0],
      card = holder && (cardElement(this.list, holder.card.key) ?? undefined);
    if (card !== this.#current) delete this.#current?.dataset["found"];
    if (card) card.dataset["found"] = "current";
    this.#current = card;
    if (card) this.list.dataset["shows"] = "match";
    else delete this.list.dataset["shows"];
  }

  /** Scrolls to the shown match, and unfolds it. `false`: its card is not drawn. */
  scrollTo(): boolean {
    const card = this.#current;
    if (card === undefined) return false;
    const range = this.#range;
    for (const fold of range ? foldsAround(range) : []) unfold(fold);
    const target = range ?? card;
    if (range)
      for (let box = range.startContainer.parentElement; box && box !== this.list; box = box.parentElement)
        if (box.scrollHeight > box.clientHeight + 1) center(box, target, false);
    center(this.list, target, true);
    return true;
  }
}

/** Scrolls the box so that the target is in its middle. `always`: also if the target is visible. */
function center(box: Element, target: Range | Element, always: boolean): void {
  const outer = box.getBoundingClientRect(),
    inner = target.getBoundingClientRect(),
    height = Math.min(inner.height, outer.height / 2),
    isVisible = inner.top >= outer.top && inner.top + height <= outer.bottom;
  if (always || !isVisible) box.scrollTop += inner.top - outer.top - (outer.height - height) / 2;
}

const areShown = (ranges: readonly Range[]): boolean =>
  ranges.length > 0 && ranges.every(range => !range.collapsed && range.startContainer.isConnected);

function foldsAround(range: Range): readonly HTMLElement[] {
  const folds: HTMLElement[] = [];
  for (let element = range.startContainer.parentElement; element; element = element.parentElement)
    if (isFolded(element)) folds.push(element);
  return folds;
}

function rangesIn(card: HTMLElement | null, pattern: RegExp): readonly Range[] {
  if (card === null) return [];
  const nodes: { readonly node: Text; readonly at: number }[] = [],
    walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
  let text = "",
    block: Element | null = null;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || parent === null || parent.closest(CONTROLS)) continue;
    const around = parent.closest(BLOCKS);
    if (around !== block && text !== "") text += "\n";
    block = around;
    nodes.push({ node, at: text.length });
    text += node.data;
  }
  const ranges: Range[] = [];
  for (const match of text.matchAll(pattern)) {
    if (match[0] === "" || ranges.length === MAX_RANGES) break;
    const start = placeOf(nodes, match.index, false),
      end = placeOf(nodes, match.index + match[0].length, true);
    if (start === undefined || end === undefined) continue;
    const range = document.createRange();
    range.setStart(...start);
    range.setEnd(...end);
    ranges.push(range);
  }
  return ranges;
}

/** The text node at this position. `isEnd`: the position after a character. */
function placeOf(
  nodes: readonly { readonly node: Text; readonly at: number }[],
  position: number,
  isEnd: boolean,
): [Text, number] | undefined {
  let low = 0,
    high = nodes.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2),
      at = nodes[middle]?.at ?? 0;
    if (isEnd ? at < position : at <= position) low = middle;
    else high = middle - 1;
  }
  const found = nodes[low];
  return found && [found.node, Math.min(Math.max(0, position - found.at), found.node.data.length)];
}

/** Highlights of the shown match and of the others, of all tabs; undefined without the API. */
function highlights(): readonly [Highlight, Highlight] | readonly [undefined, undefined] {
  if (typeof Highlight === "undefined" || typeof CSS === "undefined" || !("highlights" in CSS))
    return [undefined, undefined];
  const of = (name: string): Highlight => {
    const known = CSS.highlights.get(name) ?? new Highlight();
    if (!CSS.highlights.has(name)) CSS.highlights.set(name, known);
    return known;
  };
  const one = of("symposium-match"),
    others = of("symposium-matches");
  one.priority = 1;
  return [one, others];
}
