/** Computes the steps from the displayed cards to the wanted cards. Pure; `card-list.ts` executes them. */
import type { Card } from "./card";

/** Key of the first card, which is displayed while earlier cards are not drawn. */
export const EARLIER = "symposium-earlier";
/** Key of the last card, which is displayed while later cards are not drawn. */
export const LATER = "symposium-later";
/** Button of that card that shows the newest cards. */
export const NEWEST = "symposium-newest";

export type CardSteps =
  /** Draws all cards again. Necessary for most changes of the order, because the renderer can only append. */
  | { readonly kind: "anew" }
  /**
   * `gone`: keys of the cards to remove from the start, and `LATER` if another card follows or it is obsolete. `first`:
   * the `EARLIER` card is new. The remaining cards are updated in place, and new ones are appended.
   */
  | { readonly kind: "onward"; readonly gone: readonly string[]; readonly first: boolean };

export function cardSteps(shown: readonly Pick<Card, "key">[], wanted: readonly Pick<Card, "key">[]): CardSteps {
  const before = withoutLast(withoutFirst(shown)),
    after = withoutLast(withoutFirst(wanted));
  const start = after[0]?.key;
  const from = start === undefined ? before.length : before.findIndex(({ key }) => key === start);
  if ((hasFirst(shown) && !hasFirst(wanted)) || (before.length > 0 && from === -1)) return { kind: "anew" };
  const gone = before.slice(0, Math.max(0, from)),
    stay = before.slice(gone.length);
  if (
    gone.some(({ key }) => after.some(each => each.key === key)) ||
    stay.length > after.length ||
    stay.some(({ key }, i) => after[i]?.key !== key)
  )
    return { kind: "anew" };
  const isLastGone = hasLast(shown) && (!hasLast(wanted) || stay.length < after.length);
  return {
    kind: "onward",
    gone: [...gone.map(({ key }) => key), ...(isLastGone ? [LATER] : [])],
    first: hasFirst(wanted) && !hasFirst(shown),
  };
}

const hasFirst = (cards: readonly Pick<Card, "key">[]): boolean => cards[0]?.key === EARLIER;
const withoutFirst = (cards: readonly Pick<Card, "key">[]): readonly Pick<Card, "key">[] =>
  hasFirst(cards) ? cards.slice(1) : cards;
const hasLast = (cards: readonly Pick<Card, "key">[]): boolean => cards.at(-1)?.key === LATER;
const withoutLast = (cards: readonly Pick<Card, "key">[]): readonly Pick<Card, "key">[] =>
  hasLast(cards) ? cards.slice(0, -1) : cards;
