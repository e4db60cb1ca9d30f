/**
 * Serves recorded contents as read-only files, so that VS Code decodes them like the files themselves and opens images
 * and other binary files in their editors. An absent side is an empty file.
 *
 * Invariant: editors reload a reviewed content when it changes. Without unreviewed changes, it is the file itself.
 */
import * as vscode from "vscode";
import type { ReviewPath } from "../protocol/review/review";
import { errorMessage } from "../protocol/wire/errors";
import type { ContentCache } from "./content-cache";
import { contentRef, REVIEW_SCHEME } from "./review-uri";

const EMPTY = new Uint8Array();

export interface ContentDeps {
  readonly contents: Pick<ContentCache, "read">;
  /** The present reviewed content of a file under review. Without an `oid`, the file did not exist. */
  reviewed(file: ReviewPath): { readonly oid?: string } | undefined;
  uriOf(file: ReviewPath): vscode.Uri;
}

/** A reviewed content that an editor has read. `state` identifies it; `version` grows with each change. */
interface Shown {
  readonly uri: vscode.Uri;
  readonly file: ReviewPath;
  readonly state: string;
  readonly version: number;
}

export class ReviewContent implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #shown = new Map<string, Shown>();
  readonly #registration: vscode.Disposable;

  constructor(private readonly deps: ContentDeps) {
    this.#registration = vscode.workspace.registerFileSystemProvider(REVIEW_SCHEME, this, {
      isReadonly: true,
      isCaseSensitive: true,
    });
  }

  /** Call it when the reviews change. */
  refresh(): void {
    const changed = [...this.#shown].filter(([, { file, state }]) => state !== this.#stateOf(file));
    for (const [key, shown] of changed)
      this.#shown.set(key, { ...shown, state: this.#stateOf(shown.file), version: shown.version + 1 });
    if (changed.length > 0)
      this.#changed.fire(changed.map(([, { uri }]) => ({ type: vscode.FileChangeType.Changed, uri })));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { length: size } = await this.readFile(uri),
      mtime = this.#shown.get(uri.toString())?.version ?? 0;
    return { type: vscode.FileType.File, ctime: 0, mtime, size, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const ref = contentRef(uri);
    if (ref === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    const { root, path, content } = ref;
    if (content.kind === "recorded") return this.#recorded(root, content.oid);
    const key = uri.toString(),
      file = { root, path },
      reviewed = this.deps.reviewed(file);
    if (!this.#shown.has(key)) this.#shown.set(key, { uri, file, state: this.#stateOf(file), version: 1 });
    if (reviewed !== undefined) return this.#recorded(root, reviewed.oid);
    return vscode.workspace.fs.readFile(this.deps.uriOf(file)).then(
      bytes => bytes,
      () => EMPTY,
    );
  }

  async #recorded(root: string, oid: string | undefined): Promise<Uint8Array> {
    if (oid === undefined) return EMPTY;
    try {
      return await this.deps.contents.read(root, oid);
    } catch (error) {
      throw vscode.FileSystemError.Unavailable(errorMessage(error));
    }
  }

  #stateOf(file: ReviewPath): string {
    const reviewed = this.deps.reviewed(file);
    return reviewed === undefined ? "the file" : (reviewed.oid ?? "absent");
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
