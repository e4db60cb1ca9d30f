import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { marked } from "marked";
import { escapeHtml, literal, literalProse, safeMarkdown } from "./markdown-safe";

const hostile = fc
  .array(
    fc.constantFrom(
      "<img src=x onerror=y>",
      "<",
      "</a>",
      "![a](b)",
      "![",
      "`",
      "``",
      "```\n",
      "\n",
      "\n\n",
      "&lt;",
      "&#60;",
      "&",
      "[x](javascript:y)",
      "\\",
      "text ",
    ),
    { maxLength: 30 },
  )
  .map(parts => parts.join(""));

suite("safe Markdown", () => {
  test("contains no tags for any text", () =>
    fc.assert(
      fc.property(hostile, text => {
        ok(!safeMarkdown(text).includes("<"));
      }),
    ));

  test("shows an image as its source and keeps code", () => {
    equal(safeMarkdown("see ![a](b) and `![c](d)`"), "see !\\[a](b) and `![c](d)`");
    equal(safeMarkdown("```\n![a](b)\n```\n![e](f)"), "```\n![a](b)\n```\n!\\[e](f)");
    equal(safeMarkdown("``a ` ![c](d)`` ![e](f)"), "``a ` ![c](d)`` !\\[e](f)");
    equal(safeMarkdown("one ` alone ![e](f)"), "one ` alone !\\[e](f)");
  });

  test("keeps text without tags and images", () =>
    fc.assert(
      fc.property(
        fc.string().filter(text => !/[<&]|!\[/.test(text)),
        text => {
          equal(safeMarkdown(text), text);
        },
      ),
    ));

  test("escapes an entity that represents a tag", () =>
    equal(safeMarkdown("&lt;b&gt; &copy;"), "&amp;lt;b&amp;gt; &copy;"));

  test("handles many backticks in linear time", () => {
    const text = Array.from({ length: 20_000 }, (_, i) => "`".repeat(1 + (i % 50))).join("![");
    const began = performance.now();
    safeMarkdown(text);
    ok(performance.now() - began < 2_000);
  });

  test("limits the nesting of quotes and lists", () => {
    const indented = (depth: number) => Array.from({ length: depth }, (_, i) => `${" ".repeat(2 * i)}- x`).join("\n");
    const steps = Array.from({ length: 100 }, (_, i) => `${" ".repeat(80 * i)}${"- ".repeat(40)}x`).join("\n");
    const deep = [">", "> ", "- ", "-\t", "1. ", "> - ", " > 2) + * "].map(marker => `${marker.repeat(1_000)}x`);
    for (const text of [...deep, `\`\`\`\n${deep[0]}`, indented(400), steps]) {
      const html = marked.parse(safeMarkdown(text), { async: false });
      ok((html.match(/<(?:blockquote|ul|ol)/g) ?? []).length < 300, text.slice(0, 20));
      ok(html.includes("x"));
    }
  });

  test("accepts lines of any length and nesting", () => {
    for (const marker of [">", "- "]) ok(safeMarkdown(marker.repeat(4_000_000)).includes(`\\${marker}`));
  });

  test("keeps ordinary nesting unchanged", () => {
    const text = `${"> ".repeat(20)}so\n${" ".repeat(40)}- deep\n${"-".repeat(120)}\n${"*".repeat(90)}bold${"*".repeat(90)}`;
    equal(safeMarkdown(text), text);
  });

  test("escapes a name to one line", () =>
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom("a", " ", "\n", "*", "_", "<", "`", "[", "]", "(", ")", "&", "\\", "#", "!"),
        }),
        text => {
          const out = literal(text);
          ok(!out.includes("\n"));
          ok(!/(?<!\\)(?:\\\\)*[*_<`[\]&#!]/.test(out));
        },
      ),
    ));

  test("shows hidden characters in a name and keeps emoji in prose", () => {
    equal(literal("a\u3164b\u202e\uFE0F"), "a⟦U\\+3164⟧b⟦U\\+202E⟧⟦U\\+FE0F⟧");
    equal(literalProse("✔\uFE0F *done*\u3164"), "✔\uFE0F \\*done\\*⟦U\\+3164⟧");
  });

  test("escapes a title for HTML", () => equal(escapeHtml(`<b a="1">&'`), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;"));
});
