/** Attribution, recovery and operations of reviews, with the user's git. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { renameSync } from "node:fs";
import { findOnPath } from "../process/find-program";
import type { SnapshotFixture } from "../testing/review/snapshot-fixture";
import { skipped } from "../testing/skipped";
import { objectId } from "./snapshots/loose-objects";
import { begin, FILES, folderWithFiles, ReviewFixture } from "../testing/review/review-fixture";

suite("reviews of sessions, with git", () => {
  let fixture: SnapshotFixture;
  suiteSetup(function () {
    if (findOnPath("git") === undefined) skipped(this, "It needs git");
  });
  setup(() => {
    fixture = folderWithFiles();
  });
  teardown(() => fixture[Symbol.asyncDispose]());

  test("record the folders when a session opens, once for all sessions and before the first prompt", async () => {
    await using rig = new ReviewFixture(fixture);
    const oid = objectId("blob", Buffer.from(FILES["w/a.txt"]), "sha1");
    rig.session();
    await fixture.store.prepare([fixture.at("w")]);
    deepEqual(await fixture.store.read(fixture.at("w"), oid), Buffer.from(FILES["w/a.txt"]));
    const started = fixture.commands.length;
    rig.session();
    await fixture.store.prepare([fixture.at("w")]);
    equal(fixture.commands.length, started);
  });

  test("separate the user's saves in a turn from the agent's changes", async () => {
    await using rig = new ReviewFixture(fixture);
    const { id, recording } = rig.session(),
      file = fixture.at("w/a.txt");
    await begin(recording, "p1");
    fixture.write("w/a.txt", "1 agent\n2\n3\n4\n5\n");
    await rig.ask("review/save", { path: file, state: "saving" });
    fixture.write("w/a.txt", "1 agent\n2\n3 mine\n4\n5\n");
    await rig.ask("review/save", { path: file, state: "saved" });
    await rig.ask("review/save", { path: fixture.at("w/b.txt"), state: "saving" });
    fixture.write("w/b.txt", "1\n2 mine\n3\n");
    await rig.ask("review/save", { path: fixture.at("w/b.txt"), state: "saved" });
    recording.toolEnded();
    fixture.write("w/a.txt", "1 agent\n2\n3 mine\n4\n5 agent\n");
    await recording.end();
    deepEqual(await rig.files(), ["a.txt +2 −2"]);
    deepEqual((await rig.ask("review/undo", { id })).remaining, []);
    equal(fixture.read("w/a.txt"), "1\n2\n3 mine\n4\n5\n");
    equal(fixture.read("w/b.txt"), "1\n2 mine\n3\n");
  });

  test("count the user's unsaved text that the agent replaced as the user's", async () => {
    await using rig = new ReviewFixture(fixture);
    const { id, recording } = rig.session();
    await begin(recording, "p1");
    await recording.writing(fixture.at("w/a.txt"), async () => {
      fixture.write("w/a.txt", "1 agent\n2\n3 mine\n4\n5\n");
      return Buffer.from("1\n2\n3 mine\n4\n5\n");
    });
    await recording.end();
    deepEqual(await rig.files(), ["a.txt +1 −1"]);
    await rig.ask("review/undo", { id });
    equal(fixture.read("w/a.txt"), "1\n2\n3 mine\n4\n5\n");
  });

  test("tell the changes of two sessions apart by their tool calls, and mark others as shared", async () => {
    await using rig = new ReviewFixture(fixture);
    const ada = rig.session(),
      eva = rig.session();
    await begin(ada.recording, "p1");
    await begin(eva.recording, "p1");
    await ada.recording.announced([fixture.at("w/a.txt")]);
    await eva.recording.announced([fixture.at("w/b.txt")]);
    fixture.write("w/a.txt", "ada\n");
    fixture.write("w/b.txt", "eva\n");
    fixture.write("w/c.txt", "either\n");
    await ada.recording.end();
    await eva.recording.end();
    deepEqual([...(await rig.files())].sort(), [
      "a.txt +1 −5",
      "b.txt +1 −3",
      "c.txt +1 −0 shared",
      "c.txt +1 −0 shared",
    ]);
  });

  test("count an undo in another session as a change of the user", async () => {
    await using rig = new ReviewFixture(fixture);
    const [ada, eva] = [rig.session(), rig.session()];
    await begin(ada.recording, "p1");
    fixture.write("w/a.txt", "1 ada\n2\n3\n4\n5\n");
    await ada.recording.end();
    await begin(eva.recording, "p1");
    fixture.write("w/a.txt", "1 ada\n2\n3\n4\n5 eva\n");
    await eva.recording.end();
    await rig.ask("review/undo", { id: ada.id });
    const { reviews } = await rig.ask("review/list", { folders: [fixture.folder] }),
      [file] = reviews.find(({ id }) => id === eva.id)?.files ?? [];
    ok(file?.before !== undefined);
    const { data } = await rig.ask("review/content", { root: file.root, oid: file.before.oid });
    equal(Buffer.from(data, "base64").toString(), FILES["w/a.txt"]);
    equal(fixture.read("w/a.txt"), "1\n2\n3\n4\n5 eva\n");
  });

  test("do not count an undo in a running turn as a change of the agent", async () => {
    await using rig = new ReviewFixture(fixture);
    const { id, recording } = rig.session();
    await begin(recording, "p1");
    fixture.write("w/a.txt", "1 agent\n2\n3\n4\n5\n");
    await recording.end();
    await begin(recording, "p2");
    fixture.write("w/b.txt", "1\n2 agent\n3\n");
    fixture.write("w/a.txt", "1 agent\n2\n3\n4\n5 agent\n");
    const { operation = "" } = await rig.ask("review/undo", { id, files: [{ root: fixture.at("w"), path: "a.txt" }] });
    equal(fixture.read("w/a.txt"), FILES["w/a.txt"]);
    await recording.end();
    deepEqual(await rig.files(), ["b.txt +1 −1"]);
    await rig.ask("review/revert", { id, operation });
    equal(fixture.read("w/a.txt"), "1 agent\n2\n3\n4\n5 agent\n");
  });

  test("include the user's later changes after a refresh and in the preview of a rewind", async () => {
    await using rig = new ReviewFixture(fixture);
    const { id, recording } = rig.session();
    await begin(recording, "p1");
    fixture.write("w/a.txt", "1 agent\n2\n3\n4\n5\n");
    await recording.end();
    fixture.write("w/a.txt", "1 agent\n2\n3 mine\n4\n5\n");
    const { review } = await rig.ask("review/refresh", { id });
    const [file] = review.files;
    ok(file?.before !== undefined);
    const { data } = await rig.ask("review/content", { root: file.root, oid: file.before.oid });
    equal(Buffer.from(data, "base64").toString(), FILES["w/a.txt"].replace("3\n", "3 mine\n"));
    fixture.write("w/a.txt", "1 agent\n2\n3 mine\n4\n5 mine\n");
    const { prompts } = await rig.ask("review/prompts", {});
    deepEqual(
      prompts.map(({ entryId }) => entryId),
      ["p1"],
    );
    const { files } = await rig.ask("review/previewRewind", { id, entryId: "p1" });
    deepEqual(
      files.map(({ hasOwnChanges }) => hasOwnChanges),
      [true],
    );
  });

  test("list what another window has undone in the meantime", async () => {
    await using rig = new ReviewFixture(fixture);
    const { id, recording } = rig.session(),
      own = rig.service;
    await begin(recording, "p1");
    fixture.write("w/a.txt", "1 agent\n2\n3\n4\n5\n");
    await recording.end();
    await using other = rig.opened();
    rig.service = other;
    deepEqual(await rig.files(), ["a.txt +1 −1"]);
    rig.service = own;
    await rig.ask("review/undo", { id });
    rig.service = other;
    deepEqual(await rig.files(), []);
    rig.service = own;
  });

  test("count what changed between two turns as the user's, and keep it in a rewind, which can be undone", async () => {
    await using rig = new ReviewFixture(fixture);
    const { id, recording } = rig.session();
    await begin(recording, "p1");
    fixture.write("w/a.txt", "1 agent\n2\n3\n4\n5\n");
    await recording.end();
    fixture.write("w/a.txt", "1 agent\n2\n3 mine\n4\n5\n");
    await begin(recording, "p2");
    fixture.write("w/a.txt", "1 agent\n2\n3 mine\n4\n5 agent\n");
    fixture.write("w/new.txt", "new\n");
    await recording.end();
    deepEqual(
      (await rig.ask("review/previewRewind", { id, entryId: "p1" })).files.map(
        ({ path, before, after, hasOwnChanges }) => [path, before !== undefined, after !== undefined, hasOwnChanges],
      ),
      [
        ["a.txt", true, true, true],
        ["new.txt", true, false, false],
      ],
    );
    deepEqual(
      (await rig.ask("review/turn", { id, turn: 1 })).files.map(({ path }) => path),
      ["a.txt"],
    );
    const { operation = "", files } = await rig.ask("review/rewind", { id, entryId: "p1" });
    equal(files, 2);
    equal(fixture.read("w/a.txt"), "1\n2\n3 mine\n4\n5\n");
    deepEqual(await rig.files(), []);
    await rig.ask("review/revert", { id, operation });
    equal(fixture.read("w/a.txt"), "1 agent\n2\n3 mine\n4\n5 agent\n");
    equal(fixture.read("w/new.txt"), "new\n");
    equal((await rig.ask("review/rewind", { id, entryId: "unknown" })).files, 0);
  });

  test("record a turn that ended with its process, as shared", async () => {
    await using rig = new ReviewFixture(fixture);
    const { id, recording } = rig.session();
    await begin(recording, "p1");
    fixture.write("w/a.txt", "1 agent\n2\n3\n4\n5\n");
    rig.service = rig.opened();
    await rig.session(id).recording.end();
    deepEqual(await rig.files(), ["a.txt +1 −1 shared"]);
    await rig.ask("review/undo", { id });
    equal(fixture.read("w/a.txt"), FILES["w/a.txt"]);
  });

  test("compare the announced files if git is missing", async () => {
    await using bare = folderWithFiles({ env: async () => ({ PATH: "" }) });
    await using rig = new ReviewFixture(bare);
    const { id, recording } = rig.session();
    await begin(recording, "p1");
    await recording.announced([bare.at("w/a.txt"), bare.at("w/new.txt")]);
    bare.write("w/a.txt", "1 agent\n2\n3\n4\n5\n");
    bare.write("w/new.txt", "new\n");
    bare.write("w/b.txt", "not announced\n");
    await recording.end();
    deepEqual(await rig.files(), ["a.txt +1 −1", "new.txt +1 −0"]);
    await rig.shown();
    deepEqual(rig.reviews.get(id)?.limits, [{ kind: "announcedOnly", why: "noGit" }]);
    await rig.ask("review/undo", { id });
    equal(bare.read("w/a.txt"), FILES["w/a.txt"]);
    ok(!bare.exists("w/new.txt"));
  });

  test("count a renamed file once, also in the summary for the chat", async () => {
    const summaries: unknown[] = [];
    await using rig = new ReviewFixture(fixture);
    const recording = rig.service.record({
      ...{ id: randomUUID(), kind: "chat", agentName: "Ada", folders: [fixture.at("w")] },
      changed: summary => summaries.push(summary),
    });
    if (recording === undefined) throw new Error("nothing is recorded");
    await begin(recording, "p1");
    renameSync(fixture.at("w/a.txt"), fixture.at("w/moved.txt"));
    fixture.write("w/moved.txt", "1\n2 agent\n3\n4\n5\n");
    recording.toolEnded();
    await recording.end();
    await begin(recording, "p2");
    fixture.write("w/b.txt", "1\n2\n3\n4\n");
    await recording.end();
    await rig.shown();
    const expected = {
      ...{ files: 2, added: 2, removed: 1 },
      turns: [
        { entryId: "p1", files: 1, added: 1, removed: 1 },
        { entryId: "p2", files: 1, added: 1, removed: 0 },
      ],
    };
    deepEqual(summaries.at(-1), expected);
    deepEqual(recording.summary, expected);
  });

  test("keep what the user commits, also parts of a file", async () => {
    await fixture.repository("w", {});
    await using rig = new ReviewFixture(fixture);
    const { recording } = rig.session();
    await begin(recording, "p1");
    fixture.write("w/a.txt", "1 agent\n2\n3\n4\n5 agent\n");
    fixture.write("w/b.txt", "1\n2 agent\n3\n");
    await recording.end();
    fixture.write("w/a.txt", "1 agent\n2\n3\n4\n5\n");
    await fixture.commit("w");
    fixture.write("w/a.txt", "1 agent\n2\n3\n4\n5 agent\n");
    await rig.ask("review/committed", { folder: fixture.at("w") });
    deepEqual(await rig.files(), ["a.txt +1 −1"]);
  });

  test("keep what the user commits in a repository that is new", async () => {
    await using rig = new ReviewFixture(fixture);
    const { recording } = rig.session();
    await begin(recording, "p1");
    fixture.write("w/a.txt", "agent\n");
    await recording.end();
    await fixture.repository("w", {});
    await rig.ask("review/committed", { folder: fixture.at("w") });
    deepEqual(await rig.files(), []);
  });

  test("do not contain files that git replaced for another branch in the turn, but those that the agent commits", async () => {
    await fixture.repository("w", {});
    await fixture.git("w", "checkout", "-q", "-b", "other");
    fixture.write("w/b.txt", "other\n");
    fixture.write("w/other.txt", "other\n");
    await fixture.commit("w");
    await fixture.git("w", "checkout", "-q", "main");
    await using rig = new ReviewFixture(fixture);
    const { recording } = rig.session();
    await begin(recording, "p1");
    await fixture.git("w", "checkout", "-q", "other");
    fixture.write("w/a.txt", "1 agent\n2\n3\n4\n5\n");
    recording.toolEnded();
    await recording.end();
    deepEqual(await rig.files(), ["a.txt +1 −1"]);
    await begin(recording, "p2");
    fixture.write("w/b.txt", "agent\n");
    await fixture.commit("w");
    await rig.ask("review/committed", { folder: fixture.at("w") });
    await recording.end();
    deepEqual(await rig.files(), ["a.txt +1 −1", "b.txt +1 −1"]);
    await rig.ask("review/committed", { folder: fixture.at("w") });
    deepEqual(await rig.files(), []);
  });

  test("are refused in an untrusted workspace and while another window has the session", async () => {
    await using rig = new ReviewFixture(fixture);
    const { id, recording } = rig.session();
    await begin(recording, "p1");
    fixture.write("w/a.txt", "agent\n");
    await recording.end();
    for (const [deps, sentence] of [
      [{ isRestricted: true }, /Trust this workspace/],
      [{ lease: async () => undefined }, /another window/],
    ] as const) {
      await using other = new ReviewFixture(fixture, deps);
      equal((await other.files()).length, 1);
      await rejects(other.ask("review/undo", { id }), sentence);
    }
    const untrusted = new ReviewFixture(fixture, { isRestricted: true }).service,
      started = fixture.commands.length;
    equal(untrusted.record({ id, kind: "chat", agentName: "Ada", folders: [fixture.at("w")] }), undefined);
    equal(fixture.commands.length, started);
    equal(fixture.read("w/a.txt"), "agent\n");
  });

  test("are removed with their sessions", async () => {
    await using rig = new ReviewFixture(fixture);
    const { id, recording } = rig.session();
    await begin(recording, "p1");
    fixture.write("w/a.txt", "agent\n");
    await recording.end();
    await recording[Symbol.asyncDispose]();
    await using later = new ReviewFixture(fixture);
    later.stored.add(id);
    await later.service.cleanUp(0, { days: 30, megabytes: 1 });
    equal((await later.files()).length, 1);
    await later.service.delete(id);
    deepEqual(await later.files(), []);
    deepEqual(later.reviews.get(id)?.files, []);
  });
});
