/**
 * The displayed cards of one tab. An unchanged card is not touched; a drawing that exceeds one slice continues in the
 * next frames.
 */
import * as l10n from "@vscode/l10n";
import { card, type Card } from "./card";
import { cardSteps, EARLIER, LATER, NEWEST } from "./card-diff";
import { literal } from "../text/markdown-safe";
import {
  around,
  endOf,
  showEarlier,
  slide,
  weigh,
  weightOfCharacters,
  wholeWindow,
  type SlidingWindow,
  type WindowLimits,
} from "../../../src/protocol/chat/sliding-window";
import type { Clock } from "../../page-clock";
import { texts } from "../text/chat-texts";

/** Maximum milliseconds per frame for a tab's cards, excluding layout. */
const SLICE_MS = 24;

/** A renderer with thousands of live cards or a million characters is slow. */
const WINDOW: WindowLimits<Card> = {
  weight: 100,
  maxWeight: 150,
  weightOf: ({ body }) => weightOfCharacters(body.length),
};

/** Operations of the renderer on a tab's cards. */
export interface CardScreen {
  clear(): void;
  /** Appends the card. */
  add(card: Card): void;
  /** Updates the card; text that only grows is appended. */
  change(card: Card): void;
  /** Draws the final state of a card that no longer grows. */
  end(card: Card): void;
  clearBody(key: string): void;
  remove(key: string): void;
  /** Moves the card to the start. */
  putFirst(key: string): void;
}

export class CardList {
  #cards: readonly Card[] = [];
  #window = wholeWindow;
  /** Key of the first card in the window. */
  #start: string | undefined;
  /** Key of the last card in the window; `undefined`: the window contains the newest card. */
  #last: string | undefined;
  /** Key of the card that new cards must not displace. */
  #revealed: string | undefined;
  /** The user wants cards that the page does not have yet. */
  #isEarlierWanted = false;

  constructor(
    private readonly screen: CardScreen,
    private readonly clock: Pick<Clock, "now">,
  ) {}

  /** The displayed cards. */
  get cards(): readonly Card[] {
    return this.#cards;
  }

  /** Whether earlier cards exist. */
  get isShortened(): boolean {
    return this.#cards[0]?.key === EARLIER;
  }

  /** Whether later cards exist. */
  get isBeforeEnd(): boolean {
    return this.#last !== undefined;
  }

