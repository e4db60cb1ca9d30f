import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { FileIndex } from "../editor/mentions/file-index";
import { workspaceSymbols } from "../editor/mentions/workspace-symbols";
import { Log } from "../log";
import { until, type Subscribe } from "./until";

const NEVER = new AbortController().signal;

suite("FileIndex", () => {
  let folder = "";
  const indexes: FileIndex[] = [],
    watchers: vscode.Disposable[] = [];
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "symposium-"));
  });
  teardown(() => {
    for (const each of [...indexes.splice(0), ...watchers.splice(0)]) each.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  function write(...names: readonly string[]): void {
    for (const name of names) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), "");
    }
  }
  function indexOf(most?: number, roots: readonly string[] = [""]): FileIndex {
    const index = new FileIndex(
      new Log(),
      () => roots.map(root => ({ uri: vscode.Uri.file(path.join(folder, root)), name: root })),
      most,
    );
    indexes.push(index);
    return index;
  }
  const listed = async (index: FileIndex, query = ""): Promise<readonly string[]> =>
    [...(await index.files(query, NEVER))]
      .map(({ kind, target }) => (kind === "folder" ? `${target.path}/` : target.path))
      .sort();

  /** Reports changes in the folder. Its events arrive after those of indexes that were created before. */
  function watch(): Subscribe {
    const watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(vscode.Uri.file(folder), "**/*"),
    );
    watchers.push(watcher);
    return listener =>
      vscode.Disposable.from(
        watcher.onDidCreate(listener),
        watcher.onDidChange(listener),
        watcher.onDidDelete(listener),
      );
  }
  /** Resolves when the list equals `expected`. */
  async function becomes(index: FileIndex, change: Subscribe, expected: readonly string[]): Promise<void> {
    let last: readonly string[] = [];
    await until(
      `the list is ${expected.join(", ")}`,
      [change],
      async () => JSON.stringify((last = await listed(index))) === JSON.stringify(expected),
    ).catch((error: unknown) => {
      assert.deepEqual(last, expected);
      throw error;
    });
  }
  /**
   * Resolves when VS Code watches the folder. VS Code does not report when watching starts, so files are created until
   * one is reported.
   */
  async function watched(index: FileIndex, change: Subscribe, before: readonly string[]): Promise<void> {
    const probes: string[] = [];
    const timer = setInterval(() => {
      probes.push(`probe-${probes.length}.ts`);
      write(...probes.slice(-1));
    }, 50);
    try {
      await until("a change is heard of", [change], async () => (await listed(index)).length > before.length);
    } finally {
      clearInterval(timer);
    }
    for (const probe of probes) rmSync(path.join(folder, probe));
    await becomes(index, change, before);
  }

  test("contains all files except excluded and ignored ones", async () => {
    write(
      "a.ts",
      "src/b.ts",
      "node_modules/x/index.js",
      ".git/config",
      "target/debug/c.o",
      "src/d.log",
      "src/keep.log",
      ".hidden/e.ts",
    );
    writeFileSync(path.join(folder, ".gitignore"), "target/\n*.log\n");
    writeFileSync(path.join(folder, "src/.gitignore"), "!keep.log\n");
    assert.deepEqual(await listed(indexOf()), [
      ".gitignore",
      ".hidden/",
      ".hidden/e.ts",
      "a.ts",
      "src/",
      "src/.gitignore",
      "src/b.ts",
      "src/keep.log",
    ]);
  });

  test("follows created, moved and removed files and folders", async () => {
    write("a.ts", "src/deep/b.ts");
    writeFileSync(path.join(folder, ".gitignore"), "*.log\n");
    const index = indexOf();
    const before = [".gitignore", "a.ts", "src/", "src/deep/", "src/deep/b.ts"];
    assert.deepEqual(await listed(index), before);
    const change = watch();
    await watched(index, change, before);
    write("new/c.ts", "new/d.log");
    rmSync(path.join(folder, "a.ts"));
    await becomes(index, change, [".gitignore", "new/", "new/c.ts", "src/", "src/deep/", "src/deep/b.ts"]);
    renameSync(path.join(folder, "src"), path.join(folder, "lib"));
    await becomes(index, change, [".gitignore", "lib/", "lib/deep/", "lib/deep/b.ts", "new/", "new/c.ts"]);
    writeFileSync(path.join(folder, ".gitignore"), "*.log\n/new\n");
    await becomes(index, change, [".gitignore", "lib/", "lib/deep/", "lib/deep/b.ts"]);
    write("od[d]/e{f}.ts");
    await becomes(index, change, [".gitignore", "lib/", "lib/deep/", "lib/deep/b.ts", "od[d]/", "od[d]/e{f}.ts"]);
  });

  test("searches by the query if there are too many files for a list", async () => {
    write(...Array.from({ length: 30 }, (_, i) => `many/file-${i}.ts`), "many/deep/Needle.ts", "needle.log");
    writeFileSync(path.join(folder, ".gitignore"), "*.log\n");
    const index = indexOf(10);
    assert.ok((await listed(index)).length < 20);
    for (const query of ["needle", "NDL", "deep/n", "ny/d/e"])
      assert.ok((await listed(index, query)).includes("many/deep/Needle.ts"), query);
    assert.ok(!(await listed(index, "needle")).includes("needle.log"));
  });

  test("prefixes files of several folders with the folder name", async () => {
    write("web/a.ts", "server/a.ts");
    const index = indexOf(undefined, ["web", "server"]);
    assert.deepEqual(await listed(index), ["server/a.ts", "web/a.ts"]);
    const place = index.place(vscode.Uri.file(path.join(folder, "server/src/x.ts")));
    assert.deepEqual(
      [place.root, place.path, place.target.path],
      [path.join(folder, "server"), "src/x.ts", "server/src/x.ts"],
    );
    assert.deepEqual(
      [index.place(vscode.Uri.file("/elsewhere/x.ts")).root, index.place(vscode.Uri.file("/elsewhere/x.ts")).path],
      ["", path.normalize("/elsewhere/x.ts")],
    );
  });

  test("returns symbols of language servers in indexed files only", async () => {
    write("a.ts", "made.log");
    writeFileSync(path.join(folder, ".gitignore"), "*.log\n");
    const at = (name: string, file: string) =>
      new vscode.SymbolInformation(
        name,
        vscode.SymbolKind.Method,
        "",
        new vscode.Location(vscode.Uri.file(path.join(folder, file)), new vscode.Range(2, 0, 5, 1)),
      );
    const provider = vscode.languages.registerWorkspaceSymbolProvider({
      provideWorkspaceSymbols: () => [at("run()", "a.ts"), at("runMade", "made.log"), at("runAway", "../other.ts")],
    });
    const index = indexOf();
    try {
      await listed(index);
      const found = (await workspaceSymbols("run", index)).filter(({ path: file }) =>
        file.startsWith(path.dirname(folder)),
      );
      assert.deepEqual(
        found.map(({ target: _, ...rest }) => rest),
        [
          {
            kind: "symbol",
            name: "run",
            what: "method",
            path: path.join(folder, "a.ts"),
            where: "a.ts",
            startLine: 3,
            endLine: 6,
          },
        ],
      );
    } finally {
      provider.dispose();
    }
  });
});
