import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { hunksOf, lineEdits, linesOf } from "./line-edits";

/** Texts of few different lines, with and without a last line end, with CRLF and a null byte. */
const line = fc.constantFrom("a\n", "b\n", "c\r\n", "\n", "\0\n", "d\n"),
  text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("", "", "end"))
    .map(([lines, end]) => lines.join("") + end);

suite("line edits", () => {
  test("splits a text into its lines", () => {
    deepEqual(linesOf(""), []);
    deepEqual(linesOf("a\r\nb"), ["a\r\n", "b"]);
    deepEqual(linesOf("\n\n"), ["\n", "\n"]);
    fc.assert(fc.property(fc.string({ unit: "binary-ascii" }), each => equal(linesOf(each).join(""), each)));
  });

  test("finds edits that lead from one text to the other, in order, with an equal line between them", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const old = linesOf(before),
          edits = lineEdits(before, after),
          parts: string[] = [];
        let at = -1;
        for (const { start, end, lines } of edits) {
          ok(start > at && end >= start, JSON.stringify(edits));
          parts.push(...old.slice(Math.max(at, 0), start), ...lines);
          at = end;
        }
        equal([...parts, ...old.slice(Math.max(at, 0))].join(""), after);
      }),
    );
  });

  test("names the same lines in both texts", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const edits = lineEdits(before, after),
          [old, now] = [linesOf(before), linesOf(after)];
        let at = { old: 0, now: 0 };
        hunksOf(edits).forEach(({ reviewed, current }, i) => {
          deepEqual(old.slice(at.old, reviewed.start), now.slice(at.now, current.start));
          deepEqual(now.slice(current.start, current.end), edits[i]?.lines);
          at = { old: reviewed.end, now: current.end };
        });
        deepEqual(old.slice(at.old), now.slice(at.now));
      }),
    );
  });

  test("compares texts that differ everywhere by their ends, in bounded time", () => {
    const many = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join("");
    const edits = lineEdits(`same\n${many("a")}last\n`, `same\n${many("b")}last\n`);
    deepEqual(
      edits.map(({ start, end, lines }) => [start, end, lines.length]),
      [[1, 20_001, 20_000]],
    );
  });
});
