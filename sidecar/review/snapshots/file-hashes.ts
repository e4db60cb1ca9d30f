/**
 * Stores the contents of files on disk as objects, and remembers them by the status of the files. So a file that
 * differs from the index for a long time is read once.
 *
 * Invariant: the state of a file that could have changed after it was read, within the precision of times of the file
 * system, is not remembered.
 */
import type { BigIntStats } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { EXECUTABLE_MODE, FILE_MODE, LINK_MODE, type FileMode, type FileState } from "./file-state";
import type { LooseObjects } from "./loose-objects";
import { isAbsence } from "./listed-files";
import { linkTarget } from "./restore";

/** File systems store times with a precision of up to two seconds. */
const TIME_PRECISION_MS = 2_000;

interface Remembered {
  readonly state: FileState;
  readonly stats: BigIntStats;
}

export class FileHashes {
  readonly #remembered = new Map<string, Remembered>();

  constructor(
    private readonly objects: LooseObjects,
    /** Milliseconds since 1970. */
    private readonly date: () => number,
  ) {}

  /** `absent`: no regular file and no link. Rejects if the object cannot be written. `file`: absolute. */
  async store(file: string): Promise<FileState | "absent" | "unreadable"> {
    const stats = await lstat(file, { bigint: true }).catch(faultOf);
    if (typeof stats === "string") return stats;
    const mode = modeOf(stats),
      remembered = this.#remembered.get(file);
    if (mode === undefined) return "absent";
    if (
      remembered !== undefined &&
      isSameFile(remembered.stats, stats) &&
      (await this.objects.renew(remembered.state.oid, this.date()))
    )
      return { mode, oid: remembered.state.oid };
    const bytes = await (mode === LINK_MODE ? linkTarget(file) : readFile(file)).catch(faultOf);
    if (typeof bytes === "string") return bytes;
    const state = { mode, oid: await this.objects.write("blob", bytes, this.date()) };
    if (Number(maximum(stats.mtimeMs, stats.ctimeMs)) < this.date() - TIME_PRECISION_MS)
      this.#remembered.set(file, { state, stats });
    else this.#remembered.delete(file);
    return state;
  }
}

function modeOf(stats: BigIntStats): FileMode | undefined {
  if (stats.isSymbolicLink()) return LINK_MODE;
  if (!stats.isFile()) return undefined;
  return (stats.mode & 0o100n) === 0n ? FILE_MODE : EXECUTABLE_MODE;
}

function isSameFile(a: BigIntStats, b: BigIntStats): boolean {
  return (
    a.ino === b.ino &&
    a.size === b.size &&
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs &&
    a.isSymbolicLink() === b.isSymbolicLink()
  );
}

const maximum = (a: bigint, b: bigint): bigint => (a > b ? a : b);

function faultOf(error: unknown): "absent" | "unreadable" {
  return isAbsence(error) ? "absent" : "unreadable";
}