  /**
   * Draws new and changed cards, at least one of them. `omitted`: number of entries before those of the cards. Returns
   * `false` if another call is necessary.
   */
  draw(all: readonly Card[], omitted = 0): boolean {
    const end = this.#slide(all),
      { first } = this.#window,
      cards = [
        ...(first + omitted === 0 ? [] : [earlier(first + omitted)]),
        ...all.slice(first, end),
        ...(end === all.length ? [] : [later(all.length - end)]),
      ];
    const steps = cardSteps(this.#cards, cards);
    if (steps.kind === "anew") this.screen.clear();
    else for (const key of steps.gone) this.screen.remove(key);
    const retained = new Map(steps.kind === "anew" ? [] : this.#cards.map(card => [card.key, card]));
    if (steps.kind === "onward") for (const key of steps.gone) retained.delete(key);
    const until = this.clock.now() + SLICE_MS;
    const drawn: Card[] = [];
    let isWhole = true,
      changes = 0;
    for (const card of cards) {
      const before = retained.get(card.key),
        isDone = before !== undefined && isSame(before, card);
      // Draws at least one card, even if comparing unchanged cards has taken the whole slice.
      if (!isDone && changes++ > 0 && this.clock.now() > until) {
        isWhole = false;
        if (before === undefined) break;
        drawn.push(before);
        continue;
      }
      if (before === undefined) this.screen.add(card);
      else if (!isDone) this.#update(before, card);
      if (before === undefined && card.key === EARLIER) this.screen.putFirst(EARLIER);
      drawn.push(card);
    }
    this.#cards = drawn;
    return isWhole;
  }

  /**
   * Extends the window by earlier cards, for the next drawing. The caller must request entries from the sidecar, for
   * the next call and so that the sidecar retains those that the user reads.
   */
  showEarlier(all: readonly Card[], omitted: number): void {
    const { first } = this.#window;
    this.#setWindow(showEarlier(this.#window, all, WINDOW), all);
    this.#isEarlierWanted = first === 0 && omitted > 0;
  }

  /** Moves the window to the newest cards, unless it ends before them. Returns its end. */
  #slide(all: readonly Card[]): number {
    const moved = this.#moved(all);
    if (this.#end(all) < all.length) this.#setWindow(moved, all);
    else {
      const window = slide(moved, all, WINDOW),
        at = window.first === moved.first ? -1 : all.findIndex(({ key }) => key === this.#revealed);
      if (at >= moved.first && at < window.first) this.#setAround(at, all);
      else this.#setWindow(window, all);
    }
    return this.#end(all);
  }

  /** Later cards may displace the revealed one again. */
  release(): void {
    this.#revealed = undefined;
  }

  /** Moves the window for the next drawing so that it contains this card, which new cards do not displace. */
  reveal(key: string, all: readonly Card[]): void {
    this.#revealed = key;
    const at = all.findIndex(card => card.key === key),
      window = this.#moved(all);
    if (at === -1 || (at >= window.first && at < this.#end(all))) return;
    this.#setAround(at, all);
  }

  #setAround(at: number, all: readonly Card[]): void {
    const { first, end } = around(all, at, WINDOW);
    this.#setRange(first, end, all);
  }

  /** Extends the window by later cards, for the next drawing. */
  showLater(all: readonly Card[]): void {
    this.#setRange(this.#moved(all).first, endOf(all, this.#end(all), WINDOW.weight, WINDOW.weightOf), all);
  }

  /** Moves the window to the newest cards, for the next drawing. */
  showNewest(all: readonly Card[]): void {
    this.release();
    this.#last = undefined;
    this.#setWindow(wholeWindow, all);
  }

  #setRange(first: number, end: number, all: readonly Card[]): void {
    this.#last = end < all.length ? all[end - 1]?.key : undefined;
    const extra = Math.max(0, weigh(all, first, end, WINDOW.weightOf) - WINDOW.weight);
    this.#setWindow({ first, extra }, all);
  }

  /** The end of the window. Without its last card, the window contains the newest one. */
  #end(all: readonly Card[]): number {
    const at = this.#last === undefined ? -1 : all.findIndex(({ key }) => key === this.#last);
    if (at === -1) this.#last = undefined;
    return at === -1 ? all.length : at + 1;
  }

  #setWindow(window: SlidingWindow, all: readonly Card[]): void {
    this.#window = window;
    this.#start = all[window.first]?.key;
  }

  /** The window after cards were added or removed at the start. */
  #moved(all: readonly Card[]): SlidingWindow {
    const { first, extra } = this.#window;
    if (this.#start === undefined || all[first]?.key === this.#start) return this.#window;
    const at = all.findIndex(({ key }) => key === this.#start);
    if (this.#isEarlierWanted && at > 0) {
      this.#isEarlierWanted = false;
      return showEarlier({ first: at, extra }, all, WINDOW);
    }
    return first === 0 && (at <= 0 || slide(this.#window, all, WINDOW).first === 0)
      ? this.#window
      : { first: Math.max(0, at), extra };
  }

  #update(before: Card, card: Card): void {
    if (before.growing && !card.growing) return this.screen.end(card);
    // The renderer neither removes paragraphs nor converts them to code blocks, so the body is cleared first.
    if (card.kind !== "prompt" && card.kind !== "answer" && before.body !== card.body) this.screen.clearBody(card.key);
    this.screen.change(card);
  }
}

function earlier(count: number): Card {
  return card(EARLIER, "notice", {
    header: { icon: "info", text: l10n.t`${count} earlier messages`, tone: "plain" },
    buttons: [{ id: EARLIER, label: literal(texts.showEarlier), weight: "plain" }],
  });
}

function later(count: number): Card {
  return card(LATER, "notice", {
    header: { icon: "info", text: l10n.t`${count} later messages`, tone: "plain" },
    buttons: [
      { id: LATER, label: literal(texts.showLater), weight: "plain" },
      { id: NEWEST, label: literal(texts.showNewest), weight: "plain" },
    ],
  });
}

/** Whether both cards are equal for the renderer, which draws only a part of them. */
function isSame(a: Card, b: Card): boolean {
  return (
    a === b ||
    (a.body === b.body &&
      a.growing === b.growing &&
      JSON.stringify({ ...a, ...DRAWN_ELSEWHERE }) === JSON.stringify({ ...b, ...DRAWN_ELSEWHERE }))
  );
}

/** Parts that Symposium's own elements show. */
const DRAWN_ELSEWHERE: Partial<Card> = {
  terminals: [],
  attached: [],
  changes: [],
  diffs: [],
  line: undefined,
  group: undefined,
  isHidden: false,
};
