/**
 * What is inside of the workspace. Links are followed first, also those of folders above a file that does not exist yet: a
 * link in the workspace that leads out of it is outside.
 */
import { realpath } from "node:fs/promises";
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

/** The longest part that exists, resolved, and the rest as it is written. */
async function realOf(file: string): Promise<string> {
  const whole = path.resolve(file);
  for (let existing = whole; ; existing = path.dirname(existing)) {
    const real = await realpath(existing).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
      throw error;
    });
    if (real !== undefined) return path.join(real, path.relative(existing, whole));
    if (existing === path.dirname(existing)) return whole;
  }
}

export function contains(root: string, file: string): boolean {
  const relative = path.relative(root, file);
  return relative === "" || (relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}
