/**
 * Lists the files below a folder, except those ignored by `.gitignore` and `.git`. Links are not followed. A target
 * inside the folder is listed at its own path.
 */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import type { SearchPlace } from "./search-backend";

/** Maximum number of files and folders inspected per search. */
export const MAX_ENTRIES = 200_000;

/**
 * Yields paths relative to the place, with `/`, sorted by name. Stops after `maxEntries` entries and returns whether
 * the listing is complete. Unreadable folders are skipped.
 */
export async function* filesBelow(
  { real, folder }: SearchPlace,
  signal: AbortSignal,
  maxEntries = MAX_ENTRIES,
): AsyncGenerator<string, boolean> {
  const below = path
    .relative(folder, real)
    .split(path.sep)
    .filter(part => part !== "");
  let ignored = Ignored.nothing,
    entries = 0,
    isComplete = true;
  for (let i = 0; i < below.length; i++) ignored = await withRulesOf(folder, below.slice(0, i), ignored);
  yield* walk([], ignored);
  return isComplete;

  async function* walk(parts: readonly string[], before: Ignored): AsyncGenerator<string, void> {
    signal.throwIfAborted();
    const here = [...below, ...parts],
      names = await readdir(path.join(real, ...parts), { withFileTypes: true }).catch(() => []);
    const rules = names.some(({ name }) => name === ".gitignore") ? await withRulesOf(folder, here, before) : before;
    for (const entry of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (++entries > maxEntries) {
        isComplete = false;
        return;
      }
      const isFolder = entry.isDirectory(),
        where = [...here, entry.name].join("/");
      if (
        (!isFolder && !entry.isFile()) ||
        (isFolder && entry.name === ".git") ||
        rules.ignores(isFolder ? `${where}/` : where)
      )
        continue;
      if (isFolder) yield* walk([...parts, entry.name], rules);
      else yield [...parts, entry.name].join("/");
    }
  }
}

async function withRulesOf(root: string, parts: readonly string[], before: Ignored): Promise<Ignored> {
  const text = await readFile(path.join(root, ...parts, ".gitignore"), "utf8").catch(() => undefined);
  return text === undefined ? before : before.with(parts.join("/"), text);
}

/**
 * Paths ignored by the `.gitignore` files between a session folder and a subfolder. As in git, the deepest file with a
 * matching rule takes precedence.
 */
class Ignored {
  /**
   * `folder`: of the `.gitignore`, relative to the session folder, with `/`. Empty for the session folder. Deepest
   * first.
   */
  private constructor(private readonly files: readonly { readonly folder: string; readonly rules: Ignore }[]) {}

  static readonly nothing = new Ignored([]);

  /** Adds a file that is deeper than all earlier files. */
  with(folder: string, text: string): Ignored {
    return new Ignored([{ folder, rules: ignore({ ignorecase: false }).add(text) }, ...this.files]);
  }

  /** `path`: relative to the session folder. A folder ends with `/`. */
  ignores(path: string): boolean {
    for (const { folder, rules } of this.files) {
      const { ignored, unignored } = rules.test(folder === "" ? path : path.slice(folder.length + 1));
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}
