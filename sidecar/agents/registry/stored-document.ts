/**
 * A downloaded document on disk, one file per address, written atomically. Windows and processes share the file without
 * a lock: each write renames a separate temporary file, so the last complete write wins.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { isObject } from "../../rpc/json";
import { isEtag } from "../../http/fetch-document";

export interface Stored {
  readonly url: string;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
  readonly etag?: string | undefined;
}

const VERSION = 1;

/** Returns undefined if the file is missing, broken or of another version. */
export async function readStored(folder: string, url: string): Promise<Stored | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(fileOf(folder, url), "utf8"));
    if (!isObject(value) || value.version !== VERSION || value.url !== url) return undefined;
    const { text, fetchedAt, etag } = value;
    if (typeof text !== "string" || typeof fetchedAt !== "number" || !Number.isFinite(fetchedAt)) return undefined;
    return { url, text, fetchedAt, ...(typeof etag === "string" && isEtag(etag) ? { etag } : {}) };
  } catch {
    return undefined;
  }
}

/** Rejects with the system error. */
export async function writeStored(folder: string, document: Stored): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = fileOf(folder, document.url),
    temporary = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(temporary, JSON.stringify({ version: VERSION, ...document }), { mode: 0o600 });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

function fileOf(folder: string, url: string): string {
  return path.join(folder, `registry-${createHash("sha256").update(url).digest("hex").slice(0, 16)}.json`);
}
