/**
 * Index of the workspace's files that `files.exclude`, `search.exclude` and `.gitignore` do not exclude.
 *
 * The first query reads the folders. Later changes on disk are recorded and processed with the next query. A folder
 * with more than `MAX_FILES` files is also searched for each query.
 */
import * as vscode from "vscode";
import type { Log } from "../../log";
import { anyOf, globOfQuery, globsOfIgnore, globsOfSetting } from "./exclude-globs";
import { FileList, type Listed } from "./file-list";
import { IgnoreRules, type IgnoreFile } from "./ignore-rules";
import { target } from "./mention-match";

export const MAX_FILES = 30_000;
/** Maximum number of additional results per query in a folder that exceeds the limit. */
const MAX_ADDITIONAL = 500;
/** Maximum number of recorded changes; more cause a complete read. */
const MAX_CHANGES = 200;
/** Number of files processed per turn of the event loop. */
const BATCH_SIZE = 2_000;
const GIT_FOLDER = /(^|\/)\.git(\/|$)/;

export class FileIndex implements vscode.Disposable {
  #folders: readonly FolderIndex[] | undefined;
  readonly #listeners: vscode.Disposable;

  constructor(
    private readonly log: Log,
    private readonly roots: () => readonly { readonly uri: vscode.Uri; readonly name: string }[],
    private readonly maxFiles = MAX_FILES,
  ) {
    this.#listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#forget()),
      vscode.workspace.onDidChangeConfiguration(change => {
        if (
          ["files.exclude", "search.exclude", "search.useIgnoreFiles"].some(name => change.affectsConfiguration(name))
        )
          this.#forget();
      }),
    );
  }

  /** All files and folders; for a folder that exceeds the limit, also the matches of the query. */
  async files(query: string, signal: AbortSignal): Promise<readonly Listed[]> {
    return (await Promise.all(this.#all().map(folder => folder.files(query, signal)))).flat();
  }

  /** The list entry for a file, even if the index does not contain the file. */
  place(file: vscode.Uri): Listed {
    for (const folder of this.#all()) {
      const path = folder.pathOf(file);
      if (path !== undefined) return folder.listed(path);
    }
    return { kind: "file", root: "", path: file.fsPath, target: target(file.fsPath.replaceAll("\\", "/")) };
  }

  /**
   * Whether the file is in the workspace and not excluded by `.gitignore`. Before the first query, no file counts as
   * ignored.
   */
  isOurs(file: vscode.Uri): boolean {
    return this.#all().some(folder => {
      const path = folder.pathOf(file);
      return path !== undefined && !folder.ignores(path);
    });
  }

  dispose(): void {
    this.#listeners.dispose();
    this.#forget();
  }

  #all(): readonly FolderIndex[] {
    const roots = this.roots();
    return (this.#folders ??= roots.map(
      ({ uri, name }) => new FolderIndex(uri, roots.length > 1 ? `${name}/` : "", this.maxFiles, this.log),
    ));
  }

  #forget(): void {
    for (const folder of this.#folders ?? []) folder.dispose();
    this.#folders = undefined;
  }
}

interface Reading {
  readonly list: FileList;
  readonly rules: IgnoreRules;
  readonly exclude: string | undefined;
  readonly isComplete: boolean;
}

class FolderIndex implements vscode.Disposable {
  #reading: Promise<Reading> | undefined;
  #rules: IgnoreRules | undefined;
  readonly #changed = new Set<string>();
  #watchers: vscode.Disposable | undefined;

  constructor(
    private readonly root: vscode.Uri,
    private readonly prefix: string,
    private readonly maxFiles: number,
    private readonly log: Log,
  ) {}

  async files(query: string, signal: AbortSignal): Promise<readonly Listed[]> {
    const reading = await this.#current();
    if (reading.isComplete || query === "") return [...reading.list.all()];
    const additional = await this.#searchQuery(query, reading, signal);
    return [
      ...reading.list.all(),
      ...additional.filter(path => !reading.list.has(path)).map(path => this.listed(path)),
    ];
  }

  listed(path: string): Listed {
    return { kind: "file", root: this.root.fsPath, path, target: target(this.prefix + path) };
  }

  /** Relative path with `/`; `undefined` outside the folder. */
  pathOf(file: vscode.Uri): string | undefined {
    const base = this.root.path.endsWith("/") ? this.root.path : `${this.root.path}/`;
    return file.scheme === this.root.scheme && file.path.length > base.length && file.path.startsWith(base)
      ? file.path.slice(base.length)
      : undefined;
  }

  ignores(path: string): boolean {
    return this.#rules?.ignores(path) === true;
  }

