/**
 * The logs of the reviews on disk: `<storage>/review/logs/<id>.jsonl`, append-only, readable by the user only. Written
 * before the call returns, so that they survive the death of every process.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { reviewFolder } from "./snapshots/store-folder";

/** `changedAt`: milliseconds since 1970. */
export interface StoredLog {
  readonly id: string;
  readonly changedAt: number;
}

const EXTENSION = ".jsonl";
/** The id comes from the page and becomes a file name. */
const ID = /^[\da-f-]{36}$/i;

export class ReviewLogs {
  readonly #folder: string;

  /** `storage`: global storage folder of the extension. */
  constructor(storage: string) {
    this.#folder = path.join(reviewFolder(storage), "logs");
  }

  /** Empty if there is none. */
  read(id: string): string {
    try {
      return readFileSync(this.#file(id), "utf8");
    } catch {
      return "";
    }
  }

  /** Throws if the log cannot be written. */
  append(id: string, lines: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    appendFileSync(this.#file(id), lines, { mode: 0o600 });
  }

  async delete(id: string): Promise<void> {
    if (ID.test(id)) await rm(this.#file(id), { force: true });
  }

  all(): readonly StoredLog[] {
    return namesIn(this.#folder).flatMap(name => {
      const status = name.endsWith(EXTENSION)
        ? statSync(path.join(this.#folder, name), { throwIfNoEntry: false })
        : undefined;
      return status ? [{ id: name.slice(0, -EXTENSION.length), changedAt: status.mtimeMs }] : [];
    });
  }

  #file(id: string): string {
    if (!ID.test(id)) throw new Error("A review has an invalid id.");
    return path.join(this.#folder, `${id.toLowerCase()}${EXTENSION}`);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
