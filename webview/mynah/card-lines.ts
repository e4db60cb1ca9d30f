/**
 * The lines of one tab's tool calls, and their groups. The elements are cached outside the cards and reinserted when a
 * card is redrawn.
 *
 * Invariant: what the user has opened or closed stays so while its card exists.
 */
import { GroupHead } from "../components/group-head";
import { ToolLine } from "../components/tool-line";
import { changeButton } from "../view-model/cards/buttons";
import type { Card } from "../view-model/cards/card";
import { cardElement } from "./elements";
import { selectors } from "./selectors";

interface Mounted {
  card: Card;
  readonly element: HTMLElement;
  readonly line: ToolLine | undefined;
}

export class CardLines {
  readonly #mounted = new Map<string, Mounted>();
  readonly #heads = new Map<string, GroupHead>();
  /** Cards whose fold state the user has changed. */
  readonly #isOpen = new Map<string, boolean>();
  /** Keys of open groups. */
  readonly #openGroups = new Set<string>();
  #cards: readonly Card[] = [];
  #list: Element | undefined;

  constructor(private readonly pressed: (cardKey: string, buttonId: string) => void) {}

  mount(list: Element, cards: readonly Card[]): void {
    if (cards === this.#cards && list === this.#list && this.#isWhole()) return;
    this.#cards = cards;
    this.#list = list;
    const keys = new Set(cards.map(({ key }) => key));
    for (const map of [this.#mounted, this.#heads, this.#isOpen])
      for (const key of map.keys()) if (!keys.has(key)) map.delete(key);
    for (const key of this.#openGroups) if (!keys.has(key)) this.#openGroups.delete(key);
    for (const card of cards) if (isAffected(card) || this.#mounted.has(card.key)) this.#mountOne(list, card);
  }

  /** Whether no card was redrawn by the renderer. */
  #isWhole(): boolean {
    return [...this.#mounted.values()].every(
      ({ element, line }) => element.isConnected && (line === undefined || element.contains(line.element)),
    );
  }

  #mountOne(list: Element, card: Card): void {
    const before = this.#mounted.get(card.key),
      element = before?.element.isConnected === true ? before.element : cardElement(list, card.key);
    if (element === null) return;
    if (before?.element === element && before.card === card && isInPlace(before)) return;
    const line = card.line === undefined ? undefined : (before?.line ?? this.#newLine(card.key));
    this.#mounted.set(card.key, { card, element, line });
    element.toggleAttribute("hidden", card.isHidden);
    this.#showLine(element, card, line);
    this.#showGroup(element, card);
  }

  #newLine(key: string): ToolLine {
    return new ToolLine({
      toggled: () => {
        const mounted = this.#mounted.get(key);
        if (!mounted || !hasDetails(mounted.card)) return;
        this.#isOpen.set(key, !this.#isUnfolded(mounted.card));
        this.#showLine(mounted.element, mounted.card, mounted.line);
        // A hidden element has no scroll position.
        for (const output of mounted.element.querySelectorAll(".symposium-terminal-output"))
          output.scrollTop = output.scrollHeight;
      },
      diffWanted: () => this.pressed(key, changeButton(0)),
    });
  }

  #isUnfolded({ key, startsUnfolded }: Card): boolean {
    return this.#isOpen.get(key) ?? startsUnfolded;
  }

  #showLine(element: HTMLElement, card: Card, line: ToolLine | undefined): void {
    if (card.line === undefined || line === undefined) return;
    const isOpen = this.#isUnfolded(card);
    line.show({
      line: card.line,
      hasDetails: hasDetails(card),
      isOpen,
      hasDiff: card.diffs.length === 1 && card.diffs[0]?.isNamed === true,
    });
    element.dataset["fold"] = isOpen ? "open" : "closed";
    // For styles: with a `:has()`, each change of an answer would also restyle the body of its card.
    element.dataset["body"] = card.body === "" && card.pictures.length === 0 ? "empty" : "filled";
    element.dataset["terminals"] = String(card.terminals.length);
    const content = element.querySelector(`:scope > ${selectors.cardContent}`);
    if (content && content.firstElementChild !== line.element) content.prepend(line.element);
  }

  #showGroup(element: HTMLElement, { key, group }: Card): void {
    if (group === undefined) {
      delete element.dataset["group"];
      this.#heads.get(key)?.element.remove();
      this.#heads.delete(key);
      return;
    }
    const isOpen = this.#openGroups.has(group.key);
    element.dataset["group"] = isOpen ? "open" : "closed";
    element.dataset["groupPart"] = group.head === undefined ? "member" : "first";
    if (group.head === undefined) return;
    const head = this.#heads.get(key) ?? new GroupHead(() => this.#toggleGroup(group.key));
    this.#heads.set(key, head);
    head.show(group.head, isOpen);
    if (element.firstElementChild !== head.element) element.prepend(head.element);
  }

  #toggleGroup(groupKey: string): void {
    if (!this.#openGroups.delete(groupKey)) this.#openGroups.add(groupKey);
    for (const { card, element } of this.#mounted.values())
      if (card.group?.key === groupKey) this.#showGroup(element, card);
  }
}

const isAffected = ({ line, group, isHidden }: Card): boolean => line !== undefined || group !== undefined || isHidden;

const isInPlace = ({ element, line }: Mounted): boolean => line === undefined || element.contains(line.element);

function hasDetails({ body, pictures, diffs, terminals }: Card): boolean {
  return body !== "" || pictures.length + diffs.length + terminals.length > 0;
}
