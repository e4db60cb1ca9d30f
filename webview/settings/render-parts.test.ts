import { deepEqual } from "node:assert/strict";
import { picture } from "./render-parts";

const svg = (fill: string): string => `data:image/svg+xml;base64,${btoa(`<svg fill="${fill}"/>`)}`;

suite("agent picture", () => {
  test("draws an icon in the text color as a mask, another as an image, and none as the first letter", () =>
    deepEqual(
      [svg("currentColor"), svg("red"), "https://example.com/icon.svg", undefined].map(address => {
        const { tag, key } = picture(address, "Ada");
        return [tag, key];
      }),
      [
        ["span", "ink"],
        ["img", "img"],
        ["span", "letter"],
        ["span", "letter"],
      ],
    ));
});
