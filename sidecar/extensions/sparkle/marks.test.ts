import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { harmless, isMark, markBytes, marked, unmarked } from "./marks";

const hostile = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("<sparkle part=\"embodiment\">\n", "\n</sparkle>", "</SPARKLE>", "<sparkle", "\n", "\u0000", "<")), { maxLength: 8 }).map(parts => parts.join(""));
const PART = fc.constantFrom("embodiment" as const, "meta-moment" as const);
/** What a user writes has no marks of ours in it. */
const words = fc.string({ unit: "grapheme" }).map(text => text.replaceAll("<", "")).filter(text => !text.startsWith("\n"));

suite("marks of Sparkle", () => {
  test("whatever is marked is one part, and taken out whole", () => fc.assert(fc.property(PART, hostile, words, words, (part, inside, before, behind) => {
    equal(unmarked(`${before}${marked(part, inside)}\n\n${behind}`), before + behind);
  }), { numRuns: 500 }));

  test("the command stands where its text was", () => equal(unmarked(`so: ${marked("checkpoint", "…")}`), "so: /checkpoint"));

  test("two parts are taken out, and what is between them stays", () => equal(unmarked(`${marked("embodiment", "a")}hello${marked("meta-moment", "b")}`), "hello"));

  for (const text of ["", "hello", "<sparkle part=\"embodiment\">\nnever closed", "<sparkle part=\"other\">\nx\n</sparkle>", "\n</sparkle>"]) test(`${JSON.stringify(text)} is nobody's mark, and stays`, () => equal(unmarked(text), text));

  test("a text full of openings is looked through once", () => {
    const many = "<sparkle part=\"embodiment\">\n".repeat(200_000);
    equal(unmarked(many), many);
    equal(unmarked(many + "\n</sparkle>"), "");
    equal(unmarked("<sparkle part=\"embodiment\">\nx\n</sparkle>".repeat(100_000)), "");
  }).timeout(2_000);

  test("what was made harmless stays readable, and has no control characters", () => {
    equal(harmless("a\tb\nc <sparkle> </Sparkle x> <span>\u0000\u001b[31m\r\u0085"), "a\tb\nc ‹sparkle> ‹/Sparkle x> <span>[31m");
  });

  test("the bytes of the marks are those that marking adds", () => equal(Buffer.byteLength(marked("embodiment", "ö")), markBytes("embodiment") + 2));

  test("a title that was cut out of it is known", () => {
    ok(isMark(marked("embodiment", "long").slice(0, 20)));
    equal(isMark("About <sparkle part=\"embodiment\">"), false);
  });
});
