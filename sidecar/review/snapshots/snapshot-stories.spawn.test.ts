/** Uses the user's git. */
import { equal } from "node:assert/strict";
import { lstatSync, rmSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { findOnPath } from "../../process/find-program";
import { SnapshotFixture } from "../../testing/review/snapshot-fixture";
import { skipped } from "../../testing/skipped";
import type { SnapshotStore } from "./snapshot-store";

const files = fc.constantFrom("a.txt", "b.env", "d/a.txt", "d/e/a.txt", "d/e/b.env", "d.txt", "f/g.txt", "f"),
  texts = fc.constantFrom("", "1\n", "2\n", "1\r\n2\r\n");
const MAX_BYTES = 100;
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("write" as const), file: files, text: texts }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), file: files }) },
  fc.record({ kind: fc.constant("grow" as const), file: files }),
  fc.record({ kind: fc.constant("link" as const), file: files, target: files }),
  fc.record({ kind: fc.constant("executable" as const), file: files }),
  fc.record({ kind: fc.constant("ignore" as const), text: fc.constantFrom("", "*.env\n", "/d/\n") }),
  fc.record({ kind: fc.constantFrom("commit" as const, "reset" as const) }),
  fc.record({ kind: fc.constant("nest" as const) }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

function kindOf(place: string): "file" | "link" | "folder" | undefined {
  try {
    const stats = lstatSync(place);
    return stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "link";
  } catch {
    return undefined;
  }
}

async function perform(fixture: SnapshotFixture, each: Action): Promise<void> {
  const at = (name: string): string => `r/${name}`,
    replace = (name: string): void => {
      // Another file can be in place of a folder of the path.
      for (let folder = path.posix.dirname(name); folder !== "."; folder = path.posix.dirname(folder))
        if (!["folder", undefined].includes(kindOf(fixture.at(at(folder))))) rmSync(fixture.at(at(folder)));
      rmSync(fixture.at(at(name)), { recursive: true, force: true });
    };
  switch (each.kind) {
    case "write":
      replace(each.file);
      fixture.write(at(each.file), each.text);
      break;
    case "grow":
      if (kindOf(fixture.at(at(each.file))) === "file") fixture.write(at(each.file), "x".repeat(MAX_BYTES + 1));
      break;
    case "remove":
      replace(each.file);
      break;
    case "link":
      replace(each.file);
      fixture.link(at(each.file), each.target);
      break;
    case "executable":
      if (kindOf(fixture.at(at(each.file))) === "file") fixture.chmod(at(each.file), 0o755);
      break;
    case "ignore":
      fixture.write(at(".gitignore"), each.text);
      break;
    case "commit":
      await fixture.commit("r");
      break;
    case "reset":
      await fixture.git("r", "reset", "-q", "--hard");
      break;
    case "nest":
      replace("f");
      fixture.write(at("f/g.txt"), "nested\n");
      await fixture.git("r/f", "init", "-q");
      await fixture.commit("r/f");
      break;
  }
}

suite("snapshots in random stories, with git", () => {
  suiteSetup(function () {
    if (findOnPath("git") === undefined) skipped(this, "It needs git");
  });

  test("are equal with changes in the index, in the trees, or in both", () =>
    fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 10 }), async actions => {
        await using fixture = new SnapshotFixture();
        await fixture.repository("r", { "a.txt": "1\n", "d/a.txt": "1\n", ".gitignore": "" });
        const treeOf = async (store: SnapshotStore): Promise<string | undefined> => {
          const snapshot = await store.snapshot([fixture.at("r")]);
          return snapshot.kind === "recorded"
            ? snapshot.roots.find(({ root }) => root === fixture.at("r"))?.tree
            : undefined;
        };
        const [byIndex, byTrees, byBoth] = [0, 200, 2].map((maxEdits, i) =>
          fixture.open({ storage: fixture.at(`storage${i}`), limits: { maxEdits, maxFileBytes: MAX_BYTES } }),
        );
        if (!byIndex || !byTrees || !byBoth) throw new Error("three stores");
        for (const each of actions) {
          await perform(fixture, each);
          const expected = await treeOf(byIndex);
          equal(await treeOf(byTrees), expected);
          equal(await treeOf(byBoth), expected);
        }
      }),
      { numRuns: 4 },
    ));
});
