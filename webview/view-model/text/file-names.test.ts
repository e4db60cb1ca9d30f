import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { fileMention, filesOfCode } from "./file-names";

const named = (info: string, code = "x"): readonly string[] => filesOfCode({ info, code, before: "" }).named;
const mentioned = (before: string): readonly string[] => filesOfCode({ info: "ts", code: "x", before }).mentioned;

suite("files of code", () => {
  test("reads the info string", () => {
    for (const info of [
      "ts src/a.ts",
      "ts title=src/a.ts",
      `ts {1,3} file="src/a.ts"`,
      "ts filename='src/a.ts'",
      "ts:src/a.ts",
      "src/a.ts",
      "12:15:src/a.ts",
    ])
      deepEqual(named(info), ["src/a.ts"], info);
    for (const info of ["ts", "", "js {1-3}", "c++", "node.js", "js linenums=1.5", "text -x"])
      deepEqual(named(info), [], info);
  });

  test("reads a first line that is a comment with a name", () => {
    for (const line of [
      "// src/a.ts",
      "# src/a.ts",
      "/* src/a.ts */",
      "<!-- src/a.ts -->",
      "-- src/a.ts",
      "// File: src/a.ts",
      "#!/bin/sh\n# path: src/a.ts",
    ])
      deepEqual(named("", `${line}\nx`), ["src/a.ts"], line);
    for (const line of ["// see src/a.ts", "src/a.ts", "// done.", "# Title", "// 1.5"])
      deepEqual(named("", `${line}\nx`), [], line);
  });

  test("reads the sentence before, nearest name first", () => {
    deepEqual(mentioned("Look at b.ts. Then replace `old.ts` in `src/count.mjs:3`:"), ["src/count.mjs", "old.ts"]);
    deepEqual(mentioned("See https://example.org/a.b, version 1.2.3 and more."), []);
    deepEqual(mentioned("a.ts\n\nThis one:"), []);
  });

  test("recognizes names in inline code with a position", () => {
    for (const name of [
      "src/count.mjs",
      "count.mjs:3",
      "count.mjs:3:12",
      "a/b.ts#L10-L20",
      "./x",
      "../y/z",
      "C:\\a\\b.ts",
      "/etc/passwd",
      ".gitignore",
      "app/[id]/page.tsx",
      "Dockerfile.dev",
      "ä/ö.md",
    ])
      equal(fileMention(name), name);
    for (const text of [
      "count",
      "a b.ts",
      "https://a.b/c",
      "1.5",
      "v1.2.3",
      "--flag",
      "foo.bar()",
      "call()",
      "..",
      ".",
      "x".repeat(300),
      "a.ts:x",
    ])
      equal(fileMention(text), undefined, text);
  });

  test("is linear and returns bounded names (property)", () => {
    const piece = fc.constantFrom(
      "a",
      "/",
      ".",
      "..",
      " ",
      "`",
      "'",
      '"',
      "=",
      ":",
      "#L1",
      "\\",
      "-",
      "\n",
      "// ",
      "é",
    );
    const text = fc.array(piece, { maxLength: 200 }).map(parts => parts.join(""));
    fc.assert(
      fc.property(text, text, text, (info, code, before) => {
        const { named, mentioned } = filesOfCode({ info, code, before });
        ok(named.length <= 8 && mentioned.length <= 8);
        for (const name of [...named, ...mentioned]) ok(name.length <= 260 && !/[\s`]/.test(name));
        ok((fileMention(info) ?? "").length <= 260);
      }),
    );
    const began = process.cpuUsage().user;
    for (const part of ["a/", "a.", "(", "=", `a="`, "1:"])
      filesOfCode({ info: part.repeat(50_000), code: `// ${part.repeat(50_000)}`, before: part.repeat(50_000) });
    ok(process.cpuUsage().user - began < 2_000_000);
  });
});
