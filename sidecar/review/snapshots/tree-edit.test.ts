import { equal } from "node:assert/strict";
import fc from "fast-check";
import { EXECUTABLE_MODE, FILE_MODE, LINK_MODE, type FileState, type Oid } from "./file-state";
import type { ByteString } from "./git-output";
import { objectId } from "./loose-objects";
import { editTree, foldersOf } from "./tree-edit";

type Files = ReadonlyMap<ByteString, FileState>;

/** All trees of a folder with these files, written anew and independent of the module. */
function treesOf(files: Files): { readonly oid: Oid; readonly trees: ReadonlyMap<ByteString, Buffer> } {
  const trees = new Map<ByteString, Buffer>(),
    build = (folder: ByteString): Oid => {
      const prefix = folder === "" ? "" : `${folder}/`,
        inside = [...files].filter(([path]) => path.startsWith(prefix)).map(([path]) => path.slice(prefix.length)),
        names = [...new Set(inside.map(path => path.split("/")[0] ?? ""))];
      const entries = names.map(name => {
        const state = files.get(prefix + name);
        return state === undefined
          ? { key: `${name}/`, head: `40000 ${name}\0`, oid: build(prefix + name) }
          : { key: name, head: `${state.mode} ${name}\0`, oid: state.oid };
      });
      entries.sort((a, b) => Buffer.compare(Buffer.from(a.key, "latin1"), Buffer.from(b.key, "latin1")));
      const bytes = Buffer.concat(
        entries.flatMap(({ head, oid }) => [Buffer.from(head, "latin1"), Buffer.from(oid, "hex")]),
      );
      trees.set(folder, bytes);
      return objectId("tree", bytes, "sha1");
    };
  return { oid: build(""), trees };
}

const paths = fc
  .array(fc.constantFrom("a", "b", "a.b", "a-b", "a0", "\xff"), { minLength: 1, maxLength: 4 })
  .map(names => names.join("/"));
const states = fc.record({
  mode: fc.constantFrom(FILE_MODE, EXECUTABLE_MODE, LINK_MODE),
  oid: fc.nat(9).map(digit => String(digit).repeat(40)),
});

/** Git has no file and folder of one name: the later path wins. */
function consistent(files: Iterable<readonly [ByteString, FileState]>): Files {
  const result = new Map<ByteString, FileState>();
  for (const [path, state] of files) {
    for (const other of result.keys())
      if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) result.delete(other);
    result.set(path, state);
  }
  return result;
}
const folders = fc.array(fc.tuple(paths, states), { maxLength: 12 }).map(consistent);

suite("edited tree", () => {
  test("equals the tree of the files after the edits", () => {
    fc.assert(
      fc.property(folders, folders, (before, after) => {
        const edits = new Map<ByteString, FileState | undefined>(after);
        for (const path of before.keys()) if (!after.has(path)) edits.set(path, undefined);
        const all = treesOf(before).trees,
          needed = foldersOf(edits.keys()),
          edited = editTree(new Map([...all].filter(([folder]) => needed.has(folder))), edits, "sha1");
        equal(edited?.tree, treesOf(after).oid);
        // All other trees exist already.
        const known = new Set(
          [...all.values(), ...(edited?.trees ?? [])].map(bytes => objectId("tree", bytes, "sha1")),
        );
        for (const bytes of treesOf(after).trees.values()) equal(known.has(objectId("tree", bytes, "sha1")), true);
      }),
    );
  });

  test("is unknown if the tree of an existing folder is missing", () => {
    const state = { mode: FILE_MODE, oid: "1".repeat(40) } as const,
      { trees } = treesOf(new Map([["a/b", state]])),
      edits = new Map([["a/c", state]]);
    equal(editTree(new Map([...trees].filter(([folder]) => folder === "")), edits, "sha1"), undefined);
    equal(editTree(new Map(), edits, "sha1"), undefined);
    equal(editTree(trees, edits, "sha1")?.trees.length, 2);
  });
});
