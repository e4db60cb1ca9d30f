/**
 * Serves recorded contents as read-only files, so that VS Code decodes them like the files themselves and opens images
 * and other binary files in their editors. An absent side is an empty file.
 */
import * as vscode from "vscode";
import type { ContentCache } from "./content-cache";
import { contentRef, REVIEW_SCHEME } from "./review-uri";

const EMPTY = new Uint8Array();

export class ReviewContent implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #registration: vscode.Disposable;

  constructor(private readonly contents: Pick<ContentCache, "read">) {
    this.#registration = vscode.workspace.registerFileSystemProvider(REVIEW_SCHEME, this, {
      isReadonly: true,
      isCaseSensitive: true,
    });
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { length: size } = await this.readFile(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const ref = contentRef(uri);
    if (ref === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    if (ref.oid === undefined) return EMPTY;
    try {
      return await this.contents.read(ref.root, ref.oid);
    } catch (error) {
      throw vscode.FileSystemError.Unavailable(error instanceof Error ? error.message : String(error));
    }
  }

  // --- the rest of the interface

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }
  readDirectory(): [string, vscode.FileType][] {
    return [];
  }
  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
