/** Uses the user's git. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, utimesSync } from "node:fs";
import { findOnPath } from "../../process/find-program";
import { SnapshotFixture } from "../../testing/review/snapshot-fixture";
import { skipped } from "../../testing/skipped";
import type { RootSnapshot } from "./snapshot-store";

suite("snapshots of unusual repositories, with git", () => {
  let fixture: SnapshotFixture;
  suiteSetup(function () {
    if (findOnPath("git") === undefined) skipped(this, "It needs git");
  });
  setup(() => {
    fixture = new SnapshotFixture();
  });
  teardown(() => fixture[Symbol.asyncDispose]());

  test("have the bytes on disk, whatever git converts", async () => {
    fixture.write(
      "home/.gitconfig",
      `${fixture.read("home/.gitconfig")}[core]\n\tautocrlf = true\n[filter "swap"]\n\tclean = "tr ab ba"\n\tsmudge = "tr ab ba"\n`,
    );
    const utf16 = Buffer.from("\ufeffWide\r\n", "utf16le");
    await fixture.repository("r", {
      ".gitattributes": "*.wide working-tree-encoding=UTF-16\n*.id ident\n*.swap filter=swap\n",
      "a.txt": "one\r\ntwo\r\n",
      "b.wide": utf16,
      "c.id": "$Id$\n",
      "d.swap": "abba\n",
    });
    await fixture.git("r", "rm", "-q", "--cached", "c.id");
    fixture.remove("r/c.id");
    await fixture.git("r", "reset", "-q", "--hard");
    equal(await fixture.git("r", "status", "--porcelain"), "");
    const before = await fixture.tree("r"),
      content = await fixture.content("r", before);
    for (const name of ["a.txt", "b.wide", "c.id", "d.swap"])
      equal(content[name], `100644 ${fixture.read(`r/${name}`)}`, name);
    equal(content["a.txt"], "100644 one\r\ntwo\r\n");
    ok(content["c.id"]?.includes("$Id: "));
    equal(content["b.wide"], `100644 ${utf16.toString("latin1")}`);
    fixture.write("r/a.txt", "one\r\nTWO\r\n");
    const after = await fixture.tree("r"),
      { files } = await fixture.changes("r", before, after);
    deepEqual(
      files.map(({ path: name }) => name),
      ["a.txt"],
    );
    const [change] = files;
    deepEqual(await fixture.store.restore(fixture.at("r"), "a.txt", change?.before, change?.after), {
      kind: "restored",
    });
    equal(fixture.read("r/a.txt"), "one\r\ntwo\r\n");
    equal(await fixture.tree("r"), before);
  });

  test("leave out a changed file whose earlier bytes git converted with settings that are gone", async () => {
    await fixture.repository("r", { "a.txt": "one\n", "b.txt": "two\n" });
    await fixture.git("r", "config", "core.autocrlf", "true");
    fixture.remove("r/a.txt");
    await fixture.git("r", "checkout", "a.txt");
    await fixture.git("r", "config", "--unset", "core.autocrlf");
    equal(fixture.read("r/a.txt"), "one\r\n");
    const before = await fixture.tree("r");
    fixture.write("r/a.txt", "one\r\nmore\r\n");
    fixture.write("r/b.txt", "changed\n");
    const snapshot = await fixture.store.snapshot([fixture.at("r")]),
      root = snapshot.kind === "recorded" ? snapshot.roots[0] : undefined;
    deepEqual(root?.leftOut, [{ path: "a.txt", why: "unknown" }]);
    deepEqual(
      (await fixture.changes("r", before, root?.tree ?? "")).files.map(({ path: name }) => name),
      ["b.txt"],
    );
  });

  test("run no hook, filter, monitor or other program that a repository or a variable names", async () => {
    const evil = fixture.at("evil.sh"),
      evidence = fixture.at("evidence");
    fixture.write("evil.sh", `#!/bin/sh\necho "$0 $*" >> ${evidence}\ncat\n`);
    fixture.chmod("evil.sh", 0o755);
    await fixture.repository("r", { "a.txt": "one\n", ".gitattributes": "* filter=evil diff=evil\n" });
    for (const [key, value] of [
      ["core.fsmonitor", evil],
      ["core.hooksPath", fixture.at("r/.git/hooks")],
      ["core.pager", evil],
      ["core.editor", evil],
      ["core.sshCommand", evil],
      ["filter.evil.clean", evil],
      ["filter.evil.smudge", evil],
      ["filter.evil.process", evil],
      ["diff.evil.command", evil],
      ["diff.evil.textconv", evil],
      ["diff.external", evil],
      ["core.alternateRefsCommand", evil],
      ["credential.helper", evil],
    ] as const)
      await fixture.git("r", "config", key, value);
    for (const hook of ["post-index-change", "pre-commit", "post-checkout", "reference-transaction"])
      fixture.write(`r/.git/hooks/${hook}`, `#!/bin/sh\necho ${hook} >> ${evidence}\n`);
    for (const hook of readdirSync(fixture.at("r/.git/hooks"))) fixture.chmod(`r/.git/hooks/${hook}`, 0o755);
    process.env["GIT_EXTERNAL_DIFF"] = evil;
    process.env["GIT_DIR"] = fixture.at("r/.git");
    try {
      const before = await fixture.tree("r");
      fixture.write("r/a.txt", "two\n");
      fixture.write("r/b.txt", "new\n");
      const after = await fixture.tree("r"),
        { files } = await fixture.changes("r", before, after);
      await fixture.store.pin("ada", fixture.at("r"), [before, after]);
      for (const { path: name, before: earlier, after: later } of files)
        await fixture.store.restore(fixture.at("r"), name, earlier, later);
      equal(await fixture.tree("r"), before);
    } finally {
      delete process.env["GIT_EXTERNAL_DIFF"];
      delete process.env["GIT_DIR"];
    }
    ok(!existsSync(evidence), existsSync(evidence) ? fixture.read("evidence") : "");
    await fixture.git("r", "status");
    ok(existsSync(evidence), "the user's git runs the programs");
  });

  test("notice a change of equal size and time after the index was written", async () => {
    const time = 1_700_000_000;
    await fixture.repository("r", { "a.txt": "one\n" });
    utimesSync(fixture.at("r/a.txt"), time, time);
    await fixture.git("r", "update-index", "--refresh");
    utimesSync(fixture.at("r/.git/index"), time, time);
    // The index of git has the time of change of the file, too, but not on each file system.
    await fixture.git("r", "config", "core.trustctime", "false");
    fixture.write("r/a.txt", "two\n");
    utimesSync(fixture.at("r/a.txt"), time, time);
    deepEqual(await fixture.content("r", await fixture.tree("r")), { "a.txt": "100644 two\n" });
  });

  test("record changes in a folder with the name that git describe gives to a commit", async () => {
    await fixture.repository("r", { "a.txt": "one\n" });
    const folder = `v1-1-g${(await fixture.git("r", "rev-parse", "--short=7", "HEAD")).trim()}`;
    for (const name of ["a.txt", "b.txt"]) fixture.write(`r/${folder}/${name}`, "one\n");
    await fixture.commit("r");
    const before = await fixture.tree("r");
    fixture.write(`r/${folder}/a.txt`, "two\n");
    const { files } = await fixture.changes("r", before, await fixture.tree("r"));
    deepEqual(
      files.map(file => file.path),
      [`${folder}/a.txt`],
    );
  });

  test("keep the files of a root around which a repository is created", async () => {
    await fixture.repository("r", { "a.txt": "one\n" });
    for (const name of ["kept", "changed"]) fixture.write(`r/n/${name}`, "one\n");
    const before = await fixture.tree("r");
    await fixture.repository("r/n", { new: "two\n", changed: "two\n" });
    const trees = await fixture.trees("r"),
      { files } = await fixture.changes("r", before, trees["r"] ?? "");
    deepEqual(Object.keys(trees), ["r"]);
    deepEqual(
      files.map(file => file.path),
      ["n/changed", "n/new"],
    );
  });

  test("record no file below a link that replaced a folder, also if the link is ignored", async () => {
    await fixture.repository("r", { "a.txt": "one\n" });
    fixture.write("r/n/x", "one\n");
    const before = await fixture.tree("r");
    fixture.write("outside/x", "two\n");
    fixture.write("r/.gitignore", "n\n");
    fixture.remove("r/n");
    fixture.link("r/n", fixture.at("outside"));
    const { files } = await fixture.changes("r", before, await fixture.tree("r"));
    deepEqual(
      files.map(({ path: name, after }) => `${name} ${after === undefined ? "deleted" : "present"}`),
      [".gitignore present", "n/x deleted"],
    );
  });

  test("keep the recorded bytes of changed and new files that become too large", async () => {
    const store = fixture.open({ limits: { maxFileBytes: 100, maxEdits: 3 }, pid: 1 });
    await fixture.repository("r", { "a.txt": "one\n" });
    for (const name of ["a.txt", "new"]) fixture.write(`r/${name}`, "two\n");
    const recorded = async (): Promise<RootSnapshot | undefined> => {
      const snapshot = await store.snapshot([fixture.at("r")]);
      return snapshot.kind === "recorded" ? snapshot.roots[0] : undefined;
    };
    const before = await recorded();
    for (const name of ["a.txt", "new"]) fixture.write(`r/${name}`, "large".repeat(100));
    const after = await recorded();
    equal(after?.leftOutCount, 2);
    equal(after.tree, before?.tree);
    // Git puts many changes into the index.
    for (const name of ["b", "c", "d", "e"]) fixture.write(`r/${name}`, `${name}\n`);
    const many = await recorded(),
      { files } = await fixture.changes("r", before?.tree ?? "", many?.tree ?? "");
    equal(many?.leftOutCount, 2);
    deepEqual(
      files.map(({ path: name }) => name),
      ["b", "c", "d", "e"],
    );
  });

  test("record a merge with conflicts", async () => {
    await fixture.repository("r", { "a.txt": "base\n", "b.txt": "b\n" });
    await fixture.git("r", "checkout", "-q", "-b", "side");
    fixture.write("r/a.txt", "side\n");
    await fixture.commit("r");
    await fixture.git("r", "checkout", "-q", "main");
    fixture.write("r/a.txt", "main\n");
    await fixture.commit("r");
    await fixture.git("r", "merge", "side").catch(() => undefined);
    const before = fixture.fingerprint("r/.git"),
      content = await fixture.content("r", await fixture.tree("r"));
    ok(content["a.txt"]?.startsWith("100644 <<<<<<<"));
    equal(content["b.txt"], "100644 b\n");
    deepEqual(fixture.fingerprint("r/.git"), before);
  });

  test("use indexes of version 4, split indexes and those with caches", async () => {
    for (const [name, args] of [
      ["v4", ["update-index", "--index-version", "4"]],
      ["split", ["update-index", "--split-index"]],
      ["untracked", ["update-index", "--untracked-cache"]],
      ["hidden", ["update-index", "--assume-unchanged", "a.txt"]],
      ["skipped", ["update-index", "--skip-worktree", "a.txt"]],
    ] as const) {
      await fixture.repository(name, { "a.txt": "one\n", "dir/b.txt": "two\n", "dir/ä.txt": "three\n" });
      await fixture.git(name, ...args);
      fixture.write(`${name}/a.txt`, "changed\n");
      fixture.write(`${name}/new.txt`, "new\n");
      await fixture.git(name, "add", "-N", "new.txt");
      deepEqual(
        await fixture.content(name, await fixture.tree(name)),
        {
          "a.txt": "100644 changed\n",
          "dir/b.txt": "100644 two\n",
          "dir/ä.txt": "100644 three\n",
          "new.txt": "100644 new\n",
        },
        name,
      );
    }
  });

  test("record a repository with SHA-256", async function () {
    mkdirSync(fixture.at("r"));
    await fixture
      .git("r", "init", "-q", "--object-format=sha256")
      .catch(() => skipped(this, "This git has no SHA-256"));
    fixture.write("r/a.txt", "one\n");
    await fixture.commit("r");
    const before = await fixture.tree("r");
    equal(before.length, 64);
    fixture.write("r/a.txt", "two\n");
    const [change] = (await fixture.changes("r", before, await fixture.tree("r"))).files;
    equal((await fixture.store.restore(fixture.at("r"), "a.txt", change?.before, change?.after)).kind, "restored");
    equal(fixture.read("r/a.txt"), "one\n");
  });
});
