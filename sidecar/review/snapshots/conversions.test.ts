import { equal } from "node:assert/strict";
import { conversionIn, conversionOf, strongest } from "./conversions";

suite("conversions of git", () => {
  for (const [text, expected] of [
    ["", "none"],
    ["*.png binary", "none"],
    ["* -text", "none"],
    ["*.gen linguist-generated", "none"],
    ["* text=auto eol=crlf", "size"],
    ["*.txt\ttext", "size"],
    ["*.bat -diff crlf", "size"],
    ["*.bin filter=lfs diff=lfs -text", "bytes"],
    ["*.c ident", "bytes"],
    ["*.txt working-tree-encoding=UTF-16", "bytes"],
    ["[attr]foo filter=x", "bytes"],
  ] as const)
    test(`are “${expected}” with the attributes “${text}”`, () => equal(conversionIn(text), expected));

  test("depend on core.autocrlf", () => {
    for (const [value, expected] of [
      [undefined, "none"],
      ["false", "none"],
      ["0", "none"],
      ["True", "size"],
      ["input", "size"],
    ] as const)
      equal(conversionOf(new Map(value === undefined ? [] : [["core.autocrlf", value]])), expected);
  });

  test("have an order", () => {
    equal(strongest([]), "none");
    equal(strongest(["none", "size"]), "size");
    equal(strongest(["bytes", "size", "none"]), "bytes");
  });
});
