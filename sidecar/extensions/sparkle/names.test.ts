import { equal, match, ok } from "node:assert/strict";
import path from "node:path";
import fc from "fast-check";
import { folderOf, headingOf, shownName, withHeading } from "./names";

const name = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.constantFrom("..", "../..", "/etc", "C:\\x", "a/../../b", "CON", "nul.txt", ".hidden", "ＣＯＭ１"),
);

suite("sparkler name", () => {
  const FOLDERS: readonly [string, string | undefined][] = [
    ["Ada", "ada"],
    ["  Ada \n Lovelace ", "ada-lovelace"],
    ["../../etc/passwd", "etc-passwd"],
    ["..", undefined],
    ["", undefined],
    ["🙂", undefined],
    ["/", undefined],
    ["CON", "con-"],
    ["Com1", "com1-"],
    ["ＣＯＭ１", "com1-"],
    [".ssh", "ssh"],
    ["Zoë", "zoë"],
    ["Zoe\u0308", "zoë"],
    ["नमस्ते", "नमस्ते"],
    ["a\u0000b", "a-b"],
    ["a".repeat(300), "a".repeat(60)],
    ["𐐨".repeat(60), "𐐨".repeat(30)],
  ];
  for (const [given, folder] of FOLDERS)
    test(`${JSON.stringify(given.slice(0, 20))} maps to ${folder?.slice(0, 20) ?? "no folder"}`, () =>
      equal(folderOf(given), folder));

  test("maps to a folder name inside the parent, never to a device, and idempotently", () =>
    fc.assert(
      fc.property(name, given => {
        const folder = folderOf(given);
        if (folder === undefined) return;
        equal(path.basename(folder), folder);
        match(folder, /^[\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}-]*$/u);
        ok(Buffer.byteLength(folder) <= 121);
        ok(!/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(folder));
        equal(folderOf(folder), folder);
        equal(folderOf(shownName(given)), folder);
      }),
      { numRuns: 1_000 },
    ));

  test("is displayed on one line with a limited length", () =>
    fc.assert(
      fc.property(name, given => {
        const shown = shownName(given);
        ok(!/[\n\r\u2028\u0000]/.test(shown) && [...shown].length <= 60 && shown === shown.trim());
      }),
    ));

  test("is read from the heading in the first line", () => {
    equal(headingOf("\n# Ada  Lovelace \ntext"), "Ada Lovelace");
    for (const text of ["", "Ada", "## Ada", "#", "# \n", "text\n# Ada", "# \u200b"])
      equal(headingOf(text), undefined, text);
  });

  test("replaces the existing heading", () => {
    equal(withHeading("Ada", "# Eve\n\n## Manner\nkind\n"), "# Ada\n\n## Manner\nkind\n");
    equal(withHeading("Ada", "kind"), "# Ada\n\nkind\n");
    equal(withHeading("Ada", ""), "# Ada\n\n");
  });
});
