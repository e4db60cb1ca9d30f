/**
 * What a sidecar has started, in a file that outlives it, so that the next one can end what was left behind.
 *
 * One file a sidecar, `<storage>/processes/<pid>-<random>.jsonl`, written by it alone. The first line says who writes, before
 * anything is started: so a child that was started and not yet recorded is found by its run. Then a line for each start and end.
 *
 * Invariants: a line is written in the turn in which a child starts; nobody touches the file of a sidecar that lives (its
 * pid *and* its start time), nor of another computer with the same storage; a torn or unknown line hides no other. A ledger
 * that cannot be written is a warning, and agents start all the same.
 */
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, unlinkSync, writeFileSync } from "node:fs";
import { readdir, readFile, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { isObject, type JsonObject } from "../rpc/json";
import { systemTools, type ProcessLedger } from "./process";
import { processTable, type ProcessEntry, type ProcessTable } from "./process-table";
import { endAll, recordsIn, systemOptions, type ReapOptions } from "./reap";
import { childRunId } from "./runs";

export interface LedgerOptions {
  readonly table?: ProcessTable;
  readonly warn?: (message: string, detail: Readonly<Record<string, unknown>>) => void;
}

/** `run`: this sidecar's, fresh at each start. Never throws. */
export function openLedger(storage: string, run: string, { table = processTable(systemTools), warn = () => undefined }: LedgerOptions = {}): Ledger {
  return new Ledger(folderOf(storage), run, table, warn);
}

export class Ledger implements ProcessLedger {
  readonly #file: string;
  readonly #run: string;
  readonly #table: ProcessTable;
  readonly #warn: NonNullable<LedgerOptions["warn"]>;
  readonly #living = new Set<number>();
  #children = 0;

  constructor(folder: string, run: string, table: ProcessTable, warn: NonNullable<LedgerOptions["warn"]>) {
    this.#run = run;
    this.#table = table;
    this.#warn = warn;
    const started = table.startOf(process.pid);
    this.#file = path.join(folder, `${process.pid}-${createHash("sha256").update(`${started} ${run}`).digest("hex").slice(0, 12)}.jsonl`);
    const owner: Owner = { pid: process.pid, started, run, host: hostname() };
    this.#try(() => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(this.#file, `${JSON.stringify({ owner })}\n`);
    });
  }

  nextRunId(): string { return childRunId(this.#run, ++this.#children); }

  started(pid: number, runId: string, command: string): ChildProcessRecord {
    const record = { pid, group: pid, started: this.#table.startOf(pid), runId, command };
    this.#living.add(pid);
    this.#write({ started: record });
    return record;
  }

  ended(pid: number): void {
    if (this.#living.delete(pid)) this.#write({ ended: pid });
  }

  kill({ group }: ChildProcessRecord): void { this.#table.signal({ group }, "SIGKILL"); }

  async end(record: ChildProcessRecord, how: Omit<ReapOptions, "table">): Promise<boolean> {
    return (await endAll({ records: [record] }, { table: this.#table, ...how })).length === 0;
  }

  /** After the last child was stopped. What could not be ended is left for the next sidecar. */
  close(): void {
    if (this.#living.size === 0) this.#try(() => unlinkSync(this.#file));
  }

  #write(line: object): void { this.#try(() => appendFileSync(this.#file, `${JSON.stringify(line)}\n`)); }

  #try(write: () => void): void {
    try { write(); }
    catch (error) { this.#warn("The list of started processes cannot be written: after a crash they may stay.", { file: this.#file, error: String(error) }); }
  }
}

/** Ends what dead sidecars left, and deletes their ledgers where nothing is left now. Other windows may do the same at the same time. */
export async function reapLeftOvers(storage: string, options: ReapOptions = systemOptions()): Promise<void> {
  const folder = folderOf(storage);
  const files = (await readdir(folder).catch(() => [])).filter(name => name.endsWith(".jsonl")).map(name => path.join(folder, name));
  if (files.length === 0) return;
  const living = await options.table.living();
  if (living.length === 0) return; // the system does not tell who lives: everybody may
  await Promise.all(files.map(file => reapLedger(file, living, options)));
}

async function reapLedger(file: string, living: readonly ProcessEntry[], options: ReapOptions): Promise<void> {
  const { owner, records } = readLedger(await readFile(file, "utf8").catch(() => ""));
  if (owner?.host !== hostname()) {
    if (await isForgotten(file)) await remove(file);
    return;
  }
  if (living.some(({ pid, started }) => pid === owner.pid && options.table.sameStart(started, owner.started))) return;
  const left = await endAll({ records, runs: [owner.run] }, options);
  if (left.length === 0) await remove(file);
}

interface Owner { readonly pid: number; readonly started: string; readonly run: string; readonly host: string }

/** The children that have started and not ended, by a ledger's text. No owner: its first line is missing or torn. */
export function readLedger(text: string): { readonly owner: Owner | undefined; readonly records: readonly ChildProcessRecord[] } {
  let owner: Owner | undefined;
  const living = new Map<number, ChildProcessRecord>();
  for (const line of text.split("\n")) {
    const entry = parse(line);
    owner ??= ownerIn(entry.owner);
    for (const record of recordsIn([entry.started])) living.set(record.pid, record);
    if (typeof entry.ended === "number") living.delete(entry.ended);
  }
  return { owner, records: [...living.values()] };
}

function parse(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : {};
  } catch { return {}; }
}

function ownerIn(value: unknown): Owner | undefined {
  if (!isObject(value)) return undefined;
  const { pid, started, run, host } = value;
  return typeof pid === "number" && typeof started === "string" && typeof run === "string" && run !== "" && typeof host === "string" ? { pid, started, run, host } : undefined;
}

function folderOf(storage: string): string { return path.join(storage, "processes"); }

/** Of a computer, or a container, that is no more. */
const FORGOTTEN_MS = 30 * 24 * 3600 * 1000;

async function isForgotten(file: string): Promise<boolean> {
  const modified = (await stat(file).catch(() => undefined))?.mtimeMs;
  return modified !== undefined && Date.now() - modified > FORGOTTEN_MS;
}

/** Somebody else may have been faster. */
async function remove(file: string): Promise<void> {
  await unlink(file).catch(() => undefined);
}
