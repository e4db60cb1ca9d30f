/**
 * The journals of chat sessions on disk: `<storage>/sessions/<conversation>.jsonl`, append-only, readable by the user
 * only. A conversation keeps its id (a UUID of the page) across restarts of all processes.
 *
 * Invariants:
 * - A record is written before `keep` returns, so that it survives the death of every process (not a power cut).
 * - A journal that cannot be written or read never affects its session. The user is warned once until a write succeeds.
 * - A journal that was not written for `RETENTION_MS` is removed.
 */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { journalNotWritten } from "../errors";
import { lineOf, newestRecord, type SessionRecord } from "./session-record";

export interface JournalOptions {
  /** `message` is for the user. */
  readonly warn: (message: string, detail: Readonly<Record<string, unknown>>) => void;
  readonly append?: (file: string, text: string) => void;
}

const RETENTION_MS = 30 * 24 * 3600 * 1000;
/** The id comes from the page and becomes a file name. */
const CONVERSATION = /^[\da-f-]{36}$/i;

export class Journal {
  readonly #folder: string;
  #hasWarned = false;

  constructor(
    storage: string,
    private readonly options: JournalOptions,
  ) {
    this.#folder = path.join(storage, "sessions");
  }

  /** The newest record of this conversation, if it has one. */
  sessionOf(conversation: string): SessionRecord | undefined {
    if (!CONVERSATION.test(conversation)) return undefined;
    try {
      return newestRecord(readFileSync(this.#fileOf(conversation), "utf8"));
    } catch {
      return undefined; // most conversations have no journal yet
    }
  }

  keep(conversation: string, record: SessionRecord): void {
    if (!CONVERSATION.test(conversation)) return;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      (this.options.append ?? append)(this.#fileOf(conversation), lineOf(record));
      this.#hasWarned = false;
    } catch (error) {
      if (!this.#hasWarned) this.options.warn(journalNotWritten(this.#folder, error), { error: String(error) });
      this.#hasWarned = true;
    }
  }

  /** Removes old journals. `now`: milliseconds since 1970. */
  async cleanUp(now: number): Promise<void> {
    const names = await readdir(this.#folder).catch((): readonly string[] => []);
    for (const file of names.filter(name => name.endsWith(".jsonl")).map(name => path.join(this.#folder, name))) {
      const written = await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => now, // removed by another window
      );
      if (written < now - RETENTION_MS) await rm(file, { force: true });
    }
  }

  #fileOf(conversation: string): string {
    return path.join(this.#folder, `${conversation.toLowerCase()}.jsonl`);
  }
}

function append(file: string, text: string): void {
  appendFileSync(file, text, { mode: 0o600 });
}
