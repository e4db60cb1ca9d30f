import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { marked } from "marked";
import { formulaOf, formulaRanges, MAX_FORMULA } from "./formulas";
import { safeAnswer, safeMarkdown } from "./markdown-safe";

const formulas = (text: string): readonly string[] => formulaRanges(text).map(({ from, to }) => text.slice(from, to));

suite("formulas", () => {
  test("finds the four kinds of delimiters", () => {
    deepEqual(formulas("so $x^2$, \\(y_1\\) and $$z$$"), ["$x^2$", "\\(y_1\\)", "$$z$$"]);
    deepEqual(formulas("\\[\n\\frac{a}{b}\n\\]\nend"), ["\\[\n\\frac{a}{b}\n\\]"]);
    deepEqual(formulas("1. \\[ x \\]\n- $$\n  y\n  $$"), ["\\[ x \\]", "$$\n  y\n  $$"]);
    deepEqual(formulas("**$a$** | $|b|$ | ($c$)"), ["$a$", "$|b|$", "$c$"]);
    deepEqual(formulas("$a \\$ b$"), ["$a \\$ b$"]);
    deepEqual(formulas("$0.5$ and $2x$"), ["$0.5$", "$2x$"]);
  });

  test("keeps prices and shell variables", () => {
    for (const text of [
      "It costs $5 and $10.",
      "from $5 to 10$ or more",
      "$5-$10, US$5 or US$10",
      "$1,000.00 vs $2,000.00",
      "$HOME and $USER",
      "$HOME/bin:$PATH",
      "${HOME}:${PATH}",
      "export A=$B$C",
      "$(pwd)/$(date)",
      "$ npm test\n$ npm start",
      "https://example.com/a$b$c",
      "\\$x$ and $x\\$",
      "$ x $",
      "$$ alone",
      "$$\n\n$$",
      "f$$1 and g$$2",
      "an escaped \\[link\\](address) and \\[ ]",
      "C:\\\\(x86\\\\)",
    ])
      deepEqual(formulas(text), [], text);
  });

  test("separates the TeX from its delimiters", () => {
    deepEqual(formulaOf("$$\nx\n$$"), { source: "$$\nx\n$$", tex: "x", isBlock: true });
    deepEqual(formulaOf("\\(x\\)"), { source: "\\(x\\)", tex: "x", isBlock: false });
    equal(formulaOf("x"), undefined);
  });

  const pieces = fc
    .array(
      fc.constantFrom(
        "$",
        "$$",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "\\",
        "x",
        "5",
        " ",
        "\n",
        "\n\n",
        "- ",
        "`",
        "```\n",
        "<b>",
      ),
      { maxLength: 40 },
    )
    .map(parts => parts.join(""));

  test("returns separate, short, whole formulas for any text", () =>
    fc.assert(
      fc.property(pieces, text => {
        let end = 0;
        for (const { from, to } of formulaRanges(text)) {
          ok(from >= end && to - from <= MAX_FORMULA);
          ok(formulaOf(text.slice(from, to)) !== undefined);
          end = to;
        }
      }),
    ));

  test("keeps the earlier formulas of a growing text, except the last", () =>
    fc.assert(
      fc.property(pieces, pieces, (text, added) => {
        const before = formulas(text).slice(0, -1);
        deepEqual(formulas(text + added).slice(0, before.length), before);
      }),
    ));

  test("adds no element except those of formulas to any text", () =>
    fc.assert(
      fc.property(pieces, text => {
        ok(
          !safeAnswer(text)
            .replace(/<span class="symposium-formula" title="(?:&#\d+;)+"><\/span>/g, "")
            .includes("<"),
        );
        if (formulas(text).length === 0) equal(safeAnswer(text), safeMarkdown(text));
      }),
    ));

  test("is found in linear time", () => {
    const began = performance.now();
    for (const text of ["$a ", "\\[ ", "$$ ", "\\(", "$", "\\", "\\[ a \\] b"]) formulaRanges(text.repeat(100_000));
    ok(performance.now() - began < 3_000);
  });

  test("is kept in code, and passes Markdown unchanged elsewhere", () => {
    equal(safeAnswer("`$x$`"), "`$x$`");
    equal(safeAnswer("```\n$x$\n```"), "```\n$x$\n```");
    for (const code of ["text\n\n    echo $x$", "- a\n\n      echo $x$"]) equal(safeAnswer(code), code);
    const html = marked.parse(safeAnswer("- a\n\n  $x_1*y*z_2$\n\n|a|\n|-|\n|$|b|<c$|"), { async: false });
    deepEqual(
      [...html.matchAll(/title="([^"]*)"/g)].map(([, title = ""]) =>
        title.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))),
      ),
      ["$x_1*y*z_2$", "$|b|<c$"],
    );
    ok(!html.includes("<em>") && html.includes("<td>"));
  });
});
