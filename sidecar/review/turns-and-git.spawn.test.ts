/** Turns in which the user's repository changes, with the user's git. */
import { deepEqual, equal } from "node:assert/strict";
import { findOnPath } from "../process/find-program";
import { ReviewFixture } from "../testing/review/review-fixture";
import { SnapshotFixture } from "../testing/review/snapshot-fixture";
import { skipped } from "../testing/skipped";
import type { Recording } from "./review-service";

const DAY_MS = 24 * 60 * 60 * 1000;

suite("turns during changes of the repository, with git", () => {
  let fixture: SnapshotFixture;
  suiteSetup(function () {
    if (findOnPath("git") === undefined) skipped(this, "It needs git");
  });
  setup(async () => {
    fixture = new SnapshotFixture();
    await fixture.repository("w", { "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "1\n", "d/c.txt": "c\n" });
  });
  teardown(() => fixture[Symbol.asyncDispose]());

  const begin = (recording: Recording, entryId: string): Promise<void> =>
    recording.begin({ entryId, title: `Prompt ${entryId}` }, "A session");
  /** The lines of a file in commits of two branches. The first branch is checked out. */
  const branches = async (main: string, other: string): Promise<void> => {
    fixture.write("w/a.txt", main);
    await fixture.commit("w");
    await fixture.git("w", "checkout", "-q", "-b", "other");
    fixture.write("w/a.txt", other);
    await fixture.commit("w");
    await fixture.git("w", "checkout", "-q", "main");
  };
  const removeOldObjects = async (): Promise<void> => {
    await fixture.git("w", "reflog", "expire", "--expire=now", "--all");
    await fixture.git("w", "gc", "-q", "--prune=now");
  };

  for (const [title, hasEnded] of [
    ["of an open turn remain after days beside another session", false],
    ["of a turn that ended with its process remain until its recovery", true],
  ] as const)
    test(`objects ${title}`, async () => {
      fixture.write("w/mine.txt", "mine\n");
      const ended = fixture.open({ pid: 999_999_999 }),
        deps = { date: () => fixture.now, ...(hasEnded ? { snapshots: ended } : {}) };
      await using reviews = new ReviewFixture(fixture, deps);
      const { id, recording } = reviews.session();
      await begin(recording, "p1");
      fixture.write("w/mine.txt", "agent\n");
      fixture.write("w/a.txt", "agent\n");
      fixture.write("w/other.txt", "other\n");
      await using others = new ReviewFixture(fixture, { date: () => fixture.now });
      const other = others.session();
      await begin(other.recording, "q1");
      fixture.write("w/b.txt", "2\n");
      await other.recording.end();
      fixture.now += 2 * DAY_MS;
      await fixture.store.prune();
      if (hasEnded) await others.session(id).recording.end();
      else await recording.end();
      const service = hasEnded ? others : reviews;
      await service.ask("review/undo", { id, files: [{ root: fixture.at("w"), path: "mine.txt" }] });
      await service.ask("review/undo", { id, files: [{ root: fixture.at("w"), path: "a.txt" }] });
      equal(fixture.read("w/mine.txt") + fixture.read("w/a.txt"), "mine\n1\n2\n3\n4\n5\n");
    });

  test("objects of a turn are not needed after its end", async () => {
    fixture.write("w/mine.txt", "mine\n");
    await using reviews = new ReviewFixture(fixture, { date: () => fixture.now });
    const { recording } = reviews.session();
    await begin(recording, "p1");
    const tree = await fixture.tree("w");
    await recording.end();
    fixture.write("w/mine.txt", "mine too\n");
    await fixture.tree("w");
    fixture.now += 2 * DAY_MS;
    await fixture.store.prune();
    equal(await fixture.store.read(fixture.at("w"), tree), undefined);
  });

  test("the agent's change of a file of another branch is separate from the switch", async () => {
    await branches("1\n2\n3\n", "1 other\n2\n3\n");
    await using reviews = new ReviewFixture(fixture);
    const { id, recording } = reviews.session();
    await begin(recording, "p1");
    fixture.write("w/new.txt", "new\n");
    await fixture.git("w", "checkout", "-q", "other");
    fixture.write("w/a.txt", "1 other\n2\n3 agent\n");
    await recording.end();
    deepEqual(await reviews.files(), ["new.txt +1 −0", "a.txt +1 −1"]);
    await reviews.ask("review/undo", { id });
    equal(fixture.read("w/a.txt"), "1 other\n2\n3\n");
  });

  test("the agent's commit before a switch is its change", async () => {
    await branches("1\n2\n3\n", "1 other\n2\n3\n");
    await using reviews = new ReviewFixture(fixture);
    const { recording } = reviews.session();
    await begin(recording, "p1");
    fixture.write("w/b.txt", "agent\n");
    fixture.write("w/a.txt", "1\n2 agent\n3\n");
    await fixture.commit("w");
    await fixture.git("w", "checkout", "-q", "other");
    await recording.end();
    // The agent's commits are on a branch that is not checked out.
    deepEqual(await reviews.files(), []);
    await begin(recording, "p2");
    await fixture.git("w", "checkout", "-q", "main");
    fixture.write("w/a.txt", "1\n2 agent\n3 again\n");
    await recording.end();
    deepEqual(await reviews.files(), ["a.txt +1 −1"]);
  });

  test("a file is shared if a switch may have discarded its changes", async () => {
    await branches("1\n2\n3\n", "1 other\n2\n3\n");
    fixture.write("w/a.txt", "1\n2\n3 mine\n");
    await using reviews = new ReviewFixture(fixture);
    const { id, recording } = reviews.session();
    await begin(recording, "p1");
    await fixture.git("w", "checkout", "-q", "-f", "other");
    await recording.end();
    deepEqual(await reviews.files(), ["a.txt +2 −2 shared"]);
    await reviews.ask("review/undo", { id });
    equal(fixture.read("w/a.txt"), "1\n2\n3 mine\n");
  });

  test("files are shared if the log of HEAD does not contain a switch", async () => {
    await fixture.git("w", "config", "core.logAllRefUpdates", "false");
    await branches("1\n2\n3\n", "1 other\n2\n3\n");
    await using reviews = new ReviewFixture(fixture);
    const { recording } = reviews.session();
    fixture.remove("w/.git/logs");
    await begin(recording, "p1");
    await fixture.git("w", "checkout", "-q", "other");
    fixture.write("w/b.txt", "agent\n");
    await recording.end();
    deepEqual(await reviews.files(), ["a.txt +1 −1 shared", "b.txt +1 −1"]);
  });

  test("changes remain restorable that were recorded before the repository lost its objects", async () => {
    await using reviews = new ReviewFixture(fixture);
    const { id, recording } = reviews.session();
    await begin(recording, "p1");
    fixture.write("w/d/c.txt", "agent\n");
    recording.toolEnded();
    await reviews.ask("review/refresh", { id }); // resolves when the changes until now are recorded
    await fixture.git("w", "commit", "-q", "-a", "--amend", "-m", "Amended");
    await removeOldObjects();
    fixture.write("w/a.txt", "agent\n");
    await recording.end();
    equal((await reviews.files()).length, 2);
    deepEqual((await reviews.ask("review/undo", { id })).remaining, []);
    equal(fixture.read("w/d/c.txt") + fixture.read("w/a.txt"), "c\n1\n2\n3\n4\n5\n");
  });

  test("a file is named whose content the repository lost, and the others are restorable", async () => {
    await using reviews = new ReviewFixture(fixture);
    const { id, recording } = reviews.session();
    await begin(recording, "p1");
    fixture.write("w/d/c.txt", "agent\n");
    await fixture.git("w", "commit", "-q", "-a", "--amend", "-m", "Amended");
    await removeOldObjects();
    fixture.write("w/a.txt", "agent\n");
    await recording.end();
    await reviews.shown();
    deepEqual(reviews.reviews.get(id)?.limits, [{ kind: "gone", count: 1, paths: [fixture.at("w/d/c.txt")] }]);
    // The log of HEAD is lost, too.
    deepEqual(await reviews.files(), ["a.txt +1 −5 shared", "d/c.txt +0 −0 shared"]);
    const { remaining } = await reviews.ask("review/undo", { id });
    deepEqual(
      remaining.map(({ path, kind }) => [path, kind]),
      [["d/c.txt", "failed"]],
    );
    equal(fixture.read("w/d/c.txt") + fixture.read("w/a.txt"), "agent\n1\n2\n3\n4\n5\n");
  });
});
