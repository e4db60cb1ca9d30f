/**
 * The cards of one tab on screen. A card that did not change is not touched; what takes longer than a slice of a frame
 * is drawn in several.
 */
import { card, type Card } from "./card";
import { cardSteps, EARLIER } from "./card-diff";
import { showEarlier, slide, wholeWindow } from "./card-window";
import { literal } from "./markdown-safe";
import type { Clock } from "../page-clock";
import { texts } from "./texts";

/** More of one frame is not given to the cards of a tab; what comes on top of it is the layout. */
const SLICE_MS = 24;

/** What the renderer can do with the cards of a tab. */
export interface CardScreen {
  clear(): void;
  /** At the end. */
  add(card: Card): void;
  /** Draws what it has now over what it had: text that merely grows is added. */
  change(card: Card): void;
  /** It grows no more. */
  end(card: Card): void;
  takeBody(key: string): void;
  takeAll(key: string): void;
}

export class CardList {
  #cards: readonly Card[] = [];
  #window = wholeWindow;

  /** `list`: the element that holds them. */
  constructor(
    private readonly screen: CardScreen,
    private readonly list: Element | null,
    private readonly clock: Pick<Clock, "now">,
  ) {}

  /** Those on screen. */
  get cards(): readonly Card[] {
    return this.#cards;
  }

  /** Draws what is new of a tab's cards, at least one of them; `false`: there is more to draw, by another call. */
  draw(all: readonly Card[]): boolean {
    this.#window = slide(this.#window, all);
    const { first } = this.#window,
      cards = first === 0 ? all : [earlier(first), ...all.slice(first)];
    const steps = cardSteps(this.#cards, cards);
    if (steps.kind === "anew") this.screen.clear();
    else this.#takeAway(steps.gone);
    const stay = new Map(steps.kind === "anew" ? [] : this.#cards.map(card => [card.key, card]));
    const until = this.clock.now() + SLICE_MS;
    const drawn: Card[] = [];
    let isWhole = true,
      changes = 0;
    for (const card of cards) {
      const before = stay.get(card.key),
        isDone = before !== undefined && isSame(before, card);
      // One of them always: looking at those that are done may have taken all the time.
      if (!isDone && changes++ > 0 && this.clock.now() > until) {
        isWhole = false;
        if (before === undefined) break;
        drawn.push(before);
        continue;
      }
      if (before === undefined) this.screen.add(card);
      else if (!isDone) this.#update(before, card);
      if (before === undefined && card.key === EARLIER) this.#putFirst();
      drawn.push(card);
    }
    this.#cards = drawn;
    return isWhole;
  }

  /** More of the earlier ones are to be drawn from now on. */
  showEarlier(all: readonly Card[]): void {
    this.#window = showEarlier(this.#window, all);
  }

  /** The renderer forgets what is empty when it adds the next card. */
  #takeAway(keys: readonly string[]): void {
    for (const key of keys) {
      const element = this.#element(key),
        group = element?.parentElement;
      this.screen.takeAll(key);
      element?.remove();
      if (group && group !== this.list?.lastElementChild && !group.querySelector(":scope > .mynah-chat-item-card"))
        group.remove();
    }
  }

  #update(before: Card, card: Card): void {
    if (before.growing && !card.growing) return this.screen.end(card);
    // The renderer takes no paragraph away, and makes no code block of one: what does not merely grow begins again.
    if (card.kind !== "prompt" && card.kind !== "answer" && before.body !== card.body) this.screen.takeBody(card.key);
    this.screen.change(card);
  }

  /** The card that was added at the end goes before all others. */
  #putFirst(): void {
    const element = this.#element(EARLIER);
    if (element) this.list?.firstElementChild?.prepend(element);
  }

  #element(key: string): Element | null | undefined {
    return this.list?.querySelector(`.mynah-chat-item-card[messageid="${CSS.escape(key)}"]`);
  }
}

function earlier(count: number): Card {
  return card(EARLIER, "notice", {
    header: { icon: "info", text: `${count} earlier cards`, tone: "plain" },
    buttons: [{ id: EARLIER, label: literal(texts.showEarlier), weight: "plain" }],
  });
}

/** For the renderer, which draws neither terminals nor what was attached. */
function isSame(a: Card, b: Card): boolean {
  return (
    a === b ||
    (a.body === b.body &&
      a.growing === b.growing &&
      JSON.stringify({ ...a, terminals: [], attached: [], changes: [] }) ===
        JSON.stringify({ ...b, terminals: [], attached: [], changes: [] }))
  );
}
