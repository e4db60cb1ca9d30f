/** From the cards that are on screen to those that are to be there. Pure; `chat-ui.ts` takes the steps. */
import type { Card } from "./card";

/** The card that stands before all others while some of these are not drawn. */
export const EARLIER = "symposium-earlier";

export type CardSteps =
  /** The renderer can only add at the end: whatever else changed in their order begins again. */
  | { readonly kind: "anew" }
  /**
   * These go, from the first on; `first`: the card that says so is new. What follows is changed where it stands, or
   * added at the end.
   */
  | { readonly kind: "onward"; readonly gone: readonly string[]; readonly first: boolean };

export function cardSteps(shown: readonly Pick<Card, "key">[], wanted: readonly Pick<Card, "key">[]): CardSteps {
  const before = withoutFirst(shown),
    after = withoutFirst(wanted);
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
  return { kind: "onward", gone: gone.map(({ key }) => key), first: hasFirst(wanted) && !hasFirst(shown) };
}

const hasFirst = (cards: readonly Pick<Card, "key">[]): boolean => cards[0]?.key === EARLIER;
const withoutFirst = (cards: readonly Pick<Card, "key">[]): readonly Pick<Card, "key">[] =>
  hasFirst(cards) ? cards.slice(1) : cards;
