/** Uses the user's git. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findOnPath } from "../../process/find-program";
import { SnapshotFixture } from "../../testing/review/snapshot-fixture";
import { skipped } from "../../testing/skipped";
import { StoreFolder } from "./store-folder";

const DAY_MS = 24 * 60 * 60 * 1000;

suite("objects of snapshots", () => {
  let fixture: SnapshotFixture;
  suiteSetup(function () {
    if (findOnPath("git") === undefined) skipped(this, "It needs git");
  });
  setup(() => {
    fixture = new SnapshotFixture();
  });
  teardown(() => fixture[Symbol.asyncDispose]());

  const storeOf = (folder: string): StoreFolder => StoreFolder.of(fixture.at("storage"), fixture.at(folder));
  /** Ids of the objects that the store has itself. */
  const ownObjects = (folder: string): readonly string[] =>
    readdirSync(storeOf(folder).objects, { recursive: true, encoding: "utf8" })
      .filter(name => /^[0-9a-f]{2}.[0-9a-f]{38}$/.test(name))
      .map(name => name.replace(path.sep, ""))
      .sort();

  test("remain readable after the user's repository has lost them", async () => {
    await fixture.repository("r", { "a/b/old.txt": "old\n", "a/b/other.txt": "other\n", "c.txt": "c\n" });
    const trees = [await fixture.tree("r")];
    fixture.write("r/a/b/old.txt", "new\n");
    trees.push(await fixture.tree("r"));
    fixture.remove("r/c.txt");
    trees.push(await fixture.tree("r"));
    for (const pair of [
      [0, 1],
      [1, 2],
    ])
      deepEqual(
        await fixture.store.pin(
          "ada",
          fixture.at("r"),
          pair.map(i => trees[i] ?? ""),
        ),
        [],
      );
    // The user's history begins again, without the old objects.
    await fixture.git("r", "checkout", "-q", "--orphan", "fresh");
    await fixture.git("r", "rm", "-q", "-r", "-f", ".");
    fixture.write("r/x.txt", "x\n");
    await fixture.commit("r");
    await fixture.git("r", "branch", "-D", "main");
    await fixture.git("r", "reflog", "expire", "--expire=now", "--all");
    await fixture.git("r", "gc", "-q", "--prune=now");
    const [first = "", , last = ""] = trees,
      { files } = await fixture.changes("r", first, last);
    deepEqual(
      files.map(({ path: name }) => name),
      ["a/b/old.txt", "c.txt"],
    );
    const texts = await Promise.all(files.map(({ before }) => fixture.store.read(fixture.at("r"), before?.oid ?? "")));
    deepEqual(
      texts.map(text => text && Buffer.from(text).toString()),
      ["old\n", "c\n"],
    );
    // The next snapshot has the new files, although objects of the index are missing.
    deepEqual(Object.keys(await fixture.content("r", await fixture.tree("r"))), ["x.txt"]);
  });

  test("are removed a day after the last conversation that needs them", async () => {
    fixture.write("f/a.txt", "one\n");
    const before = await fixture.tree("f");
    fixture.write("f/a.txt", "two\n");
    const after = await fixture.tree("f"),
      blob = await fixture.store.write(fixture.at("f"), Buffer.from("merged\n")),
      unpinned = await fixture.store.write(fixture.at("f"), Buffer.from("not pinned\n"));
    await fixture.store.pin("ada", fixture.at("f"), [before, after], [blob]);
    await fixture.store.pin("eve", fixture.at("f"), [after, before]);
    await fixture.store.prune();
    ok(ownObjects("f").includes(unpinned));
    fixture.now += 2 * DAY_MS;
    await fixture.store.prune();
    ok(!ownObjects("f").includes(unpinned));
    ok(ownObjects("f").includes(blob));
    await fixture.store.release("ada");
    await fixture.store.prune();
    ok(!ownObjects("f").includes(blob));
    equal((await fixture.changes("f", before, after)).files.length, 1);
    await fixture.store.release("eve");
    await fixture.store.prune();
    // The index of this process still needs its own objects.
    ok(!ownObjects("f").includes(before));
    ok(ownObjects("f").includes(after));
    equal(await fixture.tree("f"), after);
    equal((await fixture.content("f", after))["a.txt"], "100644 two\n");
  });

  test("are removed with their store if no process and no conversation uses it", async () => {
    fixture.write("f/a.txt", "one\n");
    await using other = new SnapshotFixture({ pid: 999_999_999 });
    other.write("f/a.txt", "one\n");
    await other.tree("f");
    const folder = StoreFolder.of(other.at("storage"), other.at("f")).path;
    await other.store.prune();
    ok(existsSync(folder));
    other.now += 2 * DAY_MS;
    await other.store.prune();
    ok(!existsSync(folder));
  });

  test("are recorded again if the index is damaged", async () => {
    await fixture.repository("r", { "a.txt": "one\n", "b.txt": "two\n" });
    const before = await fixture.tree("r");
    writeFileSync(storeOf("r").index(process.pid), "damaged");
    fixture.write("r/a.txt", "changed\n");
    const after = await fixture.tree("r");
    deepEqual(await fixture.content("r", after), { "a.txt": "100644 changed\n", "b.txt": "100644 two\n" });
    equal((await fixture.changes("r", before, after)).files.length, 1);
  });

  test("are hashed again if they are lost, or if the repository of the folder is another", async () => {
    fixture.write("r/a.txt", "one\n");
    const asFolder = await fixture.tree("r");
    await fixture.repository("r", { "b.txt": "two\n" });
    const store = fixture.open();
    const snapshot = await store.snapshot([fixture.at("r")]);
    ok(snapshot.kind === "recorded");
    deepEqual(await fixture.content("r", snapshot.roots[0]?.tree ?? ""), {
      "a.txt": "100644 one\n",
      "b.txt": "100644 two\n",
    });
    equal((await fixture.content("r", asFolder))["a.txt"], "100644 one\n");
  });
});
