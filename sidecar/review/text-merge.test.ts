import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { linesOf } from "../../src/protocol/review/line-edits";
import { merge, mergePreferringOurs } from "./text-merge";

/** Texts of few different lines, with and without a last line end, with CRLF and a null byte. */
const line = fc.constantFrom("a\n", "b\n", "c\r\n", "\n", "\0\n", "d\n"),
  text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("", "", "end"))
    .map(([lines, end]) => lines.join("") + end);

/** A numbered base, and texts made of it by replacing, deleting and inserting around lines. */
const BASE = Array.from({ length: 20 }, (_, i) => `${i}\n`);
const edited = (side: string, places: (n: number) => number = n => n) =>
  fc
    .dictionary(
      fc.nat(19).map(n => String(places(n))),
      fc.constantFrom("replace", "delete", "insert"),
      { maxKeys: 6 },
    )
    .map(changes =>
      BASE.map((each, i) => {
        const change = changes[i];
        if (change === "replace") return `${side} for ${each}`;
        if (change === "delete") return "";
        return change === "insert" ? `${side} before ${each}${each}` : each;
      }).join(""),
    );

suite("text merge", () => {
  test("takes the changes of one side if the other has none, and equal changes once", () => {
    fc.assert(
      fc.property(text, text, (base, side) => {
        deepEqual(merge(base, side, base), { kind: "merged", text: side });
        deepEqual(merge(base, base, side), { kind: "merged", text: side });
        deepEqual(merge(base, side, side), { kind: "merged", text: side });
      }),
    );
  });

  test("keeps every line of both sides, in either order of the sides, or reports their overlap", () => {
    fc.assert(
      fc.property(edited("our"), edited("their"), (ours, theirs) => {
        const merged = merge(BASE.join(""), ours, theirs),
          exchanged = merge(BASE.join(""), theirs, ours);
        equal(merged.kind, exchanged.kind);
        if (merged.kind === "conflict") return ok(merged.overlaps.length > 0);
        deepEqual(merged, exchanged);
        const lines = linesOf(merged.text);
        for (const side of [ours, theirs])
          for (const each of linesOf(side)) if (/our|their/.test(each)) ok(lines.includes(each), each);
        for (const each of BASE)
          equal(
            lines.includes(each),
            [ours, theirs].every(side => linesOf(side).includes(each)),
            each,
          );
      }),
    );
  });

  test("undoes the edits of one side in the merged text, and nothing else", () => {
    const even = (n: number): number => n - (n % 4),
      odd = (n: number): number => even(n) + 2;
    fc.assert(
      fc.property(edited("our", even), edited("their", odd), (ours, theirs) => {
        const base = BASE.join(""),
          merged = merge(base, ours, theirs);
        ok(merged.kind === "merged");
        deepEqual(merge(theirs, merged.text, base), { kind: "merged", text: ours });
      }),
    );
  });

  test("merges adjacent lines, and reports two insertions at one place", () => {
    deepEqual(merge("a\nb\n", "A\nb\n", "a\nB\n"), { kind: "merged", text: "A\nB\n" });
    deepEqual(merge("a\nb\n", "b\n", "a\nx\nb\n"), { kind: "merged", text: "x\nb\n" });
    equal(merge("a\nb\n", "a\nx\nb\n", "a\ny\nb\n").kind, "conflict");
    equal(merge("a\nb\n", "A\nb\n", "a\nx\nb\n").kind, "conflict");
    equal(merge("a\nb\nc\n", "c\n", "a\nx\nb\nc\n").kind, "conflict");
    equal(merge("a", "b", "").kind, "conflict");
  });

  test("merges more lines than a call can have arguments", () => {
    const lines = "line\n".repeat(200_000);
    deepEqual(merge("a\n", `a\n${lines}`, "a\n"), { kind: "merged", text: `a\n${lines}` });
    equal(mergePreferringOurs("a\n", `${lines}a\n`, "a\n"), `${lines}a\n`);
  });

  test("prefers our edits where both overlap, and keeps the others", () => {
    equal(mergePreferringOurs("a\nb\nc\nd\n", "A\nb\nc\nd\n", "x\nb\nc\nD\n"), "A\nb\nc\nD\n");
    fc.assert(
      fc.property(edited("our"), edited("their"), (ours, theirs) => {
        const result = mergePreferringOurs(BASE.join(""), ours, theirs),
          merged = merge(BASE.join(""), ours, theirs);
        if (merged.kind === "merged") equal(result, merged.text);
        for (const each of linesOf(ours)) if (each.startsWith("our")) ok(linesOf(result).includes(each));
      }),
    );
  });
});
