import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { Proposals } from "../editor/files/diff-views";
import { TextFiles } from "../editor/files/text-files";
import { openLink, showPrintout } from "../editor/files/workspace";
import { Log } from "../log";
import { until } from "./until";

suite("proposals and previews", () => {
  let folder = "";
  // Uses a separate scheme, because the extension in this window has already registered its own and VS Code may ask
  // either provider.
  let proposals: Proposals;
  suiteSetup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "symposium-"));
    proposals = new Proposals(new TextFiles(), () => [folder], "symposium-proposal-test");
  });
  suiteTeardown(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    proposals.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The two sides of the visible diff. */
  async function sides(): Promise<{
    readonly title: string;
    readonly original: string;
    readonly modified: string;
    readonly file: boolean;
  }> {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    assert.ok(tab?.input instanceof vscode.TabInputTextDiff, "a diff is on show");
    const { original, modified } = tab.input;
    const text = async (uri: vscode.Uri) => (await vscode.workspace.openTextDocument(uri)).getText();
    return {
      title: tab.label,
      original: await text(original),
      modified: await text(modified),
      file: modified.scheme === "file",
    };
  }

  test("shows a change as a diff with the file on the right if it has the new text", async () => {
    const file = path.join(folder, "a.txt");
    writeFileSync(file, "old\n");
    await proposals.show({ path: file, oldText: "old\n", newText: "new\n" }, "Eliza");
    assert.deepEqual(await sides(), {
      title: "a.txt (proposed by Eliza)",
      original: "old\n",
      modified: "new\n",
      file: false,
    });
    writeFileSync(file, "new\r\n");
    await proposals.show({ path: file, oldText: "old\n", newText: "new\n" }, "Eliza");
    assert.deepEqual(await sides(), {
      title: "a.txt (proposed by Eliza)",
      original: "old\n",
      modified: "new\r\n",
      file: true,
    });
  });

  test("shows the change of an excerpt in the whole file", async () => {
    const file = path.join(folder, "long.txt");
    writeFileSync(file, "one\ntwo\nthree\n");
    await proposals.show({ path: file, oldText: "two", newText: "2" }, "Eliza");
    assert.deepEqual(await sides(), {
      title: "long.txt (proposed by Eliza)",
      original: "one\ntwo\nthree\n",
      modified: "one\n2\nthree\n",
      file: false,
    });
    writeFileSync(file, "one\n2\nthree\n");
    await proposals.show({ path: file, oldText: "two", newText: "2" }, "Eliza");
    assert.deepEqual(await sides(), {
      title: "long.txt (proposed by Eliza)",
      original: "one\ntwo\nthree\n",
      modified: "one\n2\nthree\n",
      file: true,
    });
  });

  test("shows a new file or one outside the workspace as proposed", async () => {
    await proposals.show({ path: path.join(folder, "new.txt"), newText: "new\n" }, "Eliza");
    assert.deepEqual(await sides(), {
      title: "new.txt (proposed by Eliza)",
      original: "",
      modified: "new\n",
      file: false,
    });
    const outside = mkdtempSync(path.join(tmpdir(), "symposium-"));
    try {
      const file = path.join(outside, "c.txt");
      writeFileSync(file, "new\n");
      await proposals.show({ path: file, oldText: "", newText: "new\n" }, "Eliza");
      assert.deepEqual(await sides(), {
        title: "c.txt (proposed by Eliza)",
        original: "",
        modified: "new\n",
        file: false,
      });
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test("keeps the latest twenty", async () => {
    await proposals.show({ path: "/x/first.txt", newText: "first" }, "Eliza");
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    assert.ok(tab?.input instanceof vscode.TabInputTextDiff);
    const { modified } = tab.input;
    for (let n = 0; n < 20; n++) await proposals.show({ path: "/x/another.txt", newText: String(n) }, "Eliza");
    assert.equal((await sides()).modified, "19");
    assert.equal(proposals.textOf(modified), "");
  });

  test("shows the agent's location without moving the focus", async () => {
    const file = path.join(folder, "b.txt");
    writeFileSync(file, "one\ntwo\nthree\n");
    const fixture = {
      folders: () => [folder],
      pick: async () => undefined,
      report: () => undefined,
      home: "/",
      log: new Log(),
    };
    await openLink(`file://${file}#L2`, true, fixture);
    await until(
      "the file is shown",
      [vscode.window.onDidChangeVisibleTextEditors, vscode.window.onDidChangeTextEditorSelection],
      () =>
        vscode.window.visibleTextEditors.some(
          ({ document, selection }) => document.fileName === file && selection.active.line === 1,
        ),
    );
    const { tabGroups } = vscode.window;
    await until(
      "its tab is a preview",
      [tabGroups.onDidChangeTabs, tabGroups.onDidChangeTabGroups],
      () => tabGroups.activeTabGroup.activeTab?.label === "b.txt",
    );
    assert.equal(tabGroups.activeTabGroup.activeTab?.isPreview, true);
    await assert.rejects(openLink("file:///etc/passwd", true, fixture), /outside the workspace/);
  });

  test("shows terminal output in a terminal named after its command", async () => {
    const before = new Set(vscode.window.terminals);
    showPrintout({ command: "npm\x1b test", output: "fine\n", exit: { code: 0 } });
    await until("the terminal is there", [vscode.window.onDidOpenTerminal], () =>
      vscode.window.terminals.some(terminal => !before.has(terminal) && terminal.name === "npm⟦U+001B⟧ test"),
    );
    for (const terminal of vscode.window.terminals) if (!before.has(terminal)) terminal.dispose();
  });
});
