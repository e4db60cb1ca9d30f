import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { additions, ContextSources } from "../editor/mentions/context-sources";
import { RecentFiles } from "../editor/mentions/recent-files";
import { TerminalSelection } from "../editor/mentions/terminal-selection";
import { ATTACHED_TEXT_LIMIT, MAX_ATTACHMENTS } from "../protocol/chat/attachments";
import { until } from "./until";

const { tabGroups } = vscode.window;

/** The files are `.txt`, because no language service reports problems in them later. */

suite("editor context for a prompt", () => {
  let folder = "",
    copied = "";
  let clipboard = "mine";
  const context = new ContextSources(
    new TerminalSelection({
      copy: async () => {
        clipboard = copied;
      },
      clipboard: {
        readText: async () => clipboard,
        writeText: async text => {
          clipboard = text;
        },
      },
    }),
  );
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "symposium-"));
    copied = "";
  });
  teardown(async () => {
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await closeAll();
    rmSync(folder, { recursive: true, force: true });
  });

  async function closeAll(): Promise<void> {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await until(
      "no editor is open",
      [tabGroups.onDidChangeTabs, tabGroups.onDidChangeTabGroups, vscode.window.onDidChangeActiveTextEditor],
      () => vscode.window.activeTextEditor === undefined && tabGroups.all.every(({ tabs }) => tabs.length === 0),
    );
  }
  const inFolder = (name: string): string => path.join(folder, name);
  async function show(
    name: string,
    text: string,
    ...selections: readonly vscode.Selection[]
  ): Promise<vscode.TextEditor> {
    writeFileSync(inFolder(name), text);
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(inFolder(name)), { preview: false });
    editor.selections = selections;
    return editor;
  }
  const nothing = (message: RegExp) => ({ name: "NothingToAdd", message });

  test("contains each selection as whole lines", async () => {
    await show("a.txt", "one\ntwo\nthree\nfour\n", new vscode.Selection(0, 1, 0, 3), new vscode.Selection(3, 0, 1, 0));
    assert.deepEqual(context.selection(), [
      { kind: "selection", name: "a.txt", path: inFolder("a.txt"), startLine: 1, endLine: 1, text: "ne" },
      { kind: "selection", name: "a.txt", path: inFolder("a.txt"), startLine: 2, endLine: 3, text: "two\nthree\n" },
    ]);
    assert.deepEqual(
      context
        .offers()
        .filter(({ name }) => name === "selection")
        .map(({ about }) => about),
      ["a.txt:1"],
    );
  });

  test("contains an untitled document by name only", async () => {
    const document = await vscode.workspace.openTextDocument({ language: "plaintext", content: "draft" });
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(0, 0, 0, 5);
    assert.deepEqual(context.selection(), [
      { kind: "selection", name: path.basename(document.uri.path), startLine: 1, endLine: 1, text: "draft" },
    ]);
  });

  test("is rejected with a sentence without a selection or with a large one", async () => {
    await assert.rejects(context.gather({ kind: "selection" }), nothing(/No text is selected in an editor/));
    const editor = await show("a.txt", "x".repeat(ATTACHED_TEXT_LIMIT + 1), new vscode.Selection(0, 0, 0, 0));
    await assert.rejects(context.gather({ kind: "selection" }), nothing(/No text is selected in an editor/));
    assert.ok(!context.offers().some(({ name }) => name === "selection"));
    editor.selection = new vscode.Selection(0, 0, 0, ATTACHED_TEXT_LIMIT + 1);
    await assert.rejects(context.gather({ kind: "selection" }), nothing(/longer than 200,000 characters/));
    editor.selection = new vscode.Selection(0, 0, 0, ATTACHED_TEXT_LIMIT);
    assert.equal(context.selection().length, 1);
  });

  test("contains errors and warnings of the workspace, but no hints", async () => {
    await assert.rejects(context.gather({ kind: "problems" }), nothing(/no errors or warnings/));
    const range = new vscode.Range(4, 2, 4, 5),
      problems = vscode.languages.createDiagnosticCollection("test");
    try {
      const workspace = vscode.workspace.workspaceFolders?.[0]?.uri ?? assert.fail("there is a workspace");
      problems.set(vscode.Uri.joinPath(workspace, "src/b.txt"), [
        new vscode.Diagnostic(range, "hm", vscode.DiagnosticSeverity.Warning),
        new vscode.Diagnostic(range, "oh", vscode.DiagnosticSeverity.Hint),
      ]);
      problems.set(vscode.Uri.file(inFolder("a.txt")), [
        new vscode.Diagnostic(range, "no", vscode.DiagnosticSeverity.Error),
      ]);
      assert.deepEqual(await context.gather({ kind: "problems" }), {
        attachments: [
          { kind: "problems", count: 2, text: `${inFolder("a.txt")}:5:3 error no\nsrc/b.txt:5:3 warning hm` },
        ],
      });
      assert.deepEqual(
        context
          .offers()
          .filter(({ name }) => name === "problems")
          .map(({ about }) => about),
        ["1 error, 1 warning"],
      );
    } finally {
      problems.dispose();
    }
  });

  test("contains the terminal selection, the end of a long one", async () => {
    await assert.rejects(context.gather({ kind: "terminal" }), nothing(/No text is selected in a terminal/));
    const terminal = vscode.window.createTerminal({
      name: "printout",
      pty: { onDidWrite: new vscode.EventEmitter<string>().event, open: () => undefined, close: () => undefined },
    });
    try {
      terminal.show(true);
      await until(
        "it is the active one",
        [vscode.window.onDidChangeActiveTerminal],
        () => vscode.window.activeTerminal === terminal,
      );
      await assert.rejects(context.gather({ kind: "terminal" }), nothing(/No text is selected in a terminal/));
      copied = " \n\n";
      await assert.rejects(context.gather({ kind: "terminal" }), nothing(/No text is selected in a terminal/));
      copied = "$ ls\n\n\n";
      assert.deepEqual(await context.gather({ kind: "terminal" }), {
        attachments: [{ kind: "terminal", name: "printout", text: "$ ls" }],
      });
      copied = `first${"x".repeat(ATTACHED_TEXT_LIMIT)}last`;
      const [long] = (await context.gather({ kind: "terminal" })).attachments;
      assert.ok(
        long?.kind === "terminal" &&
          long.text.length === ATTACHED_TEXT_LIMIT &&
          /^\(The beginning is omitted\.\)\nx+last$/.test(long.text),
      );
      assert.equal(clipboard, "mine");
    } finally {
      terminal.dispose();
    }
  });

  test("contains dropped files and folders once and reports the rest", async () => {
    writeFileSync(inFolder("a b.txt"), "");
    const uris = [
      vscode.Uri.file(inFolder("a b.txt")).toString(),
      vscode.Uri.file(folder).toString(),
      `vscode-remote://host${vscode.Uri.file(inFolder("a b.txt")).path}`,
      vscode.Uri.file(folder).toString(),
    ];
    assert.deepEqual(await context.gather({ kind: "dropped", uris: uris.slice(0, 2) }), {
      attachments: [
        { kind: "file", path: inFolder("a b.txt") },
        { kind: "folder", path: folder },
      ],
    });
    assert.deepEqual(await context.gather({ kind: "dropped", uris: uris.slice(1) }), {
      attachments: [
        { kind: "folder", path: folder },
        { kind: "file", path: inFolder("a b.txt") },
      ],
    });
    const { attachments, omitted } = await context.gather({
      kind: "dropped",
      uris: [
        "https://example.org/",
        vscode.Uri.file(inFolder("gone.txt")).toString(),
        "no address",
        ...uris.slice(0, 1),
      ],
    });
    assert.equal(attachments.length, 1);
    assert.match(
      omitted ?? "",
      /“https:\/\/example.org\/” is not a file or folder of this machine. \(2 more could not be added\.\)/,
    );
    assert.equal(
      (await context.gather({ kind: "dropped", uris: [vscode.Uri.file(inFolder("gone.txt")).toString()] })).omitted,
      `“${inFolder("gone.txt")}” does not exist.`,
    );
    const many = await context.gather({
      kind: "dropped",
      uris: Array.from({ length: MAX_ATTACHMENTS + 1 }, (_, i) => {
        writeFileSync(inFolder(`${i}`), "");
        return vscode.Uri.file(inFolder(`${i}`)).toString();
      }),
    });
    assert.deepEqual(
      [many.attachments.length, many.omitted],
      [MAX_ATTACHMENTS, "At most 50 items can be added at once. Number of omitted items: 1."],
    );
  });

  test("depends on the location of “Add to Symposium”", async () => {
    const selection = new vscode.Selection(0, 0, 0, 3);
    const {
      document: { uri },
    } = await show("a.txt", "one\n", selection);
    writeFileSync(inFolder("b.txt"), "");
    const otherUri = vscode.Uri.file(inFolder("b.txt"));
    const kinds = async (first?: unknown, second?: unknown) =>
      (await additions(context, first, second)).attachments.map(each =>
        "path" in each ? `${each.kind} ${path.basename(each.path ?? "")}` : each.kind,
      );
    assert.deepEqual(await kinds(uri, [uri, otherUri]), ["file a.txt", "file b.txt"], "the explorer");
    assert.deepEqual(await kinds(uri, { groupId: 0 }), ["file a.txt"], "an editor's title");
    assert.deepEqual(await kinds(uri), ["selection a.txt"], "an editor");
    assert.deepEqual(await kinds(otherUri), ["file b.txt"], "another editor than the one in use");
    assert.deepEqual(await kinds(), ["selection a.txt"], "the palette");
    (vscode.window.activeTextEditor ?? assert.fail()).selection = new vscode.Selection(0, 0, 0, 0);
    assert.deepEqual([await kinds(uri), await kinds()], [["file a.txt"], ["file a.txt"]], "nothing selected");
    copied = "$ ls";
    await assert.rejects(additions(context, { name: "bash" }, [{ name: "bash" }]), nothing(/in a terminal/));
    await closeAll();
    await assert.rejects(additions(context, undefined, undefined), nothing(/No text is selected in an editor/));
  });

  test("lists open files by recency, then recent ones", async () => {
    const recent = new RecentFiles();
    try {
      for (const name of ["a.txt", "b.txt", "c.txt"]) await show(name, "", new vscode.Selection(0, 0, 0, 0));
      await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
      for (const name of ["a.txt", "b.txt"]) await show(name, "", new vscode.Selection(0, 0, 0, 0));
      await until(
        "all are known",
        [vscode.window.onDidChangeActiveTextEditor, tabGroups.onDidChangeTabs],
        () =>
          JSON.stringify(recent.all().map(({ file, isOpen }) => `${path.basename(file.fsPath)} ${isOpen}`)) ===
          JSON.stringify(["b.txt true", "a.txt true", "c.txt false"]),
      );
    } finally {
      recent.dispose();
    }
  });

  test("offers the light bulb only for selections", async () => {
    await vscode.extensions.getExtension("symposium-dev.symposium")?.activate();
    const {
      document: { uri },
    } = await show("a.txt", "one\n", new vscode.Selection(0, 0, 0, 3));
    const titles = async (range: vscode.Range) =>
      (
        await vscode.commands.executeCommand<readonly vscode.CodeAction[]>(
          "vscode.executeCodeActionProvider",
          uri,
          range,
        )
      ).filter(({ title }) => title === "Discuss in Symposium");
    const [action] = await titles(new vscode.Selection(0, 0, 0, 3));
    assert.deepEqual(
      [action?.kind?.value, action?.command?.command, action?.isPreferred],
      ["quickfix", "symposium.discussSelection", undefined],
    );
    assert.deepEqual(await titles(new vscode.Selection(0, 1, 0, 1)), []);
    assert.deepEqual(await titles(new vscode.Range(0, 0, 0, 3)), []);
  });
});
