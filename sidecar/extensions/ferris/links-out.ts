/**
 * Links in a folder that lead out of it: a package can bring them, and whoever reads in the folder may follow them
 * without knowing.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { placeOf } from "../../permissions/boundary";

/** Entries that are looked at; no published crate has as many. */
const MOST_ENTRIES = 50_000;

/**
 * The first one, as a path in the folder; undefined: there is none. More entries than anybody looks at count as one,
 * named by the folder.
 */
export async function linkOut(folder: string, most = MOST_ENTRIES): Promise<string | undefined> {
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
