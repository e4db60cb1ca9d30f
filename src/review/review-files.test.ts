import { deepEqual, equal } from "node:assert/strict";
import { modified, recorded, reviewOf } from "../testing/review-fixture";
import { byPath, changeOf, filesIn, ReviewIndex, shownPath } from "./review-files";

function skipOnWindows(context: Mocha.Context): void {
  if (process.platform !== "win32") return;
  context["skipReason"] = "The paths are those of other systems.";
  context.skip();
}

suite("review files", () => {
  test("names the kind of a change", () => {
    const file = { root: "/w", path: "a.ts" },
      [before, after] = [recorded("1"), recorded("2")];
    deepEqual(
      [
        { ...file, after },
        { ...file, before },
        { ...file, before, after },
        { ...file, before, after, from: "b.ts" },
      ].map(changeOf),
      ["created", "deleted", "modified", "renamed"],
    );
  });

  test("shows a file in the workspace folder as the user opened it", function () {
    skipOnWindows(this);
    const folders = [{ shown: "/home/me/link", real: "/data/project" }];
    equal(shownPath({ root: "/data/project", path: "src/a.ts" }, folders), "/home/me/link/src/a.ts");
    equal(shownPath({ root: "/data/project/nested", path: "a.ts" }, folders), "/home/me/link/nested/a.ts");
    equal(shownPath({ root: "/data/project2", path: "..a.ts" }, folders), "/data/project2/..a.ts");
  });

  test("finds a file by its path in the editor, in the newest of several reviews", function () {
    skipOnWindows(this);
    const newest = reviewOf("b", [modified("a.ts")]),
      index = new ReviewIndex([newest, reviewOf("a", [modified("a.ts"), modified("b.ts")])]);
    deepEqual(
      [index.at("/w/a.ts")?.review.id, index.at("/w/b.ts")?.review.id, index.at("/w/c.ts")],
      ["b", "a", undefined],
    );
    deepEqual(index.paths, ["/w/a.ts", "/w/b.ts"]);
  });

  test("are sorted like those of the source control", () => {
    const paths = ["b/c.ts", "notes10.ts", "a/z.ts", "b/a/a.ts", "notes9.ts", "Created.ts", "b/a.ts"];
    deepEqual(
      paths
        .map(path => ({ root: "/w", path }))
        .toSorted(byPath)
        .map(({ path }) => path),
      ["Created.ts", "notes9.ts", "notes10.ts", "a/z.ts", "b/a.ts", "b/c.ts", "b/a/a.ts"],
    );
    equal(byPath({ root: "/v", path: "b.ts" }, { root: "/w", path: "a.ts" }) < 0, true);
    equal(byPath({ root: "/w", path: "a.ts" }, { root: "/w", path: "a.ts" }), 0);
    // A file that a folder has replaced.
    const [file, inFolder] = [
      { root: "/w", path: "a" },
      { root: "/w", path: "a/b.ts" },
    ];
    deepEqual([byPath(file, inFolder) < 0, byPath(inFolder, file) > 0], [true, true]);
  });

  test("selects the files of a scope", () => {
    const review = reviewOf("a", [modified("a.ts", [1]), modified("b.ts", [1, 2])]);
    const paths = (scope: Omit<Parameters<typeof filesIn>[1], "id">) =>
      filesIn(review, { id: "a", ...scope }).map(({ path }) => path);
    deepEqual(
      [paths({}), paths({ turn: 2 }), paths({ files: [{ root: "/w", path: "a.ts" }] })],
      [["a.ts", "b.ts"], ["b.ts"], ["a.ts"]],
    );
    deepEqual(filesIn(undefined, { id: "a" }), []);
  });
});
