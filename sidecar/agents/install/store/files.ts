/** The file system functions of installations. Injected, so that tests can make each step fail. */
import * as fs from "node:fs/promises";
import path from "node:path";

export type Files = Pick<
  typeof fs,
  "mkdir" | "open" | "readFile" | "readdir" | "rename" | "rm" | "rmdir" | "stat" | "lstat" | "chmod"
>;
export const realFiles: Files = fs;

/** Writes all bytes: repeats partial writes. */
export async function writeAll(handle: fs.FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

/** Writes atomically and durably: to a temporary file that is synced and renamed. */
export async function writeWhole(file: string, text: string, files: Files): Promise<void> {
  const part = `${file}.part`;
  const handle = await files.open(part, "w");
  try {
    await writeAll(handle, Buffer.from(text), 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await files.rename(part, file);
}

/** Returns the total bytes of all regular files in the folder and its subfolders. */
export async function sizeOf(folder: string, files: Files): Promise<number> {
  let bytes = 0;
  for (const entry of await files.readdir(folder, { withFileTypes: true })) {
    const child = path.join(folder, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(child, files);
    else if (entry.isFile()) bytes += (await files.lstat(child)).size;
  }
  return bytes;
}

/**
 * For `catch`: returns `otherwise` for a missing file and rethrows other errors. A temporary read error must not look
 * like a missing file.
 */
export function absent<T>(otherwise: T): (error: unknown) => T {
  return error => {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return otherwise;
    throw error;
  };
}

/**
 * Returns the size of a program. Undefined: missing, empty or not a regular file. Follows links, which `.bin` and
 * Python tools use.
 */
export async function programSize(file: string, files: Files): Promise<number | undefined> {
  const found = await files.stat(file).catch(absent(undefined));
  return found?.isFile() && found.size > 0 ? found.size : undefined;
}
