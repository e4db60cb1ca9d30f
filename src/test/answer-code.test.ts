import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { AnswerCode } from "../editor/code/answer-code";
import { NamedFiles } from "../editor/files/named-files";
import { isFileWithin, isNewWithin } from "../editor/files/workspace-files";

const BEFORE = "start();\nfunction one() {\n  return 1;\n}\nend();\n",
  CODE = "function one() {\n  return 2;\n}\n",
  AFTER = BEFORE.replace("1", "2");

/** The files are `.txt`, because no language service changes them. */
suite("code of an answer", () => {
  let folder = "",
    code: AnswerCode;
  suiteSetup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "symposium-"));
    const isFile = (file: string) => isFileWithin(file, [folder]),
      listed = async () => [];
    code = new AnswerCode(
      {
        names: new NamedFiles({ folders: () => [folder], isFile, listed }),
        isFile,
        isNew: file => isNewWithin(file, [folder]),
        listed,
        create: async (file, text) => writeFileSync(file, text),
      },
      "symposium-code-test",
    );
  });
  suiteTeardown(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    code.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const inFolder = (name: string): string => path.join(folder, name);
  const propose = (name: string): Promise<void> => code.propose(CODE, { named: [name], mentioned: [] }, folder);
  async function proposed(): Promise<string> {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputTextDiff, "a diff is on show");
    return (await vscode.workspace.openTextDocument(input.modified)).getText();
  }

  test("is shown as a change of its place, and written only when it is applied", async () => {
    writeFileSync(inFolder("a.txt"), BEFORE);
    await propose("a.txt");
    assert.deepEqual([await proposed(), readFileSync(inFolder("a.txt"), "utf8")], [AFTER, BEFORE]);
    await code.discard();
    assert.equal(readFileSync(inFolder("a.txt"), "utf8"), BEFORE);
    await propose("a.txt");
    await code.apply();
    assert.equal(readFileSync(inFolder("a.txt"), "utf8"), AFTER);
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, inFolder("a.txt"));
    await vscode.commands.executeCommand("undo");
    assert.equal(vscode.window.activeTextEditor?.document.getText(), BEFORE);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  });

  test("is not applied to a file that has changed since", async () => {
    writeFileSync(inFolder("b.txt"), BEFORE);
    await propose("b.txt");
    const edit = new vscode.WorkspaceEdit();
    edit.insert(vscode.Uri.file(inFolder("b.txt")), new vscode.Position(0, 0), "new\n");
    await vscode.workspace.applyEdit(edit);
    await assert.rejects(code.apply(), /b\.txt has changed since/);
    assert.equal(readFileSync(inFolder("b.txt"), "utf8"), BEFORE);
  });

  test("creates a named file in the workspace only", async () => {
    await propose("new.txt");
    assert.equal(existsSync(inFolder("new.txt")), false);
    await code.apply();
    assert.equal(readFileSync(inFolder("new.txt"), "utf8"), CODE);
  });

  test("is inserted at the cursor of the last editor", async () => {
    writeFileSync(inFolder("c.txt"), "one two");
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(inFolder("c.txt")), { preview: false });
    editor.selection = new vscode.Selection(0, 4, 0, 7);
    await code.insert("three\n");
    assert.equal(editor.document.getText(), "one three");
    await vscode.commands.executeCommand("undo");
    assert.equal(editor.document.getText(), "one two");
  });
});
