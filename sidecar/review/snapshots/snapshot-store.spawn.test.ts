/** Uses the user's git. */
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, utimesSync } from "node:fs";
import path from "node:path";
import { findOnPath } from "../../process/find-program";
import { SnapshotFixture } from "../../testing/review/snapshot-fixture";
import { skipped } from "../../testing/skipped";
import type { FileChange } from "./file-state";

/** One line per change: state before and after, path, and the earlier path of a rename. */
function summary(files: readonly (FileChange & { readonly from?: string })[]): readonly string[] {
  return files.map(
    ({ path: name, before, after, from }) =>
      `${before ? before.mode : "none"} → ${after ? after.mode : "none"} ${from === undefined ? "" : `${from} → `}${name}`,
  );
}

suite("snapshots, with git", () => {
  let fixture: SnapshotFixture;
  suiteSetup(function () {
    if (findOnPath("git") === undefined) skipped(this, "It needs git");
  });
  setup(() => {
    fixture = new SnapshotFixture();
  });
  teardown(() => fixture[Symbol.asyncDispose]());

  test("record changed, created, deleted, renamed and executable files, links and binary files", async () => {
    await fixture.repository("r", {
      "a.txt": "one\n",
      "deleted.txt": "gone\n",
      "moved.txt": "1\n2\n3\n4\n5\n6\n",
      "script.sh": "#!/bin/sh\n",
      "same.txt": "same\n",
      ".gitignore": "*.log\n",
    });
    fixture.link("r/link", "a.txt");
    const before = await fixture.tree("r");
    fixture.write("r/a.txt", "two\n");
    fixture.remove("r/deleted.txt");
    fixture.move("r/moved.txt", "r/deep/er/renamed.txt");
    fixture.write("r/deep/er/renamed.txt", "1\n2\n3\n4\n5\nsix\n");
    fixture.chmod("r/script.sh", 0o755);
    fixture.remove("r/link");
    fixture.link("r/link", "script.sh");
    fixture.write("r/binary.bin", Uint8Array.of(0, 255, 13, 10, 0));
    fixture.write("r/ignored.log", "ignored");
    const after = await fixture.tree("r"),
      { files, leftOut } = await fixture.changes("r", before, after);
    deepEqual(summary(files), [
      "100644 → 100644 a.txt",
      "none → 100644 binary.bin",
      "100644 → 100644 moved.txt → deep/er/renamed.txt",
      "100644 → none deleted.txt",
      "120000 → 120000 link",
      "100644 → 100755 script.sh",
    ]);
    deepEqual(leftOut, []);
    deepEqual(await fixture.content("r", after), {
      ".gitignore": "100644 *.log\n",
      "a.txt": "100644 two\n",
      "binary.bin": "100644 \0ÿ\r\n\0",
      "deep/er/renamed.txt": "100644 1\n2\n3\n4\n5\nsix\n",
      link: "120000 script.sh",
      "same.txt": "100644 same\n",
      "script.sh": "100755 #!/bin/sh\n",
    });
    equal(await fixture.tree("r"), after);
  });

  test("leave the user's repository unchanged, byte by byte", async () => {
    await fixture.repository("r", { "a.txt": "one\n", "b.txt": "two\n", "d/c.txt": "three\n" });
    fixture.write("r/b.txt", "staged\n");
    await fixture.git("r", "add", "b.txt");
    fixture.write("r/b.txt", "not staged\n");
    // Git would refresh the index after a touch.
    utimesSync(fixture.at("r/a.txt"), 1_000_000_000, 1_000_000_000);
    const before = fixture.fingerprint("r/.git");
    const first = await fixture.tree("r");
    fixture.write("r/a.txt", "changed\n");
    fixture.remove("r/d/c.txt");
    fixture.write("r/new.txt", "new\n");
    const second = await fixture.tree("r");
    equal((await fixture.store.pin("ada", fixture.at("r"), [first, second])).length, 0);
    equal((await fixture.changes("r", first, second)).files.length, 3);
    await fixture.store.prune();
    deepEqual(fixture.fingerprint("r/.git"), before);
    deepEqual(await fixture.git("r", "status", "--porcelain"), " M a.txt\nMM b.txt\n D d/c.txt\n?? new.txt\n");
  });

  test("read unchanged files of a repository from its objects", async () => {
    await fixture.repository("r", { "a.txt": "one\n", "b.txt": "two\n" });
    await fixture.tree("r");
    const [store = ""] = readdirSync(fixture.at("storage/review")).filter(name => name !== "home");
    deepEqual(readdirSync(fixture.at(`storage/review/${store}/objects`)).sort(), ["info", "pack"]);
  });

  test("record a folder without a repository, without packages and build output", async () => {
    for (const name of ["a.txt", "src/b.txt", "node_modules/x/index.js", ".venv/lib/y.py", "target/debug/z"])
      fixture.write(`f/${name}`, name);
    const before = await fixture.tree("f");
    deepEqual(Object.keys(await fixture.content("f", before)), ["a.txt", "src/b.txt"]);
    fixture.write("f/src/b.txt", "changed");
    fixture.remove("f/a.txt");
    deepEqual(summary((await fixture.changes("f", before, await fixture.tree("f"))).files), [
      "100644 → none a.txt",
      "100644 → 100644 src/b.txt",
    ]);
  });

  test("record a worktree, a submodule, a nested repository and several folders as separate roots", async () => {
    await fixture.repository("library", { "lib.txt": "library\n" });
    await fixture.repository("r", { "a.txt": "one\n" });
    await fixture.git("r", "-c", "protocol.file.allow=always", "submodule", "add", "-q", fixture.at("library"), "sub");
    await fixture.commit("r");
    await fixture.git("r", "worktree", "add", "-q", fixture.at("w"));
    await fixture.repository("r/nested", { "n.txt": "nested\n" });
    fixture.write("f/plain.txt", "plain\n");
    await fixture.repository("f/inside", { "i.txt": "inside\n" });
    const before = await fixture.trees("r", "w", "f", "r/nested");
    deepEqual(Object.keys(before).sort(), ["f", "f/inside", "r", "r/nested", "r/sub", "w"]);
    fixture.write("r/sub/lib.txt", "changed\n");
    fixture.write("w/a.txt", "changed in the worktree\n");
    fixture.write("r/nested/new.txt", "new\n");
    fixture.write("f/inside/i.txt", "changed\n");
    const after = await fixture.trees("r", "w", "f", "r/nested"),
      changed: Record<string, readonly string[]> = {};
    for (const [root, tree] of Object.entries(after))
      changed[root] = summary((await fixture.changes(root, before[root] ?? "", tree)).files);
    deepEqual(changed, {
      r: [],
      w: ["100644 → 100644 a.txt"],
      f: [],
      "r/nested": ["none → 100644 new.txt"],
      "r/sub": ["100644 → 100644 lib.txt"],
      "f/inside": ["100644 → 100644 i.txt"],
    });
    deepEqual(Object.keys(await fixture.content("r", after["r"] ?? "")), [".gitmodules", "a.txt"]);
  });

  test("record only the opened folder of a larger repository, by the rules of the whole", async () => {
    await fixture.repository("r", {
      ".gitignore": "/packages/*/dist\n*.tmp\n",
      "packages/a/a.txt": "a\n",
      "packages/b/b.txt": "b\n",
    });
    fixture.write("r/packages/a/dist/out.js", "built");
    fixture.write("r/packages/a/x.tmp", "temporary");
    fixture.write("r/packages/a/new.txt", "new\n");
    fixture.write("r/packages/b/b.txt", "changed\n");
    const tree = await fixture.tree("r/packages/a");
    deepEqual(Object.keys(await fixture.content("r/packages/a", tree)), ["a.txt", "new.txt"]);
    // A folder that the repository ignores has the rules of a folder without a repository.
    fixture.write("r/packages/a/dist/node_modules/x.js", "package");
    deepEqual(await fixture.content("r/packages/a/dist", await fixture.tree("r/packages/a/dist")), {
      "out.js": "100644 built",
    });
    deepEqual(Object.keys(await fixture.trees("r/packages/a", "r/packages", "r/packages/a/dist")).sort(), [
      "r/packages",
      "r/packages/a/dist",
    ]);
  });

  test("record a file in place of a folder, and a folder in place of a file", async () => {
    await fixture.repository("r", { "a/b.txt": "b\n", "a/c.txt": "c\n", file: "file\n" });
    const before = await fixture.tree("r");
    fixture.remove("r/a");
    fixture.write("r/a", "a file\n");
    fixture.remove("r/file");
    fixture.write("r/file/inside.txt", "inside\n");
    const after = await fixture.tree("r");
    deepEqual(await fixture.content("r", after), { a: "100644 a file\n", "file/inside.txt": "100644 inside\n" });
    const restore = async (isDeletion: boolean) => {
      for (const change of (await fixture.changes("r", before, after)).files)
        if ((change.before === undefined) === isDeletion)
          deepEqual(await fixture.store.restore(fixture.at("r"), change.path, change.before, change.after), {
            kind: "restored",
          });
    };
    await restore(true);
    await restore(false);
    equal(await fixture.tree("r"), before);
  });

  test("record a link in place of a folder", async () => {
    await fixture.repository("r", { "a/b.txt": "b\n", "c/b.txt": "c\n" });
    fixture.remove("r/a");
    fixture.link("r/a", "c");
    const tree = await fixture.tree("r");
    deepEqual(await fixture.content("r", tree), { a: "120000 c", "c/b.txt": "100644 c\n" });
  });

  test("record a file also after it is ignored", async () => {
    await fixture.repository("r", { ".gitignore": "" });
    fixture.write("r/a.env", "one\n");
    const before = await fixture.tree("r");
    fixture.write("r/.gitignore", "*.env\n");
    const after = await fixture.tree("r");
    deepEqual(summary((await fixture.changes("r", before, after)).files), ["100644 → 100644 .gitignore"]);
    fixture.remove("r/a.env");
    deepEqual(Object.keys(await fixture.content("r", await fixture.tree("r"))), [".gitignore"]);
  });

  test("record few changes and many changes in the same way", async () => {
    const numbers = Array.from({ length: 250 }, (_, i) => i);
    await fixture.repository("r", Object.fromEntries(numbers.map(i => [`d${i % 7}/f${i}.txt`, `${i}\n`])));
    const change = (from: number, to: number, text: string): void => {
      for (const i of numbers.slice(from, to)) fixture.write(`r/d${i % 7}/f${i}.txt`, `${text} ${i}\n`);
    };
    await fixture.tree("r");
    change(0, 3, "few");
    fixture.remove("r/d3/f3.txt");
    fixture.write("r/new/file.txt", "new\n");
    const few = await fixture.tree("r");
    change(0, 240, "many");
    await fixture.tree("r");
    for (const i of numbers.slice(3, 240)) fixture.write(`r/d${i % 7}/f${i}.txt`, `${i}\n`);
    change(0, 3, "few");
    fixture.remove("r/d3/f3.txt");
    equal(await fixture.tree("r"), few);
    // Another process starts without the changes of this one.
    const other = await fixture.open({ pid: 999_999_999 }).snapshot([fixture.at("r")]);
    equal(other.kind === "recorded" && other.roots[0]?.tree, few);
  });

  test("find no file below a link to a folder", async () => {
    fixture.write("w/folder/a.txt", "1\n");
    fixture.link("w/link", "folder");
    const current = (file: string) => fixture.store.current(fixture.at("w"), file);
    equal((await current("folder/a.txt"))?.mode, "100644");
    equal(await current("link/a.txt"), undefined);
  });

  test("leave large files and special files out, and keep the last state of those that were recorded", async () => {
    await using small = new SnapshotFixture({ limits: { maxFileBytes: 1000 } });
    await small.repository("r", { "grows.txt": "small\n", pipe: "a file\n" });
    small.write("r/large.bin", new Uint8Array(1001));
    const before = await small.tree("r");
    small.remove("r/pipe");
    execFileSync("mkfifo", [small.at("r/pipe"), small.at("r/other-pipe")]);
    small.write("r/grows.txt", "x".repeat(1001));
    const snapshot = await small.store.snapshot([small.at("r")]);
    deepEqual(snapshot, {
      kind: "recorded",
      roots: [
        {
          root: small.at("r"),
          tree: before,
          head: {
            log: small.read("r/.git/logs/HEAD").length,
            commit: small.read("r/.git/refs/heads/main").trim(),
          },
          leftOut: [
            { path: "grows.txt", why: "tooLarge" },
            { path: "pipe", why: "special" },
            { path: "large.bin", why: "tooLarge" },
          ],
          leftOutCount: 3,
        },
      ],
      skipped: [],
    });
    small.write("r/grows.txt", "small again\n");
    equal((await small.content("r", await small.tree("r")))["grows.txt"], "100644 small again\n");
  });

  test("limit the number of files and roots, and report the rest", async () => {
    await using limited = new SnapshotFixture({ limits: { maxFiles: 2, maxRoots: 2 } });
    for (const name of ["a", "b", "c"]) limited.write(`f/${name}`, name);
    for (const name of ["n1", "n2"]) await limited.repository(`f/${name}`, { x: "x" });
    const take = () => limited.store.snapshot([limited.at("f")]);
    const first = await take();
    ok(first.kind === "recorded");
    deepEqual(
      first.roots.map(({ leftOut }) => leftOut),
      [[{ path: "c", why: "tooMany" }], []],
    );
    deepEqual(first.skipped, [{ root: limited.at("f/n2"), why: "tooMany" }]);
    deepEqual(await take(), first);
    const leftOut = async () => {
      const snapshot = await take();
      return snapshot.kind === "recorded" && snapshot.roots[0]?.leftOut.map(({ path: name }) => name);
    };
    limited.write("f/0", "new files do not displace recorded ones");
    deepEqual(await leftOut(), ["0", "c"]);
    limited.remove("f/a");
    deepEqual(await leftOut(), ["c"]);
    limited.remove("f/0");
    deepEqual(await leftOut(), []);
  });

  test("list files whose name is not UTF-8 as left out", async function () {
    if (process.platform !== "linux") skipped(this, "Only Linux has names of any bytes");
    await fixture.repository("r", { "a.txt": "a\n" });
    execFileSync("sh", ["-c", `printf x > "$(printf '${fixture.at("r")}/bad\\377')"`]);
    const snapshot = await fixture.store.snapshot([fixture.at("r")]);
    deepEqual(snapshot.kind === "recorded" && snapshot.roots[0]?.leftOut, [{ path: "bad\ufffd", why: "name" }]);
  });

  test("never record the store itself", async () => {
    fixture.write("storage/a.txt", "a");
    fixture.write("b.txt", "b");
    const names = Object.keys(await fixture.content("", await fixture.tree("")));
    ok(names.includes("b.txt"));
    ok(!names.some(name => name.startsWith("storage/")), names.join(" "));
  });

  test("share a storage between two windows", async () => {
    await fixture.repository("r", { "a.txt": "one\n" });
    fixture.write("r/new.txt", "new\n");
    const other = fixture.open({ pid: 999_999_999 }),
      take = async (store = fixture.store) => {
        const snapshot = await store.snapshot([fixture.at("r")]);
        return snapshot.kind === "recorded" ? snapshot.roots[0]?.tree : undefined;
      };
    const [mine, theirs] = await Promise.all([take(), take(other)]);
    equal(mine, theirs);
    fixture.write("r/a.txt", "two\n");
    const later = await Promise.all([take(), take(other), take(), take(other)]);
    equal(new Set(later).size, 1);
    notEqual(later[0], mine);
    deepEqual(summary((await other.changes(fixture.at("r"), mine ?? "", later[0] ?? "")).files), [
      "100644 → 100644 a.txt",
    ]);
  });

  test("continue with the index of an earlier process", async () => {
    fixture.write("f/a.txt", "one\n");
    const before = await fixture.tree("f"),
      next = fixture.open({ pid: 999_999_999 });
    const again = await next.snapshot([fixture.at("f")]);
    equal(again.kind === "recorded" && again.roots[0]?.tree, before);
    fixture.write("f/a.txt", "two\n");
    const later = await next.snapshot([fixture.at("f")]),
      tree = later.kind === "recorded" ? later.roots[0]?.tree : undefined;
    deepEqual(summary((await next.changes(fixture.at("f"), before, tree ?? "")).files), ["100644 → 100644 a.txt"]);
  });

  test("are unavailable without git, in an untrusted workspace, and with a git of the workspace", async () => {
    const snapshotWith = async (deps: Parameters<SnapshotFixture["open"]>[0]) =>
      fixture.open(deps).snapshot([fixture.at("f")]);
    fixture.write("f/bin/git", "#!/bin/sh\ntouch ran\n");
    fixture.chmod("f/bin/git", 0o755);
    fixture.write("old/git", "#!/bin/sh\necho git version 2.24.1\n");
    fixture.chmod("old/git", 0o755);
    deepEqual(await snapshotWith({ isRestricted: true }), { kind: "unavailable", why: "restricted" });
    deepEqual(await snapshotWith({ env: async () => ({ PATH: fixture.at("home") }) }), {
      kind: "unavailable",
      why: "noGit",
    });
    deepEqual(await snapshotWith({ env: async () => ({ PATH: fixture.at("f/bin") }) }), {
      kind: "unavailable",
      why: "noGit",
    });
    deepEqual(await snapshotWith({ env: async () => ({ PATH: `${fixture.at("old")}:/bin:/usr/bin` }) }), {
      kind: "unavailable",
      why: "oldGit",
      detail: "git version 2.24.1",
    });
    deepEqual(fixture.commands, [path.join(fixture.at("old"), "git")]);
  });
});
