import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  around,
  showEarlier,
  slide,
  weightOfCharacters,
  wholeWindow,
  type SlidingWindow,
  type WindowLimits,
} from "./sliding-window";

interface Card {
  readonly body: string;
}
const LIMITS: WindowLimits<Card> = {
    weight: 100,
    maxWeight: 150,
    weightOf: ({ body }) => weightOfCharacters(body.length),
  },
  { weightOf } = LIMITS;
const cards = (count: number, characters = 0) =>
  Array.from({ length: count }, () => ({ body: "x".repeat(characters) }));
const weigh = (all: readonly { readonly body: string }[]): number => all.reduce((sum, card) => sum + weightOf(card), 0);

suite("sliding window", () => {
  test("respects its limits and always contains the newest card", () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.array(fc.nat(9_000), { maxLength: 30 }), fc.constant("earlier" as const)), {
          maxLength: 20,
        }),
        steps => {
          let window: SlidingWindow = wholeWindow;
          const all: { readonly body: string }[] = [];
          for (const step of steps) {
            const before = window,
              had = all.length;
            if (step === "earlier") window = showEarlier(window, all, LIMITS);
            else {
              all.push(...step.map(length => ({ body: "x".repeat(length) })));
              window = slide(window, all, LIMITS);
            }
            const shown = all.slice(window.first);
            ok(window.first >= 0 && (all.length === 0 || shown.length > 0));
            ok(weigh(shown) <= LIMITS.maxWeight + window.extra);
            // The window moves only above the limit, and only as far as necessary.
            if (window.first > before.first)
              ok(
                weigh(all.slice(window.first - 1)) > LIMITS.weight + window.extra &&
                  weigh(all.slice(before.first)) > LIMITS.maxWeight + window.extra,
              );
            if (step === "earlier") ok(window.first < before.first || before.first === 0);
            else ok(window.first >= before.first, String(had));
          }
        },
      ),
      { numRuns: 300 },
    ));

  test("keeps a hundred of more than 150 short cards, and fewer long ones", () => {
    deepEqual(slide(wholeWindow, cards(150), LIMITS), { first: 0, extra: 0 });
    deepEqual(slide(wholeWindow, cards(151), LIMITS), { first: 51, extra: 0 });
    deepEqual(slide(wholeWindow, cards(50, 4_000), LIMITS), { first: 30, extra: 0 });
  });

  test("shows a single oversized card", () => equal(slide(wholeWindow, cards(2, 200_000), LIMITS).first, 1));

  test("keeps cards that the user requested", () => {
    const asked = showEarlier(slide(wholeWindow, cards(400), LIMITS), cards(400), LIMITS);
    deepEqual(asked, { first: 200, extra: 100 });
    equal(slide(asked, cards(410), LIMITS).first, 200);
    equal(slide(asked, cards(451), LIMITS).first, 251);
  });

  test("shows all cards of a shortened conversation", () =>
    equal(slide({ first: 30, extra: 0 }, cards(10), LIMITS).first, 10));

  test("places a range around an item (property)", () =>
    fc.assert(
      fc.property(fc.array(fc.nat(90_000), { minLength: 1, maxLength: 300 }), fc.nat(), (lengths, n) => {
        const all = lengths.map(length => ({ body: "x".repeat(length) })),
          at = n % all.length,
          { first, end } = around(all, at, LIMITS),
          half = LIMITS.weight / 2;
        ok(first <= at && at < end && end <= all.length);
        ok(weigh(all.slice(first, at)) <= half || at - first === 1);
        if (end < all.length) ok(weigh(all.slice(at, end)) <= half || end - at === 1);
        else ok(weigh(all.slice(at)) <= LIMITS.weight || weigh(all.slice(at + 1)) <= half);
        ok(first === 0 || weigh(all.slice(first - 1, at)) > half, "it contains as much as possible");
      }),
    ));
});
