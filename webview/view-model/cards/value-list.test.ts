import { equal, ok } from "node:assert/strict";
import { valueLine, valueList } from "./value-list";

/** The line with its tags replaced: `-` before a line, in the depth of the line. */
function plain(name: string, value: unknown): string | undefined {
  let depth = 0;
  return valueLine(name, value)
    ?.replaceAll(/ ?<(\/?)(ul|li|span)[^>]*>/g, (_, end: string, tag: string) => {
      if (tag === "span") return "";
      if (tag === "ul") depth += end === "" ? 1 : -1;
      return tag === "li" && end === "" ? `\n${"  ".repeat(depth)}- ` : "";
    })
    .trim();
}

suite("list of values", () => {
  test("has a line for each value, and indented lines for its parts", () => {
    equal(valueList([valueLine("a", 1) ?? ""]), `<ul class="symposium-values">${valueLine("a", 1)}</ul>`);
    equal(plain("path", "/w/a"), "- path: /w/a");
    equal(
      plain("issue", { title: "Crash", labels: ["bug", 2], author: { name: "A", teams: [] }, fixed: null }),
      "- issue:\n  - title: Crash\n  - labels: bug, 2\n  - author:\n    - name: A\n    - teams: []\n  - fixed: null",
    );
    equal(plain("edits", [{ line: 1 }, { line: 2 }]), "- edits:\n  - 1.\n    - line: 1\n  - 2.\n    - line: 2");
  });

  test("quotes text that could be mistaken for another value", () => {
    equal(
      plain("a", { names: ["a, b"], lines: "1\n2", empty: "", quoted: '"x"', list: "[]", blank: " x" }),
      [
        "- a:",
        "  - names:",
        "    - 1. a, b",
        "  - lines: &quot;1\\n2&quot;",
        "  - empty: &quot;&quot;",
        "  - quoted: &quot;\\&quot;x\\&quot;&quot;",
        "  - list: &quot;[]&quot;",
        "  - blank: &quot; x&quot;",
      ].join("\n"),
    );
  });

  test("is not made for a value that is long, deep or has many lines", () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
    equal(valueLine("a", "x".repeat(121)), undefined);
    equal(valueLine("a", "x\ny"), undefined);
    equal(valueLine("a", { b: "x".repeat(401) }), undefined);
    ok(valueLine("a", nested(4)));
    equal(valueLine("a", nested(5)), undefined);
    equal(valueLine("a", Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, i]))), undefined);
  });

  test("escapes markup and shows hidden characters", () => {
    const line = valueLine("<b>na\u202eme", { "<i>": "va\u200blue<img src=x>\u2028" }) ?? "";
    ok(!/<(?!\/?(?:ul|li|span)[ >])/.test(line) && !line.includes("\n"), line);
    ok(line.includes("&lt;b&gt;na⟦U+202E⟧me:") && line.includes("va⟦U+200B⟧lue&lt;img src=x&gt;"), line);
  });
});
