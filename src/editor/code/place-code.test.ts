import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { placeCode, placed } from "./place-code";

const result = (file: string, code: string, selection?: { start: number; end: number }): string =>
  placed(file, placeCode(file, code, selection));

const FILE = `import { words } from "./words";

export function count(text) {
  return words(text).length;
}

export class Counter {
  add(text) {
    this.sum += count(text);
  }

  reset() {
    this.sum = 0;
  }
}
`;

suite("place of code in a file", () => {
  test("replaces the function between its first and its last line", () => {
    const changed = result(FILE, "export function count(text) {\n  const all = words(text);\n  return all.length;\n}");
    equal(changed, FILE.replace("  return words(text).length;", "  const all = words(text);\n  return all.length;"));
  });

  test("indents code like its place, and keeps the line ends of the file", () => {
    const code = "reset() {\n  this.sum = 0;\n  this.changed();\n}";
    equal(result(FILE, code), FILE.replace("    this.sum = 0;", "    this.sum = 0;\n    this.changed();"));
    const returns = FILE.replaceAll("\n", "\r\n");
    equal(result(returns, code), result(FILE, code).replaceAll("\n", "\r\n"));
  });

  test("replaces the whole class, although its last line ends a function, too", () => {
    const code =
      "export class Counter {\n  add(text) {\n    this.sum += count(text);\n  }\n\n  reset() {\n    this.sum = -1;\n  }\n}";
    equal(result(FILE, code), FILE.replace("= 0", "= -1"));
  });

  test("replaces a new version of the whole file", () => {
    const version = FILE.replace("words(text).length", "words(text.trim()).length");
    deepEqual([result(FILE, version), placeCode(FILE, version).kind], [version, "range"]);
  });

  test("inserts at the selection if an anchor is missing or ambiguous", () => {
    const selection = { start: 5, end: 9 };
    deepEqual(placeCode(FILE, "const other = 1;", selection), {
      kind: "selection",
      ...selection,
      text: "const other = 1;",
    });
    const twice = "one();\ntwo();\nend();\none();\ntwo();\nend();\n";
    equal(placeCode(twice, "one();\ntwo();\nthree();\nend();", selection).kind, "selection");
  });

  test("replaces the whole file only without a place and without omissions", () => {
    deepEqual(placeCode("a\nb\n", "const c = 1;"), { kind: "whole", start: 0, end: 4, text: "const c = 1;\n" });
    for (const omission of ["// ... existing code ...", "# ...", "<!-- ... -->", "{/* … */}", "..."])
      deepEqual(result("const a = 1;", `const a = 1;\n${omission}\nconst z = 1;`).slice(0, 13), "const a = 1;\n");
  });

  test("ignores empty code and fills an empty file", () => {
    equal(result(FILE, " \n"), FILE);
    equal(result("", "a\n"), "a\n");
  });

  const line = fc.constantFrom("", "}", "{", "  a = 1;", "  b(2);", "\tc()", "d: 4,", "function e() {", "// ...", "x");
  const text = fc.array(line, { maxLength: 14 }).map(lines => lines.join("\n"));

  test("changes nothing outside of the replaced part (property)", () =>
    fc.assert(
      fc.property(text, text, fc.boolean(), (file, code, hasReturns) => {
        const before = hasReturns ? file.replaceAll("\n", "\r\n") : file,
          place = placeCode(before, code),
          after = placed(before, place);
        ok(0 <= place.start && place.start <= place.end && place.end <= before.length);
        ok(after.startsWith(before.slice(0, place.start)) && after.endsWith(before.slice(place.end)));
        if (place.kind === "whole" && before.trim() !== "") ok(!/^\s*(?:\/\/ )?\.\.\./m.test(code));
        if (hasReturns && before.includes("\r\n")) ok(!/(?<!\r)\n/.test(place.text));
      }),
    ));

  test("changes nothing for a part of the file itself (property)", () =>
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(500), { minLength: 1, maxLength: 20 }), fc.nat(), fc.nat(), (ids, a, b) => {
        const lines = ids.map(id => `${" ".repeat(id % 5)}line(${id});`),
          from = a % lines.length,
          to = from + (b % (lines.length - from));
        const code = lines
          .slice(from, to + 1)
          .map(each => each.trimEnd())
          .join("\n");
        equal(result(lines.join("\n"), code), lines.join("\n"));
      }),
    ));

  test("compares long files in bounded time", () => {
    const began = process.cpuUsage().user;
    const file = Array.from({ length: 19_000 }, (_, i) => (i % 1_000 === 0 ? "start();" : "same();")).join("\n");
    placeCode(file, `start();\n${"same();\n".repeat(5_000)}`);
    ok(process.cpuUsage().user - began < 5_000_000);
  });
});
