/** The file system as installations use it: a parameter, so that a test can break each step of it. */
import * as fs from "node:fs/promises";
import path from "node:path";

export type Files = Pick<
  typeof fs,
  "mkdir" | "open" | "readFile" | "readdir" | "rename" | "rm" | "rmdir" | "stat" | "lstat" | "chmod"
>;
export const realFiles: Files = fs;

/** A write may take less than it was given. */
export async function writeAll(handle: fs.FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

/** Whole or not at all, also when the power goes: written beside it, and renamed. */
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

/** Bytes of all regular files below. */
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
 * For `catch`: what is not there is `otherwise`. All else stays an error, because what cannot be read for a moment must
 * not look like nothing.
 */
export function absent<T>(otherwise: T): (error: unknown) => T {
  return error => {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return otherwise;
    throw error;
  };
}

/**
 * Undefined: it is not there, or no regular file, or nothing is in it. Follows links: `.bin` and Python's tools are
 * full of them.
 */
export async function programSize(file: string, files: Files): Promise<number | undefined> {
  const found = await files.stat(file).catch(absent(undefined));
  return found?.isFile() && found.size > 0 ? found.size : undefined;
}
