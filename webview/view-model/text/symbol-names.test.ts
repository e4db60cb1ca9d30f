import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { symbolMention } from "./symbol-names";

suite("symbols in inline code", () => {
  test("are calls and names with inner capitals, underscores or qualifiers", () => {
    const names: Readonly<Record<string, string>> = {
      "parseFoo()": "parseFoo",
      "count(text)": "count",
      ClassName: "ClassName",
      Counter: "Counter",
      "a.b.c()": "a.b.c",
      "Vec::push": "Vec::push",
      snake_case: "snake_case",
      MAX_VALUE: "MAX_VALUE",
      "#privateField": "privateField",
      "vec![]": "",
      "println!()": "println",
    };
    for (const [text, name] of Object.entries(names)) equal(symbolMention(text) ?? "", name, text);
  });

  test("are neither words, values, commands nor expressions", () => {
    for (const text of [
      "count",
      "true",
      "npm test",
      "--flag",
      "a + b",
      "3",
      "<b>",
      "a.ts",
      "",
      "x".repeat(200),
      "f(g())",
    ])
      equal(symbolMention(text), undefined, text);
  });

  test("are names for any text, in linear time (property)", () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const name = symbolMention(text);
        ok(name === undefined || (name.length <= 100 && text.includes(name)));
      }),
    );
    ok(symbolMention("a.".repeat(1_000_000)) === undefined);
  });
});
