import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { anyOf, globOfQuery, globsOfIgnore, globsOfSetting } from "./exclude-globs";
import { IgnoreRules } from "./ignore-rules";

const rules = (files: Readonly<Record<string, string>>, isCaseSensitive = true) =>
  new IgnoreRules(
    Object.entries(files).map(([folder, text]) => ({ folder, text })),
    isCaseSensitive,
  );
const included = (files: Readonly<Record<string, string>>, paths: readonly string[]) => {
  const all = rules(files);
  return paths.filter(path => !all.ignores(path));
};

suite("ignore rules", () => {
  test("excludes folders with their content, names and patterns", () =>
    deepEqual(
      included({ "": "# made\ntarget/\n*.log\n/out\n" }, [
        "target/a/b.o",
        "src/target/x",
        "a.log",
        "src/b.log",
        "out",
        "out/a",
        "src/out",
        "a.txt",
        "target",
      ]),
      ["src/out", "a.txt", "target"],
    ));

  test("prefers the nearest file and never re-includes files in an excluded folder", () =>
    deepEqual(
      included({ "": "*.log\nbuild/\n", keep: "!*.log\n/own.txt\n", build: "!a.log\n!b.txt\n" }, [
        "a.log",
        "keep/a.log",
        "keep/deep/b.log",
        "keep/own.txt",
        "keep/deep/own.txt",
        "build/a.log",
        "build/b.txt",
        "keeper/a.log",
      ]),
      ["keep/a.log", "keep/deep/b.log", "keep/deep/own.txt"],
    ));

  test("respects case on case-sensitive file systems", () => {
    ok(!rules({ "": "Thumbs.db" }).ignores("thumbs.db"));
    ok(rules({ "": "Thumbs.db" }, false).ignores("thumbs.db"));
  });

  test("excludes nothing without a file", () => deepEqual(included({}, ["a", "b/c"]), ["a", "b/c"]));
});

suite("search exclusion glob", () => {
  test("contains the enabled globs of a setting", () => {
    deepEqual(globsOfSetting({ "**/node_modules": true, "**/x": false, "**/*.js": { when: "$(basename).ts" } }), [
      "**/node_modules",
    ]);
    deepEqual([globsOfSetting(undefined), globsOfSetting("x"), globsOfSetting(null)], [[], [], []]);
  });

  test("contains plain names of .gitignore, but not patterns", () => {
    deepEqual(globsOfIgnore({ folder: "", text: "target/\n/dist\nnode_modules\r\n*.log\n# x\na b\n\ndocs/out/\n" }), [
      "**/target/**",
      "dist",
      "dist/**",
      "**/node_modules",
      "**/node_modules/**",
      "docs/out/**",
    ]);
    deepEqual(globsOfIgnore({ folder: "web", text: "dist\n/out/" }), ["web/**/dist", "web/**/dist/**", "web/out/**"]);
    deepEqual(globsOfIgnore({ folder: "we{b", text: "dist" }), []);
  });

  test("is empty for a .gitignore with negations", () =>
    deepEqual(globsOfIgnore({ folder: "", text: "dist\n!dist/keep.js" }), []));

  test("expands nested braces into one glob", () => {
    deepEqual(anyOf(["**/a", "**/*.{b,c{d,e}}", "**/a"]), "{**/a,**/*.b,**/*.cd,**/*.ce}");
    deepEqual([anyOf([]), anyOf(["**/a,b", "**/}"])], [undefined, undefined]);
    ok((anyOf([Array(40).fill("{a,b}").join("")]) ?? "").length < 10_000);
  });

  test("escapes the typed query and matches both cases", () =>
    deepEqual(
      [globOfQuery("aB1"), globOfQuery("s/x"), globOfQuery("*?[é"), globOfQuery("")],
      ["**/*[aA]*[bB]*1*", "**/*[sS]*/**/*[xX]*", "**/*?*?*?*?*", "**/*"],
    ));

  test("matches only paths ignored by the rules (property)", () => {
    const name = fc.constantFrom("a", "b.c", "out", "d-e"),
      path = fc.array(name, { minLength: 1, maxLength: 4 });
    const line = fc
      .tuple(
        fc.constantFrom("", "/"),
        fc.array(name, { minLength: 1, maxLength: 2 }).map(parts => parts.join("/")),
        fc.constantFrom("", "/"),
      )
      .map(parts => parts.join(""));
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 4 }),
        fc.constantFrom("", "a", "out/b.c"),
        path,
        (lines, folder, parts) => {
          const file = { folder, text: lines.join("\n") },
            all = new IgnoreRules([file], true),
            path = parts.join("/");
          if (globsOfIgnore(file).some(glob => matches(glob, path)))
            equal(all.ignores(path), true, `${path} of ${file.text}`);
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Matches the glob forms that `globsOfIgnore` creates. */
function matches(glob: string, path: string): boolean {
  const pattern = glob
    .replaceAll(/[.]/g, "\\.")
    .replace(/\/\*\*$/, "/.+")
    .replaceAll("**/", "(?:[^/]+/)*");
  return new RegExp(`^${pattern}$`).test(path);
}
