import { equal } from "node:assert/strict";
import fc from "fast-check";
import path from "node:path";
import { pathFault } from "./safe-path";

suite("path in a root", () => {
  test("is refused if it is empty, leaves the root or names a repository", () => {
    for (const [name, fault] of [
      ["", "empty"],
      ["/etc/passwd", "outside"],
      ["../a", "outside"],
      ["a/../../b", "outside"],
      ["a//b", "outside"],
      ["a/", "outside"],
      ["./a", "outside"],
      [".git", "repository"],
      [".git/hooks/pre-commit", "repository"],
      ["a/.GIT/config", "repository"],
      [".git. ./config", "repository"],
      ["GIT~1/config", "repository"],
      [".g\u200cit/config", "repository"],
      [".git::$INDEX_ALLOCATION/config", "repository"],
      ["a\0b", "name"],
      [".gitignore", undefined],
      ["a/.github/x", undefined],
      ["git", undefined],
      ["a b/ä.txt", undefined],
    ] as const)
      equal(pathFault(name, "linux"), fault, JSON.stringify(name));
    for (const name of ["C:/a", "a\\b", "a:stream", "a?"]) equal(pathFault(name, "win32"), "name", name);
  });

  test("is below the root if it is accepted", () => {
    const names = fc.array(fc.constantFrom("a", "..", ".", "", ".git", "b c", "/"), { minLength: 1 });
    fc.assert(
      fc.property(names, parts => {
        const name = parts.join("/");
        if (pathFault(name, "linux") !== undefined) return;
        const file = path.posix.join("/folder", name);
        equal(file, `/folder/${name}`);
        equal(file.split("/").includes(".git"), false);
      }),
    );
  });
});
