import { equal } from "node:assert/strict";
import fc from "fast-check";
import { lineDiff } from "./line-diff";

suite("lineDiff", () => {
  for (const [title, before, after, expected] of [
    ["is empty for equal texts", "a\nb\n", "a\nb\n", ""],
    ["ignores line endings", "a\r\nb\r\n", "a\nb", ""],
    ["shows a new file", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"],
    ["shows an insertion at the end", "a", "a\nb", "@@ -1,1 +1,2 @@\n a\n+b\n"],
    ["shows a removal of equal lines", "a\na\na", "a\na", "@@ -1,3 +1,2 @@\n a\n a\n-a\n"],
    [
      "shows three lines around a replacement",
      "1\n2\n3\n4\nx\n6\n7\n8\n9",
      "1\n2\n3\n4\ny\nz\n6\n7\n8\n9",
      "@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-x\n+y\n+z\n 6\n 7\n 8\n",
    ],
  ] as const)
    test(title, () => equal(lineDiff(before, after), expected));

  test("contains enough to apply and to revert the change", () => {
    const texts = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
    fc.assert(
      fc.property(texts, texts, (old, fresh) => {
        equal(applied(old, lineDiff(old.join("\n"), fresh.join("\n")), "-", "+"), fresh.join("\n"));
        equal(applied(fresh, lineDiff(old.join("\n"), fresh.join("\n")), "+", "-"), old.join("\n"));
      }),
    );
  });
});

function applied(lines: readonly string[], diff: string, removed: string, added: string): string {
  if (diff === "") return lines.join("\n");
  const [header, ...changes] = diff.trimEnd().split("\n"),
    [, from, count] = (removed === "-" ? /-(\d+),(\d+)/ : /\+(\d+),(\d+)/).exec(header!)!;
  const start = count === "0" ? Number(from) : Number(from) - 1;
  equal(
    changes
      .filter(line => line[0] !== added)
      .map(line => line.slice(1))
      .join("\n"),
    lines.slice(start, start + Number(count)).join("\n"),
  );
  return [
    ...lines.slice(0, start),
    ...changes.filter(line => line[0] !== removed).map(line => line.slice(1)),
    ...lines.slice(start + Number(count)),
  ].join("\n");
}
