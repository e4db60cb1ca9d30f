/**
 * Records the processes of a sidecar in a file that outlives it, so that the next sidecar can end the remaining ones
 * (`orphaned-ledgers.ts`).
 *
 * Each sidecar writes its own file, `<storage>/processes/<pid>-<random>.jsonl`. The first line identifies the owner and
 * is written before any child starts. A child that was started but not yet recorded can therefore be found by its run
 * id. Each start and each end adds a line.
 *
 * Invariants:
 * - A line is written synchronously with the start of a child.
 * - The file of a living sidecar (same pid *and* start time) or of another computer is never touched.
 * - A torn or unknown line does not affect other lines.
 * - A ledger that cannot be written (full disk) emits one warning, and agents start anyway.
 * - The next successful write contains all missing entries.
 * - Without a ledger, processes are found by their run ids (`run-owner.ts`).
 */
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { ledgerNotWritten } from "../errors";
import { systemTools, type ProcessLedger } from "./stdio-process";
import { processTable, type ProcessTable } from "./process-list";
import { endAll, type ReapOptions } from "./orphan-reaper";
import { ownedRun, placeOf } from "./run-owner";
import { childRunId } from "./run-id";
import { shortHash } from "./short-hash";

export interface LedgerOptions {
  readonly table?: ProcessTable;
  /** Called once per failure until a write succeeds. `message` is for the user. */
  readonly warn?: (message: string, detail: Readonly<Record<string, unknown>>) => void;
  readonly files?: LedgerFiles;
}

export interface LedgerFiles {
  makeFolder(folder: string): void;
  /** Creates the file if needed. */
  append(file: string, text: string): void;
  /** A missing file is not an error. */
  remove(file: string): void;
}

const diskFiles: LedgerFiles = {
  makeFolder: folder => {
    mkdirSync(folder, { recursive: true });
  },
  append: (file, text) => {
    appendFileSync(file, text);
  },
  remove: file => {
    rmSync(file, { force: true });
  },
};

/** `run`: this sidecar's run id, new at each start. Never throws. */
export function openLedger(storage: string, run: string, options: LedgerOptions = {}): Ledger {
  const { table = processTable(systemTools), warn = () => undefined, files = diskFiles } = options;
  return new Ledger(folderOf(storage), run, table, warn, files);
}

export class Ledger implements ProcessLedger {
  /** Run id for processes that are started without a ledger record, so that they can still be found. */
  readonly run: string;
  readonly #file: string;
  readonly #owner: Owner;
  readonly #living = new Map<number, ChildProcessRecord>();
  /** `new`: nothing written; `whole`: the file is complete; `behind`: the last write failed. */
  #state: "new" | "whole" | "behind" = "new";
  #children = 0;

  constructor(
    private readonly folder: string,
    run: string,
    private readonly table: ProcessTable,
    private readonly warn: NonNullable<LedgerOptions["warn"]>,
    private readonly files: LedgerFiles,
  ) {
    const started = table.startOf(process.pid);
    this.#file = path.join(folder, `${process.pid}-${shortHash(`${started} ${run}`)}.jsonl`);
    this.#owner = { pid: process.pid, started, run, host: hostname() };
    this.run = ownedRun(run, this.#owner, placeOf(table.computer, folder));
    this.#write();
  }

  nextRunId(): string {
    return childRunId(this.run, ++this.#children);
  }

  started(pid: number, runId: string, command: string): ChildProcessRecord {
    const record = { pid, group: pid, started: this.table.startOf(pid), runId, command };
    this.#living.set(pid, record);
    this.#write({ started: record });
    return record;
  }

  ended(pid: number): void {
    if (this.#living.delete(pid)) this.#write({ ended: pid });
  }

  kill({ group }: ChildProcessRecord): void {
    this.table.signal({ group }, "SIGKILL");
  }

  async end(record: ChildProcessRecord, how: Omit<ReapOptions, "table">): Promise<boolean> {
    return (await endAll({ records: [record] }, { table: this.table, ...how })).length === 0;
  }

  /** Called after the last child has stopped. If children remain, the ledger is kept for the next sidecar. */
  close(): void {
    if (this.#living.size > 0) return;
    try {
      this.files.remove(this.#file);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** If entries are missing, writes all of them after a line break, because the last line may be torn. */
  #write(line?: object): void {
    try {
      if (this.#state === "whole" && line) this.files.append(this.#file, textOf([line]));
      else {
        this.files.makeFolder(this.folder);
        const all = [{ owner: this.#owner }, ...[...this.#living.values()].map(started => ({ started }))];
        this.files.append(this.#file, `${this.#state === "new" ? "" : "\n"}${textOf(all)}`);
      }
      this.#state = "whole";
    } catch (error) {
      if (this.#state !== "behind") this.#failed(error);
      this.#state = "behind";
    }
  }

  #failed(error: unknown): void {
    this.warn(ledgerNotWritten(this.folder, error), { file: this.#file, error: String(error) });
  }
}

function textOf(lines: readonly object[]): string {
  return lines.map(line => `${JSON.stringify(line)}\n`).join("");
}

/** The sidecar of a ledger. */
export interface Owner {
  readonly pid: number;
  readonly started: string;
  readonly run: string;
  readonly host: string;
}

/** The folder of the ledgers. */
export function folderOf(storage: string): string {
  return path.join(storage, "processes");
}
