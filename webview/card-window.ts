/**
 * The newest cards of a long conversation: a renderer with thousands of live cards is slow. Pure.
 * Invariant: the window moves rarely (each move draws all of it again), and never shrinks below what the user asked for.
 */
export interface CardWindow {
  /** Index of the first card that is drawn. */
  readonly first: number;
  /** Cards that the user asked to see beyond the usual. */
  readonly extra: number;
}

export const wholeWindow: CardWindow = { first: 0, extra: 0 };

const USUAL = 100;
const MOST = 150;

export function slide({ first, extra }: CardWindow, count: number): CardWindow {
  const most = MOST + extra;
  return { first: count - first > most ? count - USUAL - extra : Math.min(first, count), extra };
}

export function showEarlier({ first, extra }: CardWindow): CardWindow {
  const more = Math.min(USUAL, first);
  return { first: first - more, extra: extra + more };
}
