import { equal } from "node:assert/strict";
import { withLineEnds } from "./line-endings";

suite("withLineEnds", () => {
  test("converts all line endings to those of the file", () => {
    equal(withLineEnds("a\nb\r\n\nc", "\r\n"), "a\r\nb\r\n\r\nc");
    equal(withLineEnds("a\nb\r\n\nc", "\n"), "a\nb\n\nc");
  });
  test("keeps a single carriage return", () => equal(withLineEnds("50 %\r100 %\n", "\r\n"), "50 %\r100 %\r\n"));
});
