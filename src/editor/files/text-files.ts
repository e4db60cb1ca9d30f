/**
 * Reads and writes files for agents through the editor. Reads include unsaved changes. Writes to an open file use the
 * editor, so that the user can undo them.
 *
 * Invariants:
 * - Writes are serialized.
 * - A file keeps its encoding and its line endings.
 * - A binary file is not overwritten, nor a file whose encoding cannot represent the new text.
 * - Every failure is an `EditorRequestError` with a message for the agent.
 */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import * as vscode from "vscode";
import { errorMessage } from "../../protocol/wire/errors";
import { EditorRequestError } from "../../errors";
import { changedPart, type ChangedPart } from "./changed-part";
import { withLineEnds } from "./line-endings";

/** Equal to VS Code's own limit for extensions. */
const MAX_BYTES = 50 * 1024 * 1024;

export class TextFiles {
  #last: Promise<unknown> = Promise.resolve();
  /** The file that is being saved. */
  #saving: string | undefined;

  async read(file: string): Promise<string> {
    const uri = uriOf(file);
    const open = openDocument(uri);
    if (open?.isDirty) return open.getText();
    const bytes = await bytesOf(uri);
    if (bytes === undefined) throw EditorRequestError.noFile(file);
    return decoded(bytes, uri, open?.encoding);
  }

  /** Whether a save of this file in the editor is one of `write`. */
  isSaving(file: string): boolean {
    return this.#saving === file;
  }

  /** Resolves with the user's unsaved text that was replaced, if any, in the file's encoding. */
  write(file: string, text: string): Promise<Uint8Array | undefined> {
    const written = this.#last.then(() => this.#write(file, text));
    this.#last = written.catch(() => undefined);
    return written;
  }

  async #write(file: string, text: string): Promise<Uint8Array | undefined> {
    if (!vscode.workspace.isTrusted)
      throw EditorRequestError.refused(l10n.t("This workspace is not trusted, so Symposium writes no files."));
    const uri = uriOf(file);
    const bytes = await bytesOf(uri);
    if (bytes === undefined && openDocument(uri) === undefined) {
      await this.#create(uri, text);
      return undefined;
    }
    const open = openDocument(uri);
    const document = open ?? (await opened(uri));
    const { encoding } = document;
    const whole =
      document.lineCount > 1 ? withLineEnds(text, document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n") : text;
    const content = await encoded(whole, uri, encoding);
    // Saving fails if the editor has not detected a change on disk yet.
    const isBehind =
      !document.isDirty && bytes !== undefined && (await decoded(bytes, uri, encoding)) !== document.getText();
    const unsaved = open?.isDirty === true ? await vscode.workspace.encode(open.getText(), { encoding }) : undefined;
    if (open === undefined || isBehind) await writeBytes(uri, content);
    else await this.#change(document, whole);
    return unsaved;
  }

  async #change(document: vscode.TextDocument, text: string): Promise<void> {
    this.#saving = document.uri.fsPath;
    try {
      await change(document, text);
    } finally {
      this.#saving = undefined;
    }
  }

  async #create(uri: vscode.Uri, text: string): Promise<void> {
    const encoding = vscode.workspace.getConfiguration("files", uri).get<string>("encoding") ?? "utf8";
    await writeBytes(uri, await encoded(text, uri, encoding));
  }
}

function uriOf(file: string): vscode.Uri {
  if (!path.isAbsolute(file) || file.includes("\0"))
    throw EditorRequestError.refused(l10n.t`${file} is not an absolute path.`);
  return vscode.Uri.file(file);
}

function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    document => !document.isClosed && document.uri.toString() === uri.toString(),
  );
}

async function opened(uri: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    throw noText(uri, error);
  }
}

/** `undefined`: the file does not exist. */
async function bytesOf(uri: vscode.Uri): Promise<Uint8Array | undefined> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    if (type & vscode.FileType.Directory) throw EditorRequestError.refused(l10n.t`${uri.fsPath} is a folder.`);
    if (size > MAX_BYTES) throw tooLarge(uri);
    return await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    if (error instanceof EditorRequestError) throw error;
    if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return undefined;
    throw EditorRequestError.refused(l10n.t`${uri.fsPath} could not be read: ${errorMessage(error)}`, error);
  }
}

async function decoded(bytes: Uint8Array, uri: vscode.Uri, encoding: string | undefined): Promise<string> {
  try {
    return await (encoding === undefined
      ? vscode.workspace.decode(bytes, { uri })
      : vscode.workspace.decode(bytes, { encoding }));
  } catch (error) {
    throw noText(uri, error);
  }
}

async function encoded(text: string, uri: vscode.Uri, encoding: string): Promise<Uint8Array> {
  const bytes = await vscode.workspace.encode(text, { encoding });
  if (bytes.length > MAX_BYTES) throw tooLarge(uri);
  if (!encoding.startsWith("utf") && (await vscode.workspace.decode(bytes, { encoding })) !== text)
    throw EditorRequestError.refused(
      l10n.t`${uri.fsPath} uses the encoding ${encoding}, which cannot represent every character of this text.`,
    );
  return bytes;
}

/** Creates missing parent folders. */
async function writeBytes(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
  try {
    await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(uri, ".."));
    await vscode.workspace.fs.writeFile(uri, bytes);
  } catch (error) {
    throw EditorRequestError.refused(l10n.t`${uri.fsPath} could not be written: ${errorMessage(error)}`, error);
  }
}

async function change(document: vscode.TextDocument, text: string): Promise<void> {
  const part = changedPart(document.getText(), text);
  const saved =
    (part === undefined || (await replace(document, part))) && (!document.isDirty || (await document.save()));
  if (!saved) throw EditorRequestError.refused(l10n.t`${document.uri.fsPath} could not be saved.`);
}

/** One undo step that preserves the scroll and cursor positions. */
function replace(document: vscode.TextDocument, { start, end, text }: ChangedPart): Thenable<boolean> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
  return vscode.workspace.applyEdit(edit);
}

function noText(uri: vscode.Uri, cause: unknown): EditorRequestError {
  return EditorRequestError.refused(l10n.t`${uri.fsPath} is not a text file, or cannot be opened.`, cause);
}
function tooLarge(uri: vscode.Uri): EditorRequestError {
  return EditorRequestError.refused(l10n.t`${uri.fsPath} is larger than ${MAX_BYTES / 1024 / 1024} MB.`);
}
