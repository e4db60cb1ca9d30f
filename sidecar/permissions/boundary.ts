/**
 * What is inside of the workspace. Links are followed first, also those of folders above a file that does not exist
 * yet: a link in the workspace that leads out of it is outside, whether there is something at its end or not.
 */
import { readlink, realpath } from "node:fs/promises";
import path from "node:path";

export interface Place {
  /** Where the file really is. */
  readonly real: string;
  readonly isInside: boolean;
}

/** `file` is absolute. Rejects with the system's error when a folder on the way cannot be looked into. */
export async function placeOf(file: string, roots: readonly string[]): Promise<Place> {
  const real = await realOf(file);
  const realRoots = await Promise.all(roots.map(root => realOf(root)));
  return { real, isInside: realRoots.some(root => contains(root, real)) };
}

/** Links to what is not there that may follow each other: as many as Linux follows. */
const MOST_LINKS = 40;

/**
 * The longest part that exists, resolved, and the rest as it is written. A link to what is not there leads to what a
 * write through it would make.
 */
async function realOf(file: string, links = MOST_LINKS): Promise<string> {
  const whole = path.resolve(file);
  for (let existing = whole; ; existing = path.dirname(existing)) {
    const rest = path.relative(existing, whole),
      real = await realpath(existing).catch(undefinedWhenAbsent);
    if (real !== undefined) return path.join(real, rest);
    const target = await readlink(existing).catch(() => undefined);
    if (target !== undefined && links === 0) throw new Error("too many links");
    if (target !== undefined)
      return realOf(path.join(path.resolve(await realpath(path.dirname(existing)), target), rest), links - 1);
    if (existing === path.dirname(existing)) return whole;
  }
}

function undefinedWhenAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
}

export function contains(root: string, file: string): boolean {
  const relative = path.relative(root, file);
  return relative === "" || (relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}
