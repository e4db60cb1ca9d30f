import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { fenced, inline, shortened } from "./safe-text";

suite("safe text", () => {
  const table: readonly [name: string, given: string, shown: string][] = [
    ["escapes a direction override", "rm \u202Etxt.exe", "rm ⟦U+202E⟧txt.exe"],
    ["escapes isolates and marks", "\u2066a\u2069\u200F\u061C", "⟦U+2066⟧a⟦U+2069⟧⟦U+200F⟧⟦U+061C⟧"],
    ["escapes zero-width characters", "a\u200Bb\u00ADc\uFEFF\u2060", "a⟦U+200B⟧b⟦U+00AD⟧c⟦U+FEFF⟧⟦U+2060⟧"],
    [
      "escapes control characters, including carriage returns",
      "ok\r rm\x1B[2K\x07\x9B",
      "ok⟦U+000D⟧ rm⟦U+001B⟧[2K⟦U+0007⟧⟦U+009B⟧",
    ],
    ["escapes hidden tags and selectors", "a\u{E0061}\u{E0100}\uFE00", "a⟦U+E0061⟧⟦U+E0100⟧⟦U+FE00⟧"],
    ["escapes fillers and other line separators", "\u3164\uFFA0\u2800\u2028", "⟦U+3164⟧⟦U+FFA0⟧⟦U+2800⟧⟦U+2028⟧"],
    ["escapes a lone surrogate", "a\uD83D", "a⟦U+D83D⟧"],
    ["keeps ordinary text of any script", "grüße\tЖ 漢字 🎉\r\nשלום", "grüße\tЖ 漢字 🎉\nשלום"],
  ];
  for (const [name, given, shown] of table) test(name, () => equal(fenced(given), `\`\`\`\n${shown}\n\`\`\``));

  test("uses a fence longer than any in the text", () => {
    equal(fenced("a", "sh"), "```sh\na\n```");
    equal(fenced("```\n[x](command:y)\n`````\n"), "``````\n```\n[x](command:y)\n`````\n\n``````");
    equal(inline("a\n`b`"), "`` a `b` ``");
    equal(inline("``a"), "``` ``a ```");
    equal(inline(" \n "), "` `");
    ok(inline("x".repeat(10_000)).length < 600);
    ok(fenced("` ".repeat(1_000_000)).startsWith("```\n"), "any number of them");
  });

  test("keeps the beginning and the end of a long text", () => {
    equal(shortened("abcdefgh", 8), "abcdefgh");
    equal(shortened("abcdefghi", 8), "abcdef\n… 1 more characters …\nhi");
  });

  test("never lets text close its block", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("`", "~", "\n", "\r", "a", " ", "\u2028", "\\") }), text => {
        const [first, ...lines] = fenced(text).split("\n"),
          last = lines.pop();
        equal(first, last);
        ok(lines.every(line => !line.includes(String(first))));
        const line = inline(text),
          fence = /^`+/.exec(line)?.[0] ?? "";
        ok(!line.includes("\n") && line.endsWith(fence));
        ok(
          (line.slice(fence.length, -fence.length).match(/`+/g) ?? []).every(run => run.length < fence.length),
          line,
        );
      }),
    );
  });
});
