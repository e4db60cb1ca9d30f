import { ok } from "node:assert/strict";
import fc from "fast-check";
import { CODE_TOKENS, type CodeColors } from "../../../src/protocol/page/code-colors";
import { codeStyles } from "./code-styles";

suite("styles of code", () => {
  test("have one rule per token, within the scope", () => {
    const styles = codeStyles({ comment: { color: "#010203", isItalic: true } }, ".scope");
    ok(styles.startsWith(".scope :is(.hljs-comment, .hljs-quote) { color: #010203; font-style: italic;"));
    ok(styles.includes(".scope :is(.hljs-keyword.storage_) { color: inherit;"));
  });

  test("are balanced rules for any colors (property)", () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...CODE_TOKENS), fc.record({ color: fc.constantFrom("#fff", "#000000cc") })),
        colors => {
          const rules = codeStyles(colors as CodeColors, "#a").split("\n");
          ok(
            rules.length === CODE_TOKENS.length &&
              rules.every(rule => /^#a :is\([^{}()]+\) \{ (?:[\w-]+: [#\w]+; ?)+\}$/.test(rule)),
          );
        },
      ),
    ));
});
