/**
 * The objects of a store, each in a separate file in git's format, so that git reads them. The contents of
 * merges, of files on disk and of pinned objects are written here without a process.
 *
 * Invariant: an object appears by one rename and is never changed.
 */
import { createHash, randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, readFile, rename, rm, unlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { deflate, deflateSync, inflate, inflateSync } from "node:zlib";
import type { Oid } from "./file-state";
import type { ReadObject } from "./git-output";
import type { HashAlgorithm } from "./index-file";

export type ObjectKind = "blob" | "tree";

/** The id of an object with these bytes. */
export function objectId(kind: ObjectKind, bytes: Uint8Array, algorithm: HashAlgorithm): Oid {
  return createHash(algorithm).update(`${kind} ${bytes.length}\0`).update(bytes).digest("hex");
}

/** Fast, as git's own default for new objects. */
const COMPRESSION = { level: 1 };
/** The work for smaller contents takes less time than its transfer to another thread. */
const SMALL_BYTES = 16 * 1024;
const inflateLarge = promisify(inflate),
  deflateLarge = promisify<Uint8Array, typeof COMPRESSION, Buffer>(deflate);

async function inflated(packed: Buffer): Promise<Buffer> {
  return packed.length < SMALL_BYTES ? inflateSync(packed) : inflateLarge(packed);
}

async function deflated(content: Uint8Array): Promise<Buffer> {
  return content.length < SMALL_BYTES ? deflateSync(content, COMPRESSION) : deflateLarge(content, COMPRESSION);
}

export class LooseObjects {
  constructor(
    /** The folder `objects` of a git directory. */
    private readonly folder: string,
    private readonly algorithm: HashAlgorithm,
  ) {}

  /** Makes an object as new as one that is written now. Returns false if it is missing. */
  renew(oid: Oid, now: number): Promise<boolean> {
    return utimes(this.#file(oid), now / 1000, now / 1000).then(
      () => true,
      () => false,
    );
  }

  /** Undefined if the object is missing or damaged. */
  async read(oid: Oid): Promise<ReadObject | undefined> {
    const packed = await readFile(this.#file(oid)).catch(() => undefined),
      bytes = packed && (await inflated(packed).catch(() => undefined)),
      start = bytes?.indexOf(0) ?? -1;
    if (bytes === undefined || start === -1) return undefined;
    return { oid, kind: bytes.toString("latin1", 0, bytes.indexOf(" ")), bytes: bytes.subarray(start + 1) };
  }

  /** `now`: milliseconds since 1970. An object that exists becomes as new as one that is written. */
  async write(kind: ObjectKind, bytes: Uint8Array, now: number): Promise<Oid> {
    const oid = objectId(kind, bytes, this.algorithm),
      file = this.#file(oid);
    if (await this.renew(oid, now)) return oid;
    const temporary = path.join(this.folder, `tmp_obj_${randomBytes(8).toString("hex")}`);
    await mkdir(path.dirname(file), { recursive: true });
    try {
      const content = Buffer.concat([Buffer.from(`${kind} ${bytes.length}\0`), bytes]);
      await writeFile(temporary, await deflated(content), { mode: 0o444 });
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    return oid;
  }

  /**
   * Deletes the objects for which `isNeeded` returns false and that were neither written nor used since `before`, in
   * milliseconds since 1970. Returns the number of deleted files.
   */
  async delete(before: number, isNeeded: (oid: Oid) => boolean): Promise<number> {
    let deleted = 0;
    for (const folder of await readdir(this.folder)) {
      const isTemporary = folder.startsWith("tmp_obj_");
      if (!isTemporary && !/^[0-9a-f]{2}$/.test(folder)) continue;
      const files = isTemporary ? [""] : await readdir(path.join(this.folder, folder));
      for (const name of files) {
        const file = path.join(this.folder, folder, name);
        if (!isTemporary && !name.startsWith("tmp_obj_") && isNeeded(folder + name)) continue;
        const isOld = await lstat(file).then(
          ({ mtimeMs }) => mtimeMs < before,
          () => false,
        );
        if (
          isOld &&
          (await unlink(file).then(
            () => true,
            () => false,
          ))
        )
          deleted++;
      }
    }
    return deleted;
  }

  #file(oid: Oid): string {
    return path.join(this.folder, oid.slice(0, 2), oid.slice(2));
  }
}
