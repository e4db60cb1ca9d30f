/**
 * What the files `.gitignore` of a folder and of those below it leave out, as git does it (gitignore(5)): the nearest
 * file that says something about a path decides, and what lies in a folder that is left out cannot be taken back. Paths
 * are relative, with `/`. Pure.
 */
import ignore, { type Ignore } from "ignore";

export interface IgnoreFile {
  /** Where it lies: empty for the folder itself. */
  readonly folder: string;
  readonly text: string;
}

export class IgnoreRules {
  /** The deepest first. */
  readonly #files: readonly { readonly folder: string; readonly rules: Ignore }[];
  readonly #folders = new Map<string, boolean>();

  constructor(files: readonly IgnoreFile[], isCaseSensitive: boolean) {
    this.#files = files
      .map(({ folder, text }) => ({ folder, rules: ignore({ ignorecase: !isCaseSensitive }).add(text) }))
      .sort((a, b) => b.folder.length - a.folder.length);
  }

  /** Of a file. */
  ignores(path: string): boolean {
    const end = path.lastIndexOf("/");
    return (end !== -1 && this.ignoresFolder(path.slice(0, end))) || this.#says(path, path);
  }

  ignoresFolder(path: string): boolean {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const end = path.lastIndexOf("/");
    const isIgnored = (end !== -1 && this.ignoresFolder(path.slice(0, end))) || this.#says(path, `${path}/`);
    this.#folders.set(path, isIgnored);
    return isIgnored;
  }

  /** The nearest file that says something about it; `asked`: folders end in `/` there. */
  #says(path: string, asked: string): boolean {
    for (const { folder, rules } of this.#files) {
      if (folder !== "" && !path.startsWith(`${folder}/`)) continue;
      const { ignored, unignored } = rules.test(folder === "" ? asked : asked.slice(folder.length + 1));
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}
