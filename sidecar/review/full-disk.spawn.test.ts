/** Turns whose changes cannot be stored, with the user's git. */
import { deepEqual, equal } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { findOnPath } from "../process/find-program";
import { ReviewFixture } from "../testing/review/review-fixture";
import { SnapshotFixture } from "../testing/review/snapshot-fixture";
import { skipped } from "../testing/skipped";
import { ReviewLogs } from "./review-logs";

suite("turns on a full disk, with git", () => {
  let fixture: SnapshotFixture;
  suiteSetup(function () {
    if (findOnPath("git") === undefined) skipped(this, "It needs git");
  });
  setup(function () {
    fixture = new SnapshotFixture();
    mkdirSync(fixture.at("full"));
    const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", fixture.at("full")]);
    if (status !== 0) skipped(this, "It mounts a file system, which needs the rights of an administrator");
  });
  teardown(async () => {
    spawnSync("umount", ["-l", fixture.at("full")]);
    await fixture[Symbol.asyncDispose]();
  });

  for (const kind of ["a repository", "a folder without a repository"])
    test(`continue, are named as incomplete in ${kind}, and are recorded when the disk has space`, async () => {
      if (kind === "a repository") await fixture.repository("w", { "a.txt": "1\n" });
      else fixture.write("w/a.txt", "1\n");
      await using reviews = new ReviewFixture(fixture, {
        snapshots: fixture.open({ storage: fixture.at("full") }),
        logs: new ReviewLogs(fixture.at("full")),
      });
      const { id, recording } = reviews.session(),
        root = fixture.at("w");
      await recording.begin({ entryId: "p1", title: "Change" }, "A session");
      fixture.write("w/a.txt", "2\n");
      fixture.write("w/large.bin", randomBytes(2 * 1024 * 1024));
      await reviews.ask("review/refresh", { id });
      fixture.remove("w/large.bin");
      await recording.end();
      deepEqual(await reviews.files(), ["a.txt +1 −1"]);
      await reviews.ask("review/undo", { id });
      equal(fixture.read("w/a.txt"), "1\n");
      await recording.begin({ entryId: "p2", title: "Change" }, "A session");
      fixture.write("w/large.bin", randomBytes(2 * 1024 * 1024));
      recording.toolEnded();
      await recording.end();
      await reviews.shown();
      deepEqual(reviews.reviews.get(id)?.limits, [{ kind: "skipped", root, why: "diskFull" }]);
    });
});
