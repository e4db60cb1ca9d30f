/**
 * What the files `.gitignore` from a session's folder down to some folder leave out, as git does it: the nearest that
 * says something decides. Pure.
 */
import ignore, { type Ignore } from "ignore";

export class Ignored {
  /** `folder`: of the file, relative to the session's folder, with `/`; empty for that itself. The deepest first. */
  private constructor(private readonly files: readonly { readonly folder: string; readonly rules: Ignore }[]) {}

  static readonly nothing = new Ignored([]);

  /** With a file that lies deeper than those before. */
  with(folder: string, text: string): Ignored {
    return new Ignored([{ folder, rules: ignore({ ignorecase: false }).add(text) }, ...this.files]);
  }

  /** `path`: relative to the session's folder; of a folder, with a `/` at its end. */
  leavesOut(path: string): boolean {
    for (const { folder, rules } of this.files) {
      const { ignored, unignored } = rules.test(folder === "" ? path : path.slice(folder.length + 1));
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}
