import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { MAX_WEIGHT, showEarlier, slide, DEFAULT_WEIGHT, weightOf, wholeWindow, type CardWindow } from "./card-window";

const cards = (count: number, characters = 0) =>
  Array.from({ length: count }, () => ({ body: "x".repeat(characters) }));
const weigh = (all: readonly { readonly body: string }[]): number => all.reduce((sum, card) => sum + weightOf(card), 0);

suite("card window", () => {
  test("respects its limits and always contains the newest card", () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.array(fc.nat(9_000), { maxLength: 30 }), fc.constant("earlier" as const)), {
          maxLength: 20,
        }),
        steps => {
          let window: CardWindow = wholeWindow;
          const all: { readonly body: string }[] = [];
          for (const step of steps) {
            const before = window,
              had = all.length;
            if (step === "earlier") window = showEarlier(window, all);
            else {
              all.push(...step.map(length => ({ body: "x".repeat(length) })));
              window = slide(window, all);
            }
            const shown = all.slice(window.first);
            ok(window.first >= 0 && (all.length === 0 || shown.length > 0));
            ok(weigh(shown) <= MAX_WEIGHT + window.extra);
            // The window moves only above the limit, and only as far as necessary.
            if (window.first > before.first)
              ok(
                weigh(all.slice(window.first - 1)) > DEFAULT_WEIGHT + window.extra &&
                  weigh(all.slice(before.first)) > MAX_WEIGHT + window.extra,
              );
            if (step === "earlier") ok(window.first < before.first || before.first === 0);
            else ok(window.first >= before.first, String(had));
          }
        },
      ),
      { numRuns: 300 },
    ));

  test("keeps a hundred of more than 150 short cards, and fewer long ones", () => {
    deepEqual(slide(wholeWindow, cards(150)), { first: 0, extra: 0 });
    deepEqual(slide(wholeWindow, cards(151)), { first: 51, extra: 0 });
    deepEqual(slide(wholeWindow, cards(50, 4_000)), { first: 30, extra: 0 });
  });

  test("shows a single oversized card", () => equal(slide(wholeWindow, cards(2, 200_000)).first, 1));

  test("keeps cards that the user requested", () => {
    const asked = showEarlier(slide(wholeWindow, cards(400)), cards(400));
    deepEqual(asked, { first: 200, extra: 100 });
    equal(slide(asked, cards(410)).first, 200);
    equal(slide(asked, cards(451)).first, 251);
  });

  test("shows all cards of a shortened conversation", () => equal(slide({ first: 30, extra: 0 }, cards(10)).first, 10));
});
