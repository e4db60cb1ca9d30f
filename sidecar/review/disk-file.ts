/** The state of a file, read at once and stored later, when its root is known. */
import { realpathSync } from "node:fs";
import { lstat, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { EXECUTABLE_MODE, FILE_MODE, LINK_MODE, type FileMode } from "./snapshots/file-state";

/** `undefined`: no file, or something that is not recorded. */
export type DiskFile = { readonly mode: FileMode; readonly bytes: Uint8Array } | undefined;

/** Larger files are not read before they change. Equal to the limit of snapshots. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;

/** Never rejects. `file`: an absolute path. `maxBytes`: larger files are not recorded. */
export async function readDiskFile(file: string, maxBytes: number): Promise<DiskFile> {
  try {
    const stats = await lstat(file);
    if (stats.isSymbolicLink()) return { mode: LINK_MODE, bytes: await readlink(file, { encoding: "buffer" }) };
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    return { mode: (stats.mode & 0o100) === 0 ? FILE_MODE : EXECUTABLE_MODE, bytes: await readFile(file) };
  } catch {
    return undefined;
  }
}

/** Time of the last change of content, mode or name, in milliseconds since 1970. Infinity if there is no file. */
export async function changeTime(file: string): Promise<number> {
  return lstat(file).then(
    ({ ctimeMs }) => ctimeMs,
    () => Infinity,
  );
}

export function isSameDiskFile(a: DiskFile, b: DiskFile): boolean {
  return (
    a?.mode === b?.mode && (a === b || (a !== undefined && b !== undefined && Buffer.compare(a.bytes, b.bytes) === 0))
  );
}

/** The file below the real path of its folder, also where neither exists yet. A link is not followed. */
export function realFile(file: string): string {
  const folder = path.dirname(file);
  return folder === file ? file : path.join(realFolder(folder), path.basename(file));
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return realFile(folder);
  }
}
