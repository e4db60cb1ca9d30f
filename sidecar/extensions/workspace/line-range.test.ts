import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { partOf, wholeCharacters } from "./line-range";

const textOf = (...args: Parameters<typeof partOf>): string => {
  const part = partOf(...args);
  return part.kind === "part" ? part.text : part.why;
};

suite("line range of a file", () => {
  const five = "1\n2\n3\n4\n5\n";

  test("returns everything or an inclusive range", () => {
    equal(textOf(five, undefined, undefined), five);
    deepEqual(
      [
        textOf(five, 2, 3),
        textOf(five, 4, undefined),
        textOf(five, undefined, 2),
        textOf(five, 5, 99),
        textOf("", 1, 1),
      ],
      ["2\n3", "4\n5", "1\n2", "5", ""],
    );
  });

  test("normalizes line endings and removes the byte order mark", () =>
    equal(textOf("\uFEFFa\r\nb\r\n", undefined, undefined), "a\nb\n"));

  test("returns a sentence if invalid", () => {
    equal(textOf(five, 6, undefined), "The file has only 5 lines.");
    equal(textOf(five, 3, 2), "endLine must not be before startLine.");
    for (const [start, end] of [
      [0, undefined],
      [1.5, undefined],
      [undefined, 0],
      [NaN, 1],
    ] as const)
      ok(textOf(five, start, end).endsWith("must be a line number; the first is 1."), `${start} ${end}`);
  });

  test("is cut at a line with the next start line if too long", () => {
    equal(textOf(five, undefined, undefined, 5), "1\n2\n[These are lines 1 to 2 of 5: continue with startLine 3.]");
    equal(textOf(five, 3, 5, 3), "3\n[These are lines 3 to 3 of 5: continue with startLine 4.]");
    equal(
      textOf("abcdef\nx", undefined, undefined, 3),
      "abc\n[Line 1 is too long to be shown: 6 characters. The file has 2 lines: continue with startLine 2.]",
    );
    equal(textOf("abcdef", undefined, undefined, 3), "abc\n[Line 1 is too long to be shown: 6 characters.]");
    equal(wholeCharacters("a😀b", 2), "a");
  });

  test("covers every line once when continued as stated", () =>
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 4 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 6, max: 20 }),
        (lines, most) => {
          const read: string[] = [];
          for (let start = 1; ; ) {
            const text = textOf(lines.join("\n"), start, undefined, most),
              [whole, , next] = /\n?\[These are lines (\d+) to \d+ of \d+: continue with startLine (\d+)\.\]$/.exec(
                text,
              ) ?? [""];
            read.push(...text.slice(0, text.length - whole.length).split("\n"));
            if (next === undefined) break;
            start = Number(next);
          }
          deepEqual(read, lines.at(-1) === "" ? (lines.length === 1 ? [""] : lines.slice(0, -1)) : lines);
        },
      ),
    ));
});
