/** Changes that reviews do not contain, or cannot restore, with the user's git. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { findOnPath } from "../process/find-program";
import type { SnapshotFixture } from "../testing/review/snapshot-fixture";
import { skipped } from "../testing/skipped";
import { ReviewLogs } from "./review-logs";
import { begin, folderWithFiles, ReviewFixture } from "../testing/review/review-fixture";

suite("reviews of sessions, with git", () => {
  let fixture: SnapshotFixture;
  suiteSetup(function () {
    if (findOnPath("git") === undefined) skipped(this, "It needs git");
  });
  setup(() => {
    fixture = folderWithFiles();
  });
  teardown(() => fixture[Symbol.asyncDispose]());

  test("do not contain files that existed before the turn although no snapshot had them", async () => {
    fixture.write("w/.gitignore", "*.env\n");
    fixture.write("w/my.env", "mine\n");
    fixture.write("w/large.txt", "x".repeat(5 * 1024 * 1024 + 1));
    await fixture.repository("w/nested", { "mine.txt": "mine\n" });
    await fixture.repository("w/gone", { "gone.txt": "gone\n" });
    let now = Date.now() + 60_000;
    await using rig = new ReviewFixture(fixture, { date: () => now });
    const { id, recording } = rig.session();
    await begin(recording, "p1");
    fixture.write("w/.gitignore", "");
    fixture.write("w/large.txt", "small now\n");
    fixture.remove("w/nested/.git");
    fixture.remove("w/gone");
    await recording.end();
    deepEqual(await rig.files(), [".gitignore +0 −1", "gone.txt +0 −0"]);
    await rig.shown();
    deepEqual(rig.reviews.get(id)?.limits, [{ kind: "gone", count: 1, paths: [fixture.at("w/gone/gone.txt")] }]);
    deepEqual(
      (await rig.ask("review/undo", { id })).remaining.map(({ path, kind }) => [path, kind]),
      [["gone.txt", "failed"]],
    );
    deepEqual(
      ["my.env", "large.txt", "nested/mine.txt"].filter(name => !fixture.exists(`w/${name}`)),
      [],
    );
    now = 0;
    await begin(recording, "p2");
    fixture.write("w/.gitignore", "*.log\n");
    fixture.write("w/new.txt", "new\n");
    await recording.end();
    deepEqual(await rig.files(), [".gitignore +1 −1", "new.txt +1 −0", "gone.txt +0 −0"]);
  });

  test("list and restore the files of removed folders, as far as their contents are stored", async () => {
    await fixture.repository("w", {});
    await fixture.repository("w/nested", { "clean.txt": "clean\n", "d/changed.txt": "1\n" });
    fixture.write("w/nested/d/changed.txt", "1\n2\n");
    fixture.write("w/nested/new.txt", "new\n");
    fixture.write("other/c.txt", "c\n");
    await using rig = new ReviewFixture(fixture);
    const { id, recording } = rig.session(randomUUID(), ["w", "other"]);
    await begin(recording, "p1");
    for (const name of ["w/nested", "w/b.txt", "other"]) fixture.remove(name);
    recording.toolEnded();
    await recording.end();
    deepEqual([...(await rig.files())].sort(), [
      "b.txt +0 −3",
      "c.txt +0 −1",
      "clean.txt +0 −0",
      "d/changed.txt +0 −2",
      "new.txt +0 −1",
    ]);
    await rig.shown();
    deepEqual(rig.reviews.get(id)?.limits, [{ kind: "gone", count: 1, paths: [fixture.at("w/nested/clean.txt")] }]);
    const { remaining, operation = "" } = await rig.ask("review/undo", { id });
    deepEqual(
      remaining.map(({ path }) => path),
      ["clean.txt"],
    );
    equal(fixture.read("w/nested/d/changed.txt") + fixture.read("other/c.txt"), "1\n2\nc\n");
    await rig.ask("review/revert", { id, operation });
    ok(!fixture.exists("w/nested/d") && !fixture.exists("other/c.txt"));
  });

  test("say that a turn could not be stored, because the disk is full", async () => {
    const logs = new ReviewLogs(fixture.at("storage"));
    let isFull = false;
    logs.append = (id, lines) => {
      if (isFull) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
      ReviewLogs.prototype.append.call(logs, id, lines);
    };
    await using rig = new ReviewFixture(fixture, { logs });
    const { id, recording } = rig.session(),
      limits = () => rig.reviews.get(id)?.limits;
    await begin(recording, "p1");
    isFull = true;
    fixture.write("w/a.txt", "agent\n");
    await recording.end();
    await rig.shown();
    deepEqual(limits(), [{ kind: "unstored" }]);
    await begin(recording, "p2");
    await recording.end();
    deepEqual(recording.summary?.isIncomplete, true);
    isFull = false;
    await begin(recording, "p3");
    fixture.write("w/b.txt", "agent\n");
    await recording.end();
    await rig.shown();
    deepEqual(limits(), []);
    deepEqual(await rig.files(), ["b.txt +1 −3"]);
    equal(rig.errors.splice(0).length, 2);
  });

  test("name what the last turn may have lost, also without a file", async () => {
    const now = Date.now() + 60_000;
    await using rig = new ReviewFixture(fixture, { date: () => now });
    const { id, recording } = rig.session();
    fixture.write("w/old.bin", "x".repeat(5 * 1024 * 1024 + 1));
    await begin(recording, "p1");
    await recording.end();
    await rig.shown();
    deepEqual(rig.reviews.get(id)?.limits, []);
    equal(recording.summary, undefined);
    await begin(recording, "p2");
    fixture.write("w/new.bin", "x".repeat(5 * 1024 * 1024 + 1));
    recording.toolEnded();
    await recording.end();
    await rig.shown();
    deepEqual(rig.reviews.get(id)?.limits, [{ kind: "leftOut", count: 1, paths: [fixture.at("w/new.bin")] }]);
    deepEqual(recording.summary, { files: 0, added: 0, removed: 0, isIncomplete: true, turns: [] });
    deepEqual(
      (await rig.ask("review/list", { folders: [fixture.at("w")] })).reviews.map(review => review.id),
      [id],
    );
    await begin(recording, "p3");
    equal(recording.summary, undefined);
  });

  test("name files whose contents were deleted with their repository in the turn", async () => {
    await fixture.repository("w", {});
    await using rig = new ReviewFixture(fixture);
    const { id, recording } = rig.session();
    await begin(recording, "p1");
    fixture.remove("w/.git");
    fixture.write("w/a.txt", "agent\n");
    recording.toolEnded();
    await recording.end();
    await rig.shown();
    deepEqual(rig.reviews.get(id)?.limits, [{ kind: "gone", count: 1, paths: [fixture.at("w/a.txt")] }]);
    deepEqual(await rig.files(), ["a.txt +0 −0"]);
  });

  test("protect announced files while the baseline takes longer than the prompt waits", async () => {
    await using rig = new ReviewFixture(fixture);
    const { id, recording } = rig.session();
    const began = begin(recording, "p1");
    rig.clock.advance(300);
    await began;
    await recording.announced([fixture.at("w/a.txt")]);
    fixture.write("w/a.txt", "1 agent\n2\n3\n4\n5\n");
    await recording.end();
    deepEqual(await rig.files(), ["a.txt +1 −1"]);
    await rig.shown();
    deepEqual(rig.reviews.get(id)?.limits, [{ kind: "late", turn: 1 }]);
  });
});
