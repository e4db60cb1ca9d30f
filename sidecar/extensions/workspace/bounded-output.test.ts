import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { HeadAndTail } from "./bounded-output";

const boundedText = (pieces: readonly string[], first?: number, last?: number): string => {
  const text = new HeadAndTail(first, last);
  for (const piece of pieces) text.push(piece);
  return text.toString();
};

suite("head and tail of command output", () => {
  test("contains short output completely", () => equal(boundedText(["ab", "", "c\n"]), "abc\n"));

  test("contains beginning, end and the number of omitted characters", () => {
    equal(boundedText(["abcdef", "ghij"], 2, 3), "ab\n[5 characters are omitted.]\nhij");
    equal(boundedText(["a😀", "bcde", "😀f"], 2, 2), "a\n[8 characters are omitted.]\nf", "no half of a character");
  });

  test("contains no colours and only \\n line endings", () =>
    equal(boundedText(["\x1b[1;32mok\x1b[0m \x1b]0;title\x07done\r\n"]), "ok done\n"));

  test("has bounded length and the correct omitted count for any chunks", () =>
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", "b", "\n", "😀"), maxLength: 9 }), { maxLength: 30 }),
        fc.nat(8),
        fc.integer({ min: 1, max: 8 }),
        (pieces, first, last) => {
          const whole = pieces.join(""),
            text = boundedText(pieces, first, last),
            [mark, missing] = /\n\[(\d+) characters are omitted\.\]\n/.exec(text) ?? [];
          if (mark === undefined) return void equal(text, whole);
          const at = text.indexOf(mark),
            beginning = text.slice(0, at),
            end = text.slice(at + mark.length);
          ok(
            whole.length > first + last &&
              beginning.length <= first &&
              end.length <= last &&
              whole.startsWith(beginning) &&
              whole.endsWith(end),
          );
          equal(beginning.length + Number(missing) + end.length, whole.length);
        },
      ),
    ));

  test("uses bounded memory", () => {
    const text = new HeadAndTail();
    for (let i = 0; i < 20_000; i++) text.push("x".repeat(100));
    ok(text.toString().length < 31_000);
  });
});
