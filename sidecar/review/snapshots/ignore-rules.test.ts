import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import ignore from "ignore";
import { escapedPattern, excludeText } from "./ignore-rules";

suite("ignore rules", () => {
  const folder = ignore().add(excludeText({ kind: "folder" }));

  test("omit packages, build output and caches of a folder without a repository", () => {
    for (const name of [
      "node_modules/a/index.js",
      "app/node_modules/a/index.js",
      ".venv/bin/python",
      "target/debug/a",
      "dist/a.js",
      "a/__pycache__/b.pyc",
      "a/.gradle/b",
      ".DS_Store",
    ])
      ok(folder.ignores(name), name);
    for (const name of ["src/a.ts", "bin/run.sh", "lib/a.py", "vendor/a.go", ".env", "targets/a", "distance.txt"])
      ok(!folder.ignores(name), name);
  });

  test("are replaced by those of a repository, which win over the user's", () => {
    const rules = ignore().add(excludeText({ kind: "repository", user: "*.log", repository: "!keep.log" }));
    equal(rules.ignores("a.log"), true);
    equal(rules.ignores("keep.log"), false);
    equal(rules.ignores("node_modules/a.js"), false);
    equal(excludeText({ kind: "repository", user: undefined, repository: undefined }), "");
  });

  test("omit exactly the hidden path", () => {
    const path = fc.stringMatching(/^[a-c*?[\]! #]{1,6}(\/[a-c*?[\]! ]{1,4})?$/);
    fc.assert(
      fc.property(path, path, (hidden, other) => {
        const rules = ignore().add(excludeText({ kind: "folder" }, hidden));
        equal(rules.ignores(hidden), true);
        equal(rules.ignores(other), other === hidden || other.startsWith(`${hidden}/`));
      }),
    );
    equal(escapedPattern("a*[b] "), String.raw`a\*\[b\]\ `);
  });
});
