import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { IdeRange } from "./ide";
import { boundedHunks, hunksOf, lineAt, linesOf, positionOf, shownLine, type TextEdit } from "./ide-text";

const LINES = ["const one = other.one;", "  return two(one);", "", "añb one𝒳 ones"];
const at = (place: Parameters<typeof positionOf>[1]): unknown => {
  const found = positionOf(LINES, place, "a.ts");
  return "wrong" in found ? found.wrong : `${found.line}:${found.character}`;
};
const range = (line: number, from: number, endLine = line, to = from): IdeRange => ({
  start: { line, character: from },
  end: { line: endLine, character: to },
});

suite("text position", () => {
  test("is a whole word on its line, the last of several names", () => {
    deepEqual(
      [
        at({ line: 0, symbol: "one" }),
        at({ line: 0, symbol: "other.one" }),
        at({ line: 1, symbol: "two(one)" }),
        at({ line: 3, symbol: "one" }),
        at({ line: 3, symbol: "ones" }),
        at({ line: 3, symbol: "b" }),
      ],
      ["0:6", "0:18", "1:13", "it", "3:10", "3"].map((each, i) =>
        i === 3 ? "“one” is not on line 4 of a.ts; it is on lines 1, 2." : i === 5 ? "“b” is not in a.ts." : each,
      ),
    );
  });

  test("is the first match in the file without a line", () =>
    deepEqual([at({ symbol: "two" }), at({ symbol: "return" }), at({ symbol: ";" })], ["1:9", "1:2", "0:21"]));

  test("is a character or the first non-space without a symbol", () => {
    deepEqual([at({ line: 1 }), at({ line: 2 }), at({ line: 1, character: 18 })], ["1:2", "2:0", "1:18"]);
  });

  test("is a sentence if not found", () => {
    deepEqual(
      [
        at({ line: 9 }),
        at({ line: 1, character: 19 }),
        at({ symbol: "nowhere" }),
        at({ line: 2, symbol: "two" }),
        at({}),
      ],
      [
        "a.ts has 4 lines, so line 10 does not exist.",
        "Line 2 of a.ts has 18 characters, so character 20 does not exist.",
        "“nowhere” is not in a.ts.",
        "“two” is not on line 3 of a.ts; it is on line 2.",
        "A line or a symbol is required.",
      ],
    );
  });

  test("has the last name of its symbol (property)", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", ".", " ", "_", "é", "𝒳", "(") });
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 5 }),
        fc.string({ unit: fc.constantFrom("a", "b", ".", "_", "("), minLength: 1, maxLength: 4 }),
        (lines, symbol) => {
          const found = positionOf(lines, { symbol }, "x");
          if (!("wrong" in found))
            ok(
              (lines[found.line] ?? "")
                .slice(found.character)
                .startsWith(/[\p{L}\p{N}_$]+[^\p{L}\p{N}_$]*$/u.exec(symbol)?.[0] ?? symbol),
            );
          else
            ok(
              lines.every(each => !each.split(" ").includes(symbol)),
              found.wrong,
            );
        },
      ),
    );
  });
});

suite("edit hunk", () => {
  test("contains only changed whole lines, once each", () => {
    deepEqual(
      hunksOf(
        ["a b a", "c", "a", ""],
        [
          { range: range(2, 0, 2, 1), newText: "x" },
          { range: range(0, 4, 0, 5), newText: "x" },
          { range: range(0, 0, 0, 1), newText: "x" },
        ],
      ),
      [
        { line: 0, before: ["a b a"], after: ["x b x"] },
        { line: 2, before: ["a"], after: ["x"] },
      ],
    );
    deepEqual(hunksOf(["a", "b"], [{ range: range(0, 0), newText: "// x\n" }]), [
      { line: 0, before: [], after: ["// x"] },
    ]);
    deepEqual(hunksOf(["a", "b", "c"], [{ range: range(1, 0, 2, 0), newText: "" }]), [
      { line: 1, before: ["b"], after: [] },
    ]);
    deepEqual(hunksOf(["a", "b"], [{ range: range(0, 0, 0, 1), newText: "a" }]), []);
    deepEqual(
      hunksOf(
        ["a"],
        [
          { range: range(0, 1), newText: "1" },
          { range: range(0, 1), newText: "2" },
        ],
      ),
      [{ line: 0, before: ["a"], after: ["a12"] }],
    );
    deepEqual(hunksOf(["a"], [{ range: range(7, 0, 9, 3), newText: "x" }]).length, 1);
  });

  const applied = (lines: readonly string[], edits: readonly TextEdit[]): string => {
    const text = lines.join("\n"),
      offset = ({ line, character }: { line: number; character: number }): number =>
        lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + character;
    return [...edits]
      .reverse()
      .reduce(
        (sum, { range: { start, end }, newText }) => sum.slice(0, offset(start)) + newText + sum.slice(offset(end)),
        text,
      );
  };
  test("produces the edited text when applied (property)", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n"), maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 5 }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(), word), { maxLength: 4 }),
        (lines, drafts) => {
          const total = lines.join("\n").length,
            places = drafts.flatMap(([a, b]) => [a % (total + 1), b % (total + 1)]).sort((a, b) => a - b);
          const position = (offset: number) => {
            const before = lines.join("\n").slice(0, offset).split("\n");
            return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
          };
          const edits = drafts.map(([, , newText], i) => ({
            range: { start: position(places[2 * i] ?? 0), end: position(places[2 * i + 1] ?? 0) },
            newText,
          }));
          const after = [...hunksOf(lines, edits)].reverse().reduce<string[]>(
            (sum, { line, before, after: now }) => {
              deepEqual(sum.slice(line, line + before.length), before);
              return [...sum.slice(0, line), ...now, ...sum.slice(line + before.length)];
            },
            [...lines],
          );
          equal(after.join("\n"), applied(lines, edits));
        },
      ),
    );
  });

  test("is cut between hunks with truncated lines in a preview", () => {
    const hunk = { line: 0, before: ["x".repeat(500)], after: [] },
      { hunks, remaining } = boundedHunks([hunk, hunk, hunk], 900);
    deepEqual([hunks.length, remaining, hunks[0]?.before[0]?.length], [2, 1, 401]);
    equal(shownLine("abc", 2), "ab…");
  });
});

test("uses LSP's line endings", () => {
  deepEqual(linesOf("a\r\nb\rc\nd\n"), ["a", "b", "c", "d", ""]);
  deepEqual([lineAt(["a"], range(0, 0)), lineAt(["a"], range(1, 0))], [{ text: "a" }, {}]);
});
