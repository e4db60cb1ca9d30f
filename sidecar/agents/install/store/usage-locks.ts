/**
 * Tracks which processes use which folder of an agent, by one file per use: `.uses/FOLDER-PID-RANDOM`. A use ends with
 * its process, even if its file remains. Processes of other computers with the same home folder cannot be checked, so
 * their uses expire after a month.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { isObject } from "../../../rpc/json";
import type { ProcessTable } from "../../../process/process-list";
import { absent, writeWhole, type Files } from "./files";

export const USES = ".uses";

export interface Lease {
  /** Whether no other process has removed it. */
  isHeld(): boolean;
  release(): Promise<void>;
}
export interface Holder {
  readonly pid: number;
  readonly started: string;
}
interface Use extends Holder {
  readonly folder: string;
  readonly host: string;
}

const EXPIRY_MS = 30 * 24 * 3600 * 1000;

export class UsageLocks {
  readonly #files: Files;
  readonly #table: ProcessTable;
  readonly #self: Holder;

  constructor(files: Files, table: ProcessTable, self: Holder) {
    this.#files = files;
    this.#table = table;
    this.#self = self;
  }

  /** `home`: the folder of the id. */
  async take(home: string, folder: string): Promise<Lease> {
    const uses = path.join(home, USES),
      file = path.join(uses, `${folder}-${this.#self.pid}-${randomBytes(4).toString("hex")}`);
    await this.#files.mkdir(uses, { recursive: true });
    await writeWhole(file, JSON.stringify({ folder, ...this.#self, host: hostname() } satisfies Use), this.#files);
    return { isHeld: () => existsSync(file), release: () => this.#files.rm(file, { force: true }) };
  }

  /** Returns the folders in use and deletes the files of dead processes. */
  async used(home: string): Promise<ReadonlySet<string>> {
    return new Set((await this.#living(home)).map(({ use }) => use.folder));
  }

  /** Returns the files of living uses of this folder by other processes. */
  async others(home: string, folder: string): Promise<readonly string[]> {
    return (await this.#living(home)).flatMap(({ file, use }) =>
      use.folder === folder && !this.#isOwn(use) ? [file] : [],
    );
  }

  async #living(home: string): Promise<readonly { readonly file: string; readonly use: Use }[]> {
    const uses = path.join(home, USES),
      found: { readonly file: string; readonly use: Use }[] = [];
    const all = await Promise.all(
      (await this.#files.readdir(uses).catch(absent<string[]>([]))).map(async name => {
        const file = path.join(uses, name);
        return { file, use: readUse(await this.#files.readFile(file, "utf8").catch(absent(""))) };
      }),
    );
    // This process lives, and reading the process table is slow on some systems.
    const here = all.flatMap(({ use }) => (use?.host === hostname() && !this.#isOwn(use) ? [use.pid] : [])),
      living = here.length === 0 ? [] : await this.#table.living(here);
    for (const { file, use } of all) {
      const isLiving =
        use !== undefined && this.#isOwn(use)
          ? true
          : use?.host === hostname()
            ? living.some(({ pid, started }) => pid === use.pid && this.#table.sameStart(started, use.started)) ||
              (living.length === 0 && !(await this.#isTableWorking()))
            : !(await this.#isExpired(file));
      if (!isLiving) await this.#files.rm(file, { force: true }).catch(() => undefined);
      else if (use) found.push({ file, use });
    }
    return found;
  }

  /** Also after the computer's name has changed, for example in another network. */
  #isOwn({ pid, started }: Use): boolean {
    return pid === this.#self.pid && started === this.#self.started;
  }

  /** Whether the process table works: it must contain this process. */
  async #isTableWorking(): Promise<boolean> {
    return (await this.#table.living([process.pid])).length > 0;
  }

  async #isExpired(file: string): Promise<boolean> {
    const modified = (await this.#files.stat(file).catch(absent(undefined)))?.mtimeMs;
    return modified === undefined || Date.now() - modified > EXPIRY_MS;
  }
}

function readUse(text: string): Use | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { folder, pid, started, host } = value;
  return typeof folder === "string" &&
    typeof pid === "number" &&
    typeof started === "string" &&
    typeof host === "string"
    ? { folder, pid, started, host }
    : undefined;
}
