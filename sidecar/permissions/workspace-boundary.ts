/**
 * Determines whether a file is inside the workspace. Links are resolved first, including those of folders above a file
 * that does not exist yet. A link in the workspace to a target outside counts as outside, even if the target does not
 * exist.
 */
import { readlink, realpath } from "node:fs/promises";
import path from "node:path";

export interface Place {
  /** The path of the file after links are resolved. */
  readonly real: string;
  readonly isInside: boolean;
}

/** `file` is absolute. Rejects with the system's error when a folder in the path cannot be read. */
export async function resolveInWorkspace(file: string, roots: readonly string[]): Promise<Place> {
  const real = await realOf(file);
  const realRoots = await Promise.all(roots.map(root => realOf(root)));
  return { real, isInside: realRoots.some(root => contains(root, real)) };
}

/** Maximum number of consecutive links to missing targets; Linux follows as many. */
const MAX_LINKS = 40;

/**
 * Resolves the longest existing prefix of the path and appends the suffix unchanged. A link to a missing target
 * resolves to the file that a write through it would create.
 */
async function realOf(file: string, links = MAX_LINKS): Promise<string> {
  const absolute = path.resolve(file);
  for (let existing = absolute; ; existing = path.dirname(existing)) {
    const suffix = path.relative(existing, absolute),
      real = await realpath(existing).catch(undefinedWhenAbsent);
    if (real !== undefined) return path.join(real, suffix);
    const target = await readlink(existing).catch(() => undefined);
    if (target !== undefined && links === 0) throw new Error("too many links");
    if (target !== undefined)
      return realOf(path.join(path.resolve(await realpath(path.dirname(existing)), target), suffix), links - 1);
    if (existing === path.dirname(existing)) return absolute;
  }
}

function undefinedWhenAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
}

export function contains(root: string, file: string): boolean {
  const relative = path.relative(root, file);
  return relative === "" || (relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}
