/**
 * Window on the newest cards of a long conversation, because a renderer with thousands of live cards or a million
 * characters is slow. Pure.
 *
 * Invariants:
 * - The window moves rarely.
 * - The window never shrinks below the user's request.
 * - The window always contains the newest card.
 */
import type { Card } from "./card";

export interface CardWindow {
  /** Index of the first drawn card. */
  readonly first: number;
  /** Additional weight that the user requested; see `weightOf`. */
  readonly extra: number;
}

export const wholeWindow: CardWindow = { first: 0, extra: 0 };

/** Weight of a card: 1, plus 1 per 1000 characters. */
export const weightOf = ({ body }: Pick<Card, "body">): number => 1 + Math.floor(body.length / 1_000);
export const DEFAULT_WEIGHT = 100;
export const MAX_WEIGHT = 150;

type Cards = readonly Pick<Card, "body">[];

export function slide({ first, extra }: CardWindow, cards: Cards): CardWindow {
  const from = Math.min(first, cards.length);
  return {
    first:
      weigh(cards, from) > MAX_WEIGHT + extra
        ? Math.max(from, startOf(cards, cards.length, DEFAULT_WEIGHT + extra))
        : from,
    extra,
  };
}

export function showEarlier({ first, extra }: CardWindow, cards: Cards): CardWindow {
  const earlier = startOf(cards, first, DEFAULT_WEIGHT);
  return { first: earlier, extra: extra + weigh(cards.slice(0, first), earlier) };
}

const weigh = (cards: Cards, from: number): number => cards.slice(from).reduce((sum, card) => sum + weightOf(card), 0);

/** Start index of the last cards before `end` with a total weight of at most `maxWeight`; at least one card. */
function startOf(cards: Cards, end: number, maxWeight: number): number {
  let first = end,
    weight = 0;
  while (first > 0) {
    weight += weightOf(cards[first - 1] ?? { body: "" });
    if (weight > maxWeight && first < end) break;
    first--;
  }
  return first;
}
