/**
 * Build folders of source builds: `ROOT/.builds/ID`. The next attempt continues a build that failed, was cancelled or
 * crashed.
 *
 *   use ── succeeded ──▶ removed        use ── failed or crashed ──▶ kept ── next attempt, or removed after some days
 *
 * Invariants:
 * - Only one build per id runs at a time (the store's install lock).
 * - A folder that exceeds `MAX_BYTES` or filled the disk is not kept.
 * - A failed removal is retried later and does not fail the installation.
 */
import path from "node:path";
import { InstallError } from "./install-error";
import { absent, sizeOf, writeWhole, type Files } from "./files";

/** Three times the size of a large agent's release build. */
export const MAX_BYTES = 6 * 1024 ** 3;
export const MAX_AGE_MS = 7 * 24 * 3600_000;
/** Rewritten at each use, so the folder's modification time is that of the last attempt. */
const MARKER = "last-try";

export class BuildFolders {
  readonly #root: string;

  /** `now`: milliseconds since 1970, comparable to file times. */
  constructor(
    root: string,
    private readonly files: Files,
    private readonly now: () => number,
  ) {
    this.#root = path.join(root, ".builds");
  }

  async using<T>(id: string, build: (folder: string) => Promise<T>): Promise<T> {
    const folder = path.join(this.#root, id);
    await this.files.mkdir(folder, { recursive: true });
    await writeWhole(path.join(folder, MARKER), "", this.files);
    let built: T;
    try {
      built = await build(folder);
    } catch (error) {
      const isFull = error instanceof InstallError && error.code === "diskFull";
      if (isFull || (await sizeOf(folder, this.files).catch(() => MAX_BYTES + 1)) > MAX_BYTES) await this.remove(id);
      throw error;
    }
    await this.remove(id);
    return built;
  }

  async remove(id: string): Promise<void> {
    await this.files
      .rm(path.join(this.#root, id), { recursive: true, force: true, maxRetries: 3 })
      .catch(() => undefined); // removed by a later cleanup
    await this.files.rmdir(this.#root).catch(() => undefined); // not empty: other builds exist
  }

  /** Removes folders whose last attempt is older than `MAX_AGE_MS`. */
  async cleanUp(): Promise<void> {
    for (const id of await this.files.readdir(this.#root).catch(absent<string[]>([]))) {
      const used = await this.files.stat(path.join(this.#root, id)).catch(absent(undefined));
      if (used && this.now() - used.mtimeMs > MAX_AGE_MS) await this.remove(id);
    }
  }
}
