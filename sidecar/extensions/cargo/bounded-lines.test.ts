import { equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { Ends, ends } from "./bounded-lines";

suite("beginning and end of a text", () => {
  test("keeps a short text without trailing empty lines", () => {
    equal(ends("a\n\nb\n\n", 100, 100), "a\n\nb");
    equal(new Ends(10, 10).isEmpty, true);
  });

  test("omits the middle of a long text with the number of omitted lines", () => {
    const text = Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n");
    equal(ends(text, 15, 16), "line 0\nline 1\n… (96 lines omitted) …\nline 98\nline 99");
    equal(ends("aaa\nbbb\nccc", 4, 4), "aaa\n… (1 line omitted) …\nccc");
  });

  test("truncates a long line with a note", () =>
    match(ends("x".repeat(5000), 10, 10), /^x{2000}… \(3000 more characters\)$/));

  test("keeps the order and does not fill the omitted part later", () =>
    equal(ends("a\nlonger than that\nb", 4, 30), "a\nlonger than that\nb"));

  test("shows or counts each line in order, with bounded memory", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme-ascii", maxLength: 20 }), { maxLength: 3000 }),
        fc.nat(100),
        fc.nat(100),
        (given, head, tail) => {
          const lines = given.map((line, i) => `${i} ${line}`),
            text = ends(lines.join("\n"), head, tail),
            shown = text === "" ? [] : text.split("\n");
          ok(text.length <= head + Math.max(tail, 30) + 40);
          const gap = shown.findIndex(line => line.startsWith("… (")),
            remaining = gap === -1 ? 0 : Number(/\d+/.exec(shown[gap] ?? "")?.[0]);
          const expected = gap === -1 ? lines : [...lines.slice(0, gap), shown[gap], ...lines.slice(gap + remaining)];
          equal(text, expected.join("\n").trimEnd());
        },
      ),
    );
  });
});
