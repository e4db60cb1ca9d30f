import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { StreamingTexts } from "./streaming-text";
import { safeMarkdown } from "../text/markdown-safe";
import { splitBlocks } from "../text/split-answer";

const paragraph = `${"word ".repeat(900)}\n\n`;

suite("GrowingTexts", () => {
  test("renders a grown text like a complete one", () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a ", "**b**\n\n", "```ts\n", "```\n\n", "![x](y) ", "x".repeat(3_000), "<b>", "`"), {
          maxLength: 12,
        }),
        pieces => {
          const grown = new StreamingTexts();
          let text = "";
          for (const piece of pieces) {
            text += piece;
            deepEqual(
              grown.blocks("a", text),
              splitBlocks(text).map(part => safeMarkdown(part.before + part.text + part.after)),
            );
            deepEqual(grown.cards("a", "answer", text, true), new StreamingTexts().cards("a", "answer", text, true));
          }
        },
      ),
      { numRuns: 200 },
    ));

  test("keeps the card of a finished part and grows only the last", () => {
    const texts = new StreamingTexts();
    const [first, second] = texts.cards("a", "answer", `${paragraph.repeat(2)}b`, true);
    const after = texts.cards("a", "answer", `${paragraph.repeat(2)}bc`, true);
    equal(after[0], first);
    deepEqual(
      after.map(({ key, growing }) => [key, growing]),
      [
        ["a", false],
        ["a#2", false],
        ["a#3", true],
      ],
    );
    equal(after[1], second);
    equal(texts.cards("a", "answer", `${paragraph.repeat(2)}bc`, false)[2]?.growing, false);
  });

  test("renders a replaced text or another entry from the start", () => {
    const texts = new StreamingTexts();
    texts.cards("a", "answer", paragraph.repeat(2), true);
    deepEqual(
      texts.cards("a", "answer", "other", true).map(({ body }) => body),
      ["other"],
    );
    deepEqual(
      texts.cards("b", "answer", "b", true).map(({ key, body }) => [key, body]),
      [["b", "b"]],
    );
    deepEqual(
      texts.cards("a", "prompt", "other", false).map(({ kind }) => kind),
      ["prompt"],
    );
  });

  test("renders no card for white space", () => deepEqual(new StreamingTexts().cards("a", "answer", " \n", true), []));

  test("limits the number of cached texts", () => {
    const texts = new StreamingTexts();
    const card = () => texts.cards("a", "answer", "a", false)[0];
    const first = card();
    equal(card(), first);
    for (let i = 0; i < 20; i++) texts.blocks(String(i), "b");
    notEqual(card(), first);
    ok(first);
  });
});
