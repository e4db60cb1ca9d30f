import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { closed, codeBlock, fenceAfter, type Fence } from "./code-fence";
import { PART_SIZE, splitBlocks, splitOn, type Split } from "./split-answer";

const line = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }).map(text => text.replaceAll("\n", " ")) },
  { weight: 2, arbitrary: fc.constant("") },
  {
    weight: 2,
    arbitrary: fc.constantFrom("```", "```ts", "~~~", "````", "  ```", "- ```", "> ```js", "😀😀😀😀😀😀😀😀😀😀😀😀"),
  },
);
const markdown = fc.array(line, { maxLength: 40 }).map(lines => lines.join("\n"));
const size = { enough: 20, max: 50 };
const openAtEnd = (text: string) => text.split("\n").reduce<Fence | undefined>(fenceAfter, undefined);

suite("splitBlocks", () => {
  test("returns parts that join to the text, respect the size limit and close code except in the last part", () =>
    fc.assert(
      fc.property(markdown, text => {
        const parts = splitBlocks(text, size);
        equal(parts.map(part => part.text).join(""), text);
        for (const part of parts) ok(part.text.length <= size.max);
        for (const part of parts.slice(0, -1)) equal(openAtEnd(part.before + part.text + part.after), undefined);
      }),
      { numRuns: 1500 },
    ));

  test("changes only the last part while the text grows", () =>
    fc.assert(
      fc.property(markdown, fc.nat(), (text, cut) => {
        const before = splitBlocks(text.slice(0, cut % (text.length + 1)), size).slice(0, -1);
        deepEqual(splitBlocks(text, size).slice(0, before.length), before);
      }),
      { numRuns: 1500 },
    ));

  test("returns the same parts incrementally and at once, with identical objects", () =>
    fc.assert(
      fc.property(markdown, fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
        let split: Split | undefined;
        for (const cut of [...cuts.map(n => n % (text.length + 1)).sort((a, b) => a - b), text.length]) {
          const before: readonly unknown[] = split?.parts.slice(0, -1) ?? [];
          split = splitOn(split, text.slice(0, cut), size);
          for (const [i, part] of before.entries()) equal(split.parts[i], part);
        }
        deepEqual(split?.parts, splitBlocks(text, size));
      }),
      { numRuns: 1500 },
    ));

  test("starts over for a text that is not a continuation", () => {
    const split = splitOn(undefined, "b".repeat(120), size);
    deepEqual(splitOn(split, "a".repeat(70), size).parts, splitBlocks("a".repeat(70), size));
  });

  test("keeps surrogate pairs together", () =>
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 30, max: 60 }), (letters, emoji) => {
        for (const { text } of splitBlocks("a".repeat(letters) + "😀".repeat(emoji), size))
          ok(!/[\ud800-\udbff]$|^[\udc00-\udfff]/.test(text));
      }),
    ));

  test("splits an answer between blocks at 4,000 characters", () => {
    const paragraph = `${"word ".repeat(500)}\n\n`;
    const parts = splitBlocks(paragraph.repeat(5));
    deepEqual(
      parts.map(({ text }) => text.length),
      [5_004, 5_004, 2_502],
    );
    equal(splitBlocks("x".repeat(PART_SIZE.enough)).length, 1);
  });

  test("does not split a list item, a code block or a continued paragraph", () => {
    const [first] = splitBlocks(`${"a".repeat(25)}\n\n  indented`, size);
    equal(first?.text, `${"a".repeat(25)}\n\n  indented`);
    equal(splitBlocks(`\`\`\`\n${"a".repeat(20)}\n\nb\n\`\`\``, size).length, 1);
  });
});

suite("code fence", () => {
  test("is not closed by any text inside", () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom("```", "````", "~~~", "a`b", "x"), { maxLength: 8 }), lines => {
        equal(openAtEnd(codeBlock(lines.join("\n"), "ts").split("\n").slice(0, -1).join("\n")) !== undefined, true);
        equal(openAtEnd(codeBlock(lines.join("\n"), "ts")), undefined);
      }),
    ));

  test("is closed before following text", () =>
    fc.assert(
      fc.property(markdown, text => {
        equal(openAtEnd(closed(text)), undefined);
      }),
    ));

  test("is closed only by its own kind of at least the same length", () => {
    const open = fenceAfter(undefined, "````ts");
    for (const inside of ["```", "~~~~", "````ts"]) equal(fenceAfter(open, inside), open);
    equal(fenceAfter(open, "`````  "), undefined);
    equal(fenceAfter(undefined, "``` not `a` fence"), undefined);
  });
});
