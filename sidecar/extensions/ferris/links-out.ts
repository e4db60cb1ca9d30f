/**
 * Finds symbolic links that lead out of a folder. A package can contain them, and an agent that reads in the folder may
 * follow them unknowingly.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { placeOf } from "../../permissions/boundary";

/** Maximum number of inspected entries; no published crate has as many. */
const MAX_ENTRIES = 50_000;

/**
 * Path of the first such link, relative to the folder; undefined if there is none. Returns "." if the folder has more
 * than `most` entries.
 */
export async function linkOut(folder: string, most = MAX_ENTRIES): Promise<string | undefined> {
  let looked = 0;
  for (const open = [folder]; open.length > 0; ) {
    const at = open.pop() ?? folder;
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const file = path.join(at, entry.name);
      if (++looked > most) return ".";
      if (entry.isDirectory()) open.push(file);
      else if (entry.isSymbolicLink() && !(await placeOf(file, [folder]).catch(() => undefined))?.isInside)
        return path.relative(folder, file);
    }
  }
  return undefined;
}
