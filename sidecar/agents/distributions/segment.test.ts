import { deepEqual, equal, ok } from "node:assert/strict";
import path from "node:path";
import fc from "fast-check";
import { isSegment, relativeParts } from "./segment";

suite("folder names", () => {
  test("ids and versions are some", () => {
    for (const text of [
      "gemini",
      "zed-claude-code",
      "1.2.3",
      "1.2.3-rc.1+build",
      "2026.1",
      "1!2.0",
      "v1.0.0",
      "console",
      "com",
      "My_Agent",
    ])
      ok(isSegment(text), text);
  });

  test("what is none on some system is refused", () => {
    for (const text of [
      "",
      ".",
      "..",
      "...",
      ".hidden",
      "-x",
      "a/b",
      "a\\b",
      "/a",
      "C:",
      "C:a",
      "a.",
      "a b",
      "a\0",
      "a\n",
      "a\u202Eb",
      "ä",
      "con",
      "CON",
      "nul.txt",
      "com1",
      "lpt9.a",
      "a*",
      "a?",
      "a|b",
      "$a",
      "%a%",
      "x".repeat(101),
    ])
      ok(!isSegment(text), JSON.stringify(text));
  });

  test("none leads out of its folder, and no two parts are one", () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."a.C:/\\-~1 \0"), maxLength: 8 }), text => {
        if (!isSegment(text)) return;
        for (const { join, dirname } of [path.posix, path.win32])
          ok(dirname(join("/store", text)) === join("/store"), text);
      }),
      { numRuns: 500 },
    ));
});

suite("paths within an archive", () => {
  test("are read with either separator", () => {
    for (const [file, parts] of [
      ["agent", ["agent"]],
      ["./agent", ["agent"]],
      ["./bin/agent", ["bin", "agent"]],
      ["dist\\my agent.exe", ["dist", "my agent.exe"]],
      ["a/./b", ["a", "b"]],
      [".hidden/agent", [".hidden", "agent"]],
    ] as const)
      deepEqual(relativeParts(file), parts);
  });

  test("that lead out, or are none, are refused", () => {
    for (const file of [
      "",
      ".",
      "./",
      "..",
      "../a",
      "a/../b",
      "a\\..\\b",
      "a/..",
      "/a",
      "\\a",
      "//host/a",
      "C:\\a",
      "C:a",
      "~/a",
      "a//b",
      "a/",
      "a\0b",
      "a\nb",
      "a:stream",
      "...",
      " /a",
    ])
      equal(relativeParts(file), undefined, JSON.stringify(file));
  });

  test("whatever is taken stays below its folder, on every system", () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."a.:/\\~ "), maxLength: 10 }), file => {
        const parts = relativeParts(file);
        if (parts)
          for (const { join, resolve, sep } of [path.posix, path.win32])
            ok(resolve(join("/store", ...parts)).startsWith(resolve("/store") + sep), file);
      }),
      { numRuns: 1000 },
    ));
});
