import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Diff } from "../../../src/protocol/chat/diff-places";
import { countsOf, numberedHunks, type Hunk } from "./diff-lines";

const diff = (oldText: string | undefined, newText: string): Diff => ({
  kind: "diff",
  path: "/a",
  newText,
  ...(oldText === undefined ? {} : { oldText }),
});
const MARK = { same: " ", added: "+", removed: "-" } as const;
const shown = (hunks: readonly Hunk[]): readonly string[] =>
  hunks.map(hunk => hunk.map(({ kind, number = "", text }) => `${number}${MARK[kind]}${text}`).join("\n"));

suite("lines of a diff", () => {
  test("have three lines around each change, and numbers from the given line", () => {
    const before = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`),
      after = before.with(4, "five").with(24, "twenty-five");
    deepEqual(shown(numberedHunks(diff(before.join("\n"), after.join("\n")), 101)), [
      "102 line 2\n103 line 3\n104 line 4\n105-line 5\n105+five\n106 line 6\n107 line 7\n108 line 8",
      "122 line 22\n123 line 23\n124 line 24\n125-line 25\n125+twenty-five\n126 line 26\n127 line 27\n128 line 28",
    ]);
  });

  test("have no numbers in an excerpt at an unknown place, and numbers from 1 in a new file", () => {
    deepEqual(shown(numberedHunks(diff("a\n", "b\n"), undefined)), ["-a\n+b"]);
    deepEqual(shown(numberedHunks(diff(undefined, "a\nb\n"), undefined)), ["1+a\n2+b"]);
  });

  test("do not differ for another kind of line end", () => {
    deepEqual(numberedHunks(diff("a\r\nb\r\n", "a\nb\n"), 1), []);
  });

  test("are counted", () => {
    deepEqual(countsOf(diff("a\nb\nc\n", "a\nB\nc\nd\n")), { added: 2, removed: 1 });
    deepEqual(countsOf(diff(undefined, "")), { added: 0, removed: 0 });
  });

  test("contain the old and the new text", () => {
    const line = fc.constantFrom("a", "b", "", "c d", "-x", "+y");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.array(line, { maxLength: 40 }), (before, after) => {
        let old: readonly string[] = before;
        // From the last hunk, so that the earlier numbers of the old text stay valid.
        for (const hunk of numberedHunks(diff(text(before), text(after)), 1).toReversed()) {
          const replaced = hunk.filter(({ kind }) => kind !== "added").map(each => each.text),
            replacement = hunk.filter(({ kind }) => kind !== "removed").map(each => each.text),
            at = startIn(hunk, old.length);
          deepEqual(old.slice(at, at + replaced.length), replaced);
          old = old.toSpliced(at, replaced.length, ...replacement);
        }
        deepEqual(old, after);
      }),
    );
  });

  test("are one change if large texts differ everywhere", () => {
    const lines = (mark: string): string => Array.from({ length: 5_000 }, (_, i) => `${mark}${i}`).join("\n"),
      hunks = numberedHunks(diff(`same\n${lines("a")}\nend`, `same\n${lines("b")}\nend`), 1);
    equal(hunks.length, 1);
    deepEqual(countsOf(diff(`same\n${lines("a")}\nend`, `same\n${lines("b")}\nend`)), { added: 5_000, removed: 5_000 });
    ok(hunks[0]?.[0]?.text === "same" && hunks[0].at(-1)?.text === "end");
  });
});

const text = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join("");

/** Index of the hunk's first old line. */
function startIn(hunk: Hunk, length: number): number {
  const first = hunk.find(({ kind }) => kind === "removed"),
    context = hunk.findIndex(({ kind }) => kind === "removed");
  if (first?.number !== undefined)
    return first.number - 1 - hunk.slice(0, context).filter(({ kind }) => kind === "same").length;
  // Without removed lines, the numbers are those of the new text; earlier hunks are not applied yet.
  return startOfAddition(hunk, length);
}

function startOfAddition(hunk: Hunk, length: number): number {
  return Math.min(length, (hunk[0]?.number ?? 1) - 1);
}
