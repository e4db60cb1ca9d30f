/** The workspace's files for `NamedFiles`. */
import { realpath, stat } from "node:fs/promises";
import path from "node:path";

/**
 * Whether the path is a file in one of the folders, after links are resolved. Never rejects. VS Code's own file service
 * does not resolve links.
 */
export async function isFileWithin(file: string, folders: readonly string[]): Promise<boolean> {
  try {
    const real = await realpath(file);
    return (await stat(real)).isFile() && (await isWithin(real, folders));
  } catch {
    return false;
  }
}

/** Whether a new file at this path would be in one of the folders. Missing parent folders are created in them. */
export async function isNewWithin(file: string, folders: readonly string[]): Promise<boolean> {
  for (let parent = path.dirname(file); ; parent = path.dirname(parent)) {
    const real = await realpath(parent).catch(() => undefined);
    if (real !== undefined) return isWithin(path.join(real, "x"), folders);
    if (parent === path.dirname(parent)) return false;
  }
}

async function isWithin(real: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    const relative = path.relative(await realpath(folder), real);
    if (relative !== "" && !relative.startsWith(`..${path.sep}`) && relative !== ".." && !path.isAbsolute(relative))
      return true;
  }
  return false;
}
