import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { TextFiles } from "../editor/files/text-files";
import { ErrorCode } from "../protocol/wire/errors";

const config = (name: string, value: unknown) =>
  vscode.workspace.getConfiguration("files").update(name, value, vscode.ConfigurationTarget.Global);
const NO_FILE = { name: "NotServed", code: ErrorCode.noFile };
const refused = (message: RegExp) => ({ name: "NotServed", code: ErrorCode.refused, message });

suite("editor text file", () => {
  const files = new TextFiles();
  let folder = "";
  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), "symposium-"));
  });
  teardown(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await config("encoding", undefined);
    rmSync(folder, { recursive: true, force: true });
  });

  function file(name: string, content: string | Uint8Array): string {
    const where = path.join(folder, name);
    writeFileSync(where, content);
    return where;
  }
  async function openIn(where: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(where));
    await vscode.window.showTextDocument(document);
    return document;
  }
  async function type(document: vscode.TextDocument, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  test("is read with unsaved changes", async () => {
    const where = file("a.txt", "on disk\n");
    assert.equal(await files.read(where), "on disk\n");
    const document = await openIn(where);
    await type(document, "typed, ");
    assert.equal(await files.read(where), "typed, on disk\n");
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  test("is read from disk if it changed there", async () => {
    const where = file("a.txt", "before\n");
    await openIn(where);
    writeFileSync(where, "after\n");
    assert.equal(await files.read(where), "after\n");
  });

  test("is saved with unsaved changes when written while open, as one undo step", async () => {
    const where = file("a.txt", "one\ntwo\n");
    const document = await openIn(where);
    await type(document, "typed ");
    const saved: boolean[] = [],
      listener = vscode.workspace.onDidSaveTextDocument(({ uri }) => saved.push(files.isSaving(uri.fsPath)));
    const unsaved = await files.write(where, "one\nthree\n");
    listener.dispose();
    assert.equal(Buffer.from(unsaved ?? []).toString(), "typed one\ntwo\n");
    assert.deepEqual([saved, files.isSaving(where)], [[true], false]);
    assert.deepEqual(
      [readFileSync(where, "utf8"), document.getText(), document.isDirty],
      ["one\nthree\n", "one\nthree\n", false],
    );
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), "typed one\ntwo\n");
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  test("is written after a change on disk", async () => {
    const where = file("a.txt", "before\n");
    await openIn(where);
    writeFileSync(where, "meanwhile\n");
    await files.write(where, "after\n");
    assert.equal(readFileSync(where, "utf8"), "after\n");
  });

  test("keeps its line endings, and a new one keeps those given", async () => {
    const where = file("a.txt", "one\r\ntwo\r\n");
    assert.equal(await files.read(where), "one\r\ntwo\r\n");
    await files.write(where, "one\nthree\n");
    assert.equal(readFileSync(where, "utf8"), "one\r\nthree\r\n");
    await openIn(where);
    await files.write(where, "one\nfour\n");
    assert.equal(readFileSync(where, "utf8"), "one\r\nfour\r\n");
    await files.write(path.join(folder, "new.txt"), "a\r\nb\n");
    assert.equal(readFileSync(path.join(folder, "new.txt"), "utf8"), "a\r\nb\n");
  });

  test("keeps its encoding, uses the configured one if new, and rejects unencodable text", async () => {
    await config("encoding", "iso88591");
    const where = file("a.txt", Buffer.from("caf\xe9\n", "latin1"));
    assert.equal(await files.read(where), "café\n");
    await files.write(where, "thé\n");
    assert.deepEqual(readFileSync(where), Buffer.from("th\xe9\n", "latin1"));
    await openIn(where);
    await files.write(where, "café\n");
    assert.deepEqual(readFileSync(where), Buffer.from("caf\xe9\n", "latin1"));
    await files.write(path.join(folder, "new.txt"), "né");
    assert.deepEqual(readFileSync(path.join(folder, "new.txt")), Buffer.from("n\xe9", "latin1"));
    for (const name of ["a.txt", "other.txt"])
      await assert.rejects(
        files.write(path.join(folder, name), "日本"),
        refused(/encoding iso88591, which cannot represent/),
      );
    assert.deepEqual(
      [readFileSync(where), existsSync(path.join(folder, "other.txt"))],
      [Buffer.from("caf\xe9\n", "latin1"), false],
    );
  });

  test("keeps a byte order mark, which is not part of the text", async () => {
    const where = file("a.txt", "\ufeffone\n");
    assert.equal(await files.read(where), "one\n");
    await files.write(where, "two\n");
    assert.equal(readFileSync(where, "utf8"), "\ufefftwo\n");
    const wide = file("b.txt", Buffer.from("\ufeffone\n", "utf16le"));
    assert.equal(await files.read(wide), "one\n");
    await files.write(wide, "日本\n");
    assert.deepEqual(readFileSync(wide), Buffer.from("\ufeff日本\n", "utf16le"));
  });

  test("is created with its folders", async () => {
    const where = path.join(folder, "x", "y", "z.txt");
    await assert.rejects(files.read(where), NO_FILE);
    await files.write(where, "new");
    assert.equal(await files.read(where), "new");
  });

  test("is written in order", async () => {
    const where = file("a.txt", "0");
    await openIn(where);
    await Promise.all(["1", "22", "333"].map(text => files.write(where, text)));
    assert.equal(readFileSync(where, "utf8"), "333");
  });

  test("is rejected with a sentence if binary, too large, a folder or invalid", async () => {
    const binary = file("a.bin", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1, 0, 2]));
    await assert.rejects(files.read(binary), refused(/is not a text file/));
    await assert.rejects(files.write(binary, "text"), refused(/is not a text file/));
    assert.equal(readFileSync(binary)[0], 0x7f);
    const large = file("large.txt", "x");
    truncateSync(large, 50 * 1024 * 1024 + 1);
    await assert.rejects(files.read(large), refused(/larger than 50 MB/));
    await assert.rejects(files.write(large, "x"), refused(/larger than 50 MB/));
    await assert.rejects(
      files.write(path.join(folder, "huge.txt"), "x".repeat(50 * 1024 * 1024 + 1)),
      refused(/larger than 50 MB/),
    );
    await assert.rejects(files.read(folder), refused(/is a folder/));
    await assert.rejects(files.write(folder, "x"), refused(/is a folder/));
    await assert.rejects(files.write(path.join(binary, "b.txt"), "x"), refused(/could not be/));
    for (const nowhere of ["a.txt", "", "/a\0b"]) {
      await assert.rejects(files.read(nowhere), refused(/not an absolute path/));
      await assert.rejects(files.write(nowhere, "x"), refused(/not an absolute path/));
    }
  });
});
