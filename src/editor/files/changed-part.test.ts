import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { changedPart } from "./changed-part";

suite("changedPart", () => {
  test("returns the part between common prefix and suffix", () => {
    deepEqual(changedPart("one two three", "one 2 three"), { start: 4, end: 7, text: "2" });
    deepEqual(changedPart("aa", "aaa"), { start: 2, end: 2, text: "a" });
    deepEqual(changedPart("aaa", "aa"), { start: 2, end: 3, text: "" });
    deepEqual(changedPart("", "x"), { start: 0, end: 0, text: "x" });
    equal(changedPart("same", "same"), undefined);
  });

  test("splits neither a line ending nor a character", () => {
    deepEqual(changedPart("a\r\nb", "a\r\n\r\nb"), { start: 3, end: 3, text: "\r\n" });
    deepEqual(changedPart("a\rb", "a\r\nb"), { start: 1, end: 2, text: "\r\n" });
    deepEqual(changedPart("x😀", "x😁"), { start: 1, end: 3, text: "😁" });
  });

  test("converts one text to the other at valid caret positions (property)", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "\n", "\r\n", "\r", "😀", "😁"), { maxLength: 10 })
      .map(parts => parts.join(""));
    const isWhole = (piece: string): boolean => !/[\uD800-\uDBFF]$|^[\uDC00-\uDFFF]/.test(piece);
    fc.assert(
      fc.property(text, text, (before, after) => {
        const part = changedPart(before, after);
        if (part === undefined) return void equal(before, after);
        equal(before.slice(0, part.start) + part.text + before.slice(part.end), after);
        for (const piece of [before.slice(0, part.start), before.slice(part.end), part.text]) ok(isWhole(piece));
        for (const at of [part.start, part.end]) ok(!(before[at - 1] === "\r" && before[at] === "\n"));
      }),
    );
  });
});
