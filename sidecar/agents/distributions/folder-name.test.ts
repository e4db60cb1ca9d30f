import { deepEqual, equal, ok } from "node:assert/strict";
import path from "node:path";
import fc from "fast-check";
import { isSegment, relativeParts } from "./folder-name";

suite("folder name", () => {
  test("accepts ids and versions", () => {
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

  test("rejects names that are invalid on any system", () => {
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

  test("never leaves the parent folder and contains no separators", () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."a.C:/\\-~1 \0"), maxLength: 8 }), text => {
        if (!isSegment(text)) return;
        for (const { join, dirname } of [path.posix, path.win32])
          ok(dirname(join("/store", text)) === join("/store"), text);
      }),
      { numRuns: 500 },
    ));
});

suite("path in an archive", () => {
  test("accepts either separator", () => {
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

  test("rejects paths that are invalid or leave the folder", () => {
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

  test("stays below its folder on each system", () =>
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
