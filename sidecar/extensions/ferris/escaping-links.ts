/**
 * Finds symbolic links that point out of a folder. A package can contain such links, and an agent may follow them while
 * it reads.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { resolveInWorkspace } from "../../permissions/workspace-boundary";

/** Maximum number of inspected entries. Published crates have fewer. */
const MAX_ENTRIES = 50_000;

/**
 * Path of the first such link, relative to the folder. Undefined: the folder has no such link. ".": the folder has more
 * than `maxEntries` entries.
 */
export async function findEscapingLink(folder: string, maxEntries = MAX_ENTRIES): Promise<string | undefined> {
  let inspected = 0;
  for (const pending = [folder]; pending.length > 0; ) {
    const at = pending.pop() ?? folder;
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const file = path.join(at, entry.name);
      if (++inspected > maxEntries) return ".";
      if (entry.isDirectory()) pending.push(file);
      else if (entry.isSymbolicLink() && !(await resolveInWorkspace(file, [folder]).catch(() => undefined))?.isInside)
        return path.relative(folder, file);
    }
  }
  return undefined;
}
