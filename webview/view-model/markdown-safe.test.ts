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

suite("markdown safe", () => {
  test("no tag is left, whatever surrounds it", () =>
    fc.assert(
      fc.property(hostile, text => {
        ok(!safeMarkdown(text).includes("<"));
      }),
    ));

  test("an image shows as its source, and code as it was written", () => {
    equal(safeMarkdown("see ![a](b) and `![c](d)`"), "see !\\[a](b) and `![c](d)`");
    equal(safeMarkdown("```\n![a](b)\n```\n![e](f)"), "```\n![a](b)\n```\n!\\[e](f)");
    equal(safeMarkdown("``a ` ![c](d)`` ![e](f)"), "``a ` ![c](d)`` !\\[e](f)");
    equal(safeMarkdown("one ` alone ![e](f)"), "one ` alone !\\[e](f)");
  });

  test("text without tags and images is not touched", () =>
    fc.assert(
      fc.property(
        fc.string().filter(text => !/[<&]|!\[/.test(text)),
        text => {
          equal(safeMarkdown(text), text);
        },
      ),
    ));

  test("an entity that spells a tag stays an entity", () =>
    equal(safeMarkdown("&lt;b&gt; &copy;"), "&amp;lt;b&amp;gt; &copy;"));

  test("many backticks take no longer than few", () => {
    const text = Array.from({ length: 20_000 }, (_, i) => "`".repeat(1 + (i % 50))).join("![");
    const began = performance.now();
    safeMarkdown(text);
    ok(performance.now() - began < 2_000);
  });

  test("quotes and lists nest only so deep that the renderer can follow", () => {
    const indented = (depth: number) => Array.from({ length: depth }, (_, i) => `${" ".repeat(2 * i)}- x`).join("\n");
    const steps = Array.from({ length: 100 }, (_, i) => `${" ".repeat(80 * i)}${"- ".repeat(40)}x`).join("\n");
    const deep = [">", "> ", "- ", "-\t", "1. ", "> - ", " > 2) + * "].map(marker => `${marker.repeat(4_000)}x`);
    for (const text of [...deep, `\`\`\`\n${deep[0]}`, indented(1_000), steps]) {
      const html = marked.parse(safeMarkdown(text), { async: false });
      ok((html.match(/<(?:blockquote|ul|ol)/g) ?? []).length < 300, text.slice(0, 20));
      ok(html.includes("x"));
    }
  });

  test("a line of any length is taken, however much it nests", () => {
    for (const marker of [">", "- "]) ok(safeMarkdown(marker.repeat(4_000_000)).includes(`\\${marker}`));
  });

  test("nesting that people write is not touched", () => {
    const text = `${"> ".repeat(20)}so\n${" ".repeat(40)}- deep\n${"-".repeat(120)}\n${"*".repeat(90)}bold${"*".repeat(90)}`;
    equal(safeMarkdown(text), text);
  });

  test("a name is one line, and every mark in it is itself", () =>
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

  test("a name hides nothing, and emoji stay in prose", () => {
    equal(literal("a\u3164b\u202e\uFE0F"), "a⟦U\\+3164⟧b⟦U\\+202E⟧⟦U\\+FE0F⟧");
    equal(literalProse("✔\uFE0F *done*\u3164"), "✔\uFE0F \\*done\\*⟦U\\+3164⟧");
  });

  test("a title is text to HTML", () => equal(escapeHtml(`<b a="1">&'`), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;"));
});
