import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { parseInsights, renderInsight, tidy, tidyTags, type Insight } from "./insights";

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\n",
        "\r\n",
        "\r",
        "## ",
        "## 2026-01-01T00:00:00Z",
        "> ",
        ">",
        "Context:",
        "\nContext:\n",
        "# ",
        "<!-- -->",
        "```",
        " ",
        "\u2028",
      ),
    ),
    { maxLength: 12 },
  )
  .map(parts => parts.join(""));
const insight: fc.Arbitrary<Insight> = fc.record(
  {
    at: fc
      .date({ min: new Date("2000-01-01T00:00:00Z"), max: new Date("2100-01-01T00:00:00Z"), noInvalidDate: true })
      .map(date => date.toISOString()),
    tags: fc.array(fc.string({ unit: "grapheme" }), { maxLength: 4 }).map(tidyTags),
    content: text.map(tidy).filter(content => content !== ""),
    context: text.map(tidy),
  },
  { noNullPrototype: true },
);

suite("insights file", () => {
  test("round-trips rendered entries", () =>
    fc.assert(
      fc.property(fc.array(insight, { maxLength: 4 }), all =>
        deepEqual(parseInsights(`# Title\n\n<!-- What this is. -->\n${all.map(renderInsight).join("")}`), all),
      ),
      { numRuns: 500 },
    ));

  test("appends to any content without losing entries", () =>
    fc.assert(
      fc.property(text, insight, (before, added) => {
        const all = parseInsights(before + renderInsight(added));
        deepEqual(all.at(-1), added);
        deepEqual(all.slice(0, -1), parseInsights(before));
      }),
      { numRuns: 500 },
    ));

  test("renders readable Markdown", () =>
    equal(
      renderInsight({
        at: "2026-11-22T09:51:03.000Z",
        tags: ["tests"],
        content: "Red first.\n\nThen green.",
        context: "a bug",
      }),
      "\n## 2026-11-22T09:51:03.000Z · tests\n\n> Red first.\n>\n> Then green.\n\nContext:\n\n> a bug\n",
    ));

  test("parses entries without dates and quotes", () => {
    deepEqual(
      parseInsights(
        "# Pattern anchors\n\n- say it plainly\n\n## Slowly now\nfor hard things\n\nContext:\nreviews\n## 2026-01-02T03:04:05Z\nby hand\n",
      ),
      [
        { at: "", tags: [], content: "- say it plainly", context: "" },
        { at: "", tags: [], content: "Slowly now\nfor hard things", context: "reviews" },
        { at: "2026-01-02T03:04:05Z", tags: [], content: "by hand", context: "" },
      ],
    );
  });

  test("ignores an entry without text", () => deepEqual(parseInsights("## 2026-01-02T03:04:05Z\n\n## \n\n>\n"), []));

  test("normalizes tags to one line", () =>
    deepEqual(tidyTags([" a,b ", "a · b", "x\ny", "", "x y", "z".repeat(99)]), ["a b", "x y", "z".repeat(40)]));

  test("parses a long file in linear time", () =>
    ok(parseInsights(`${"> x\n".repeat(100_000)}${"\n".repeat(100_000)}`).length === 1)).timeout(2_000);
});
