import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import type { FileChange, FileState } from "./file-state";
import { comparedOids, MAX_COMPARED_BYTES, withRenames } from "./renames";

/** The content of an object is a function of its id. */
const state = (oid: string, mode: FileState["mode"] = "100644"): FileState => ({ mode, oid });
const created = (path: string, oid: string): FileChange => ({ path, after: state(oid) });
const deleted = (path: string, oid: string): FileChange => ({ path, before: state(oid) });
const text = (oid: string): Uint8Array => Buffer.from([...oid].map(letter => `line ${letter}\n`).join(""));
const summary = (changes: readonly FileChange[], content: (oid: string) => Uint8Array | undefined = text) =>
  withRenames(changes, content).map(change => ("from" in change ? `${change.from} → ${change.path}` : change.path));

suite("renamed files", () => {
  test("have equal contents, with equal names first", () => {
    deepEqual(
      summary([deleted("a", "x"), created("b", "x")], () => undefined),
      ["a → b"],
    );
    deepEqual(summary([deleted("1/a", "x"), deleted("1/b", "x"), created("2/b", "x"), created("2/a", "x")]), [
      "1/b → 2/b",
      "1/a → 2/a",
    ]);
  });

  test("have at least half of their lines in common, the most similar first", () => {
    deepEqual(summary([deleted("a", "abcd"), created("b", "abcx")]), ["a → b"]);
    deepEqual(summary([deleted("a", "abcd"), created("b", "axyz")]), ["a", "b"]);
    deepEqual(summary([deleted("a", "abcd"), created("b", "abxx"), created("c", "abcx")]), ["b", "a → c"]);
  });

  test("are not found in binary, empty and large contents, nor between files and links", () => {
    for (const content of [Buffer.from("a\0b"), Buffer.alloc(0), Buffer.alloc(MAX_COMPARED_BYTES + 1, "a\n")])
      deepEqual(
        summary([deleted("a", "x"), created("b", "y")], () => content),
        ["a", "b"],
      );
    deepEqual(summary([{ path: "a", before: state("x", "120000") }, created("b", "x")]), ["a", "b"]);
  });

  test("need only the contents of files without an equal counterpart", () => {
    const modified = { path: "m", before: state("1"), after: state("2") };
    deepEqual(comparedOids([deleted("a", "x"), created("b", "x"), deleted("c", "y"), created("d", "z"), modified]), [
      "y",
      "z",
    ]);
    deepEqual(comparedOids([deleted("a", "x"), modified]), []);
  });

  test("lose no change and invent none", () => {
    const oids = fc.stringMatching(/^[a-f]{1,6}$/),
      changes = fc
        .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z/]{1,4}$/), fc.constantFrom("c", "d", "m"), oids, oids), {
          selector: ([path]) => path,
        })
        .map(all =>
          all.map(([path, kind, before, after]) =>
            kind === "c"
              ? created(path, after)
              : kind === "d"
                ? deleted(path, before)
                : { path, before: state(before), after: state(after) },
          ),
        );
    fc.assert(
      fc.property(changes, given => {
        const separate = withRenames(given, text).flatMap((change): readonly FileChange[] =>
          "from" in change
            ? [
                { path: change.from, before: change.before },
                { path: change.path, after: change.after },
              ]
            : [change],
        );
        const byPath = (all: readonly FileChange[]): readonly FileChange[] =>
          [...all].sort((a, b) => (a.path < b.path ? -1 : 1));
        deepEqual(byPath(separate), byPath(given));
        equal(new Set(separate.map(({ path }) => path)).size, given.length);
      }),
    );
  });
});
