/**
 * Paths ignored by the `.gitignore` files between a session folder and a subfolder. As in git, the deepest file with a
 * matching rule decides. Pure.
 */
import ignore, { type Ignore } from "ignore";

export class Ignored {
  /**
   * `folder`: of the `.gitignore`, relative to the session folder, with `/`; empty for that folder itself. Deepest
   * first.
   */
  private constructor(private readonly files: readonly { readonly folder: string; readonly rules: Ignore }[]) {}

  static readonly nothing = new Ignored([]);

  /** Adds a file that is deeper than all earlier ones. */
  with(folder: string, text: string): Ignored {
    return new Ignored([{ folder, rules: ignore({ ignorecase: false }).add(text) }, ...this.files]);
  }

  /** `path`: relative to the session folder. A folder ends with `/`. */
  leavesOut(path: string): boolean {
    for (const { folder, rules } of this.files) {
      const { ignored, unignored } = rules.test(folder === "" ? path : path.slice(folder.length + 1));
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}
