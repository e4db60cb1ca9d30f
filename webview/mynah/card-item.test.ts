import { deepEqual, equal } from "node:assert/strict";
import { card, type Card } from "../view-model/cards/card";
import { bannerItem, itemContent } from "./card-item";

const image: Card = card("i", "media", { pictures: [{ src: "data:image/png;base64,AAAA", alt: "Image" }] });

suite("card item", () => {
  test("renders a picture as an element and clears a removed one", () => {
    const attributes = { src: "data:image/png;base64,AAAA", alt: "Image", role: "button", tabindex: "0" };
    const element = { type: "img", attributes: { ...attributes, title: "Zoom In", "aria-haspopup": "dialog" } };
    deepEqual([itemContent(image, "new").body, itemContent(image, "new").customRenderer], [null, [element]]);
    const folded = itemContent({ ...image, folded: ["a", ...image.pictures] }, "update");
    deepEqual(
      [folded.body, folded.customRenderer, folded.summary?.collapsedContent],
      [
        null,
        null,
        [
          { body: "a", wrapCodes: true },
          { body: null, customRenderer: [element] },
        ],
      ],
    );
    equal(itemContent({ ...image, pictures: [] }, "update").customRenderer, null);
  });

  test("keeps the user's unfolded state on updates", () => {
    const folded = card("t", "tool", { folded: ["a"], startsUnfolded: true });
    deepEqual(
      [itemContent(folded, "new").summary?.isCollapsed, itemContent(folded, "update").summary?.isCollapsed],
      [false, undefined],
    );
    deepEqual([itemContent(image, "new").summary, itemContent(image, "update").summary], [undefined, null]);
  });

  test("keeps all buttons enabled beside a persistent one", () => {
    const allow = { id: "option:a", label: "Allow", weight: "main" } as const,
      diff = { id: "change:0", label: "Open Diff", weight: "quiet", stays: true } as const;
    const disabled = (...buttons: Card["buttons"]) =>
      itemContent(card("p", "permission", { buttons }), "new").buttons?.map(button => button.disabled);
    deepEqual([disabled(allow), disabled(allow, diff), disabled()], [[undefined], [false, false], undefined]);
  });

  test("keeps a persistent banner button enabled", () =>
    deepEqual(
      bannerItem({
        tone: "info",
        text: "x",
        buttons: [
          { id: "a", label: "A", weight: "quiet", stays: true },
          { id: "b", label: "B", weight: "main" },
        ],
      }).buttons?.map(({ disabled }) => disabled),
      [false, undefined],
    ));

  test("renders a banner as a card with its text in the header", () =>
    equal(bannerItem({ tone: "info", text: "x", buttons: [] }).header.body, "x"));
});