  dispose(): void {
    this.#watchers?.dispose();
  }

  #current(): Promise<Reading> {
    this.#watchers ??= this.#watch();
    if (this.#changed.size > MAX_CHANGES) this.#reading = undefined;
    const changed = [...this.#changed],
      before = this.#reading;
    this.#changed.clear();
    if (before !== undefined && changed.length === 0) return before;
    const reading = before === undefined ? this.#read() : before.then(content => this.#update(content, changed));
    this.#reading = reading;
    reading.catch(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    return reading;
  }

  async #read(): Promise<Reading> {
    const settings = [
      ...globsOfSetting(this.#setting("search.exclude")),
      ...globsOfSetting(this.#setting("files.exclude")),
    ];
    const ignored = this.#setting("search.useIgnoreFiles") === false ? [] : await this.#ignoreFiles(anyOf(settings));
    const rules = (this.#rules = new IgnoreRules(ignored, process.platform === "linux"));
    const exclude = anyOf([...settings, ...ignored.flatMap(globsOfIgnore)]);
    const found = await this.#search("**/*", exclude, this.maxFiles);
    const list = new FileList(this.root.fsPath, this.prefix);
    for (let from = 0; from < found.length; from += BATCH_SIZE) {
      for (const path of found.slice(from, from + BATCH_SIZE)) if (!rules.ignores(path)) list.add(path);
      await new Promise(resolve => setImmediate(resolve));
    }
    this.log.debug("webview", "Listed files", {
      folder: this.root.fsPath,
      found: found.length,
      listed: list.size,
    });
    return { list, rules, exclude, isComplete: found.length < this.maxFiles };
  }

  async #update(reading: Reading, changed: readonly string[]): Promise<Reading> {
    const { list, rules, exclude } = reading;
    const found = await this.#search(
      `{${changed.flatMap(path => [path, `${path}/**`]).join(",")}}`,
      exclude,
      this.maxFiles,
    );
    for (const path of changed) list.remove(path);
    for (const path of found) if (!rules.ignores(path)) list.add(path);
    return reading;
  }

  async #searchQuery(query: string, { rules, exclude }: Reading, signal: AbortSignal): Promise<readonly string[]> {
    const found = await this.#search(globOfQuery(query), exclude, MAX_ADDITIONAL, signal);
    return found.filter(path => !rules.ignores(path));
  }

  async #ignoreFiles(exclude: string | undefined): Promise<readonly IgnoreFile[]> {
    const paths = await this.#search("**/.gitignore", exclude, 1_000);
    const read = paths.map(async (path): Promise<readonly IgnoreFile[]> => {
      try {
        return [
          {
            folder: path.split("/").slice(0, -1).join("/"),
            text: new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.root, path))),
          },
        ];
      } catch {
        return [];
      } // deleted in the meantime
    });
    return (await Promise.all(read)).flat();
  }

  async #search(
    glob: string,
    exclude: string | undefined,
    maxResults: number,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    const cancel = new vscode.CancellationTokenSource(),
      stop = (): void => cancel.cancel();
    signal?.addEventListener("abort", stop);
    try {
      const found = await vscode.workspace.findFiles(
        new vscode.RelativePattern(this.root, glob),
        exclude,
        maxResults,
        cancel.token,
      );
      return found.flatMap(file => this.pathOf(file) ?? []);
    } finally {
      signal?.removeEventListener("abort", stop);
      cancel.dispose();
    }
  }

  #setting(name: string): unknown {
    return vscode.workspace.getConfiguration(undefined, this.root).get(name);
  }

  #watch(): vscode.Disposable {
    const all = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(this.root, "**/*"),
      false,
      true,
      false,
    );
    const ignores = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(this.root, "**/.gitignore"));
    const record = (file: vscode.Uri): void => this.#recordChange(file),
      invalidate = (): void => {
        this.#reading = undefined;
      };
    return vscode.Disposable.from(
      all,
      ignores,
      all.onDidCreate(record),
      all.onDidDelete(record),
      ignores.onDidCreate(invalidate),
      ignores.onDidChange(invalidate),
      ignores.onDidDelete(invalidate),
    );
  }

  #recordChange(file: vscode.Uri): void {
    const path = this.pathOf(file);
    if (
      path === undefined ||
      this.#reading === undefined ||
      GIT_FOLDER.test(path) ||
      this.ignores(path) ||
      this.#changed.size > MAX_CHANGES
    )
      return;
    // A path with glob characters cannot be searched literally, so the folder is read again.
    if (/[*?{}[\],!]/.test(path)) this.#reading = undefined;
    else this.#changed.add(path);
  }
}
