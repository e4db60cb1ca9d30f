/**
 * The files of a workspace folder and their parent folders, prepared for searching. Paths are relative, with `/`.
 *
 * Invariants: a folder exists exactly while it contains a file, directly or in a subfolder. Paths are unique. Pure.
 */
import { target, type Target } from "./mention-match";

export interface Listed {
  readonly kind: "file" | "folder";
  /** The workspace folder; empty for a file outside the workspace, whose `path` is absolute. */
  readonly root: string;
  readonly path: string;
  readonly target: Target;
}

export class FileList {
  readonly #files = new Map<string, Listed>();
  /** Folders with the number of files in or below them. */
  readonly #folders = new Map<string, Listed & { readonly fileCount: number }>();

  /** `prefix` precedes each path in searches, such as the name of the workspace folder. */
  constructor(
    private readonly root: string,
    private readonly prefix: string,
  ) {}

  get size(): number {
    return this.#files.size;
  }
  has(path: string): boolean {
    return this.#files.has(path);
  }

  add(path: string): void {
    if (this.#files.has(path)) return;
    this.#files.set(path, this.#listed("file", path));
    for (const folder of foldersOf(path)) {
      const entry = this.#folders.get(folder) ?? { ...this.#listed("folder", folder), fileCount: 0 };
      this.#folders.set(folder, { ...entry, fileCount: entry.fileCount + 1 });
    }
  }

  /** Removes the file, or all files in the folder. */
  remove(path: string): void {
    if (this.#files.has(path)) this.#forget(path);
    if (this.#folders.has(path))
      for (const file of [...this.#files.keys()]) if (file.startsWith(`${path}/`)) this.#forget(file);
  }

  *all(): Iterable<Listed> {
    yield* this.#files.values();
    yield* this.#folders.values();
  }

  #forget(file: string): void {
    this.#files.delete(file);
    for (const folder of foldersOf(file)) {
      const entry = this.#folders.get(folder);
      if (entry === undefined || entry.fileCount === 1) this.#folders.delete(folder);
      else this.#folders.set(folder, { ...entry, fileCount: entry.fileCount - 1 });
    }
  }

  #listed(kind: Listed["kind"], path: string): Listed {
    return { kind, root: this.root, path, target: target(this.prefix + path) };
  }
}

function foldersOf(path: string): readonly string[] {
  return path
    .split("/")
    .slice(0, -1)
    .map((_, i, parts) => parts.slice(0, i + 1).join("/"));
}
