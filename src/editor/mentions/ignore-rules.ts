/**
 * Applies `.gitignore` files of a folder and its subfolders, as git does (gitignore(5)). The nearest file with a
 * matching rule decides. A path in an ignored folder cannot be re-included. Paths are relative, with `/`. Pure.
 */
import ignore, { type Ignore } from "ignore";

export interface IgnoreFile {
  /** The folder of the file, empty for the root. */
  readonly folder: string;
  readonly text: string;
}

export class IgnoreRules {
  /** Deepest first. */
  readonly #files: readonly { readonly folder: string; readonly rules: Ignore }[];
  readonly #folders = new Map<string, boolean>();

  constructor(files: readonly IgnoreFile[], isCaseSensitive: boolean) {
    this.#files = files
      .map(({ folder, text }) => ({ folder, rules: ignore({ ignorecase: !isCaseSensitive }).add(text) }))
      .sort((a, b) => b.folder.length - a.folder.length);
  }

  /** `path` is the path of a file. */
  ignores(path: string): boolean {
    const end = path.lastIndexOf("/");
    return (end !== -1 && this.ignoresFolder(path.slice(0, end))) || this.#matches(path, path);
  }

  ignoresFolder(path: string): boolean {
    const cached = this.#folders.get(path);
    if (cached !== undefined) return cached;
    const end = path.lastIndexOf("/");
    const isIgnored = (end !== -1 && this.ignoresFolder(path.slice(0, end))) || this.#matches(path, `${path}/`);
    this.#folders.set(path, isIgnored);
    return isIgnored;
  }

  /** Applies the nearest file with a matching rule. `pattern`: the path, with a trailing `/` for folders. */
  #matches(path: string, pattern: string): boolean {
    for (const { folder, rules } of this.#files) {
      if (folder !== "" && !path.startsWith(`${folder}/`)) continue;
      const { ignored, unignored } = rules.test(folder === "" ? pattern : pattern.slice(folder.length + 1));
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}
