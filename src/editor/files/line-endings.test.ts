import { equal } from "node:assert/strict";
import { withLineEnds } from "./line-endings";

suite("line ends", () => {
  test("a text gets the line ends of its file, whatever it came with", () => {
    equal(withLineEnds("a\nb\r\n\nc", "\r\n"), "a\r\nb\r\n\r\nc");
    equal(withLineEnds("a\nb\r\n\nc", "\n"), "a\nb\n\nc");
  });
  test("a carriage return by itself ends no line", () =>
    equal(withLineEnds("50 %\r100 %\n", "\r\n"), "50 %\r100 %\r\n"));
});
