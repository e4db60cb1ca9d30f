import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { FileList } from "./file-list";

const paths = (list: FileList) => [...list.all()].map(({ kind, path }) => (kind === "file" ? path : `${path}/`)).sort();
const name = fc.constantFrom("a", "b", "ab");
const folder = fc.array(name, { minLength: 1, maxLength: 3 }).map(parts => parts.join("/"));
/** File names get an extension, because a name on disk is either a file or a folder. */
const file = folder.map(path => `${path}.ts`);

suite("FileList", () => {
  test("adds and removes folders with their files", () => {
    const list = new FileList("/w", "");
    for (const path of ["src/a.ts", "src/deep/b.ts", "c.ts"]) list.add(path);
    deepEqual([list.size, paths(list)], [3, ["c.ts", "src/", "src/a.ts", "src/deep/", "src/deep/b.ts"]]);
    list.remove("src/deep/b.ts");
    deepEqual(paths(list), ["c.ts", "src/", "src/a.ts"]);
    list.remove("src");
    deepEqual(paths(list), ["c.ts"]);
  });

  test("keeps one entry of a file added twice", () => {
    const list = new FileList("/w", "");
    for (const path of ["src/a.ts", "src/a.ts"]) list.add(path);
    deepEqual([list.size, paths(list)], [1, ["src/", "src/a.ts"]]);
    list.remove("src/a.ts");
    deepEqual(paths(list), []);
  });

  test("includes its prefix in the searched path", () => {
    const list = new FileList("/w", "web/");
    list.add("src/a.ts");
    deepEqual(
      [...list.all()].map(({ root, path, target }) => [root, path, target.path]),
      [
        ["/w", "src/a.ts", "web/src/a.ts"],
        ["/w", "src", "web/src"],
      ],
    );
  });

  test("equals a new list of the remaining files (property)", () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.record({ add: file }), fc.record({ remove: fc.oneof(file, folder) })), { maxLength: 40 }),
        changes => {
          const list = new FileList("/w", ""),
            expected = new Set<string>();
          for (const change of changes) {
            if ("add" in change) {
              list.add(change.add);
              expected.add(change.add);
              continue;
            }
            list.remove(change.remove);
            for (const path of expected)
              if (path === change.remove || path.startsWith(`${change.remove}/`)) expected.delete(path);
          }
          const fresh = new FileList("/w", "");
          for (const path of expected) fresh.add(path);
          deepEqual(paths(list), paths(fresh));
          equal(list.size, expected.size);
        },
      ),
    ));
});
