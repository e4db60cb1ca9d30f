/**
 * Ends the remaining processes of dead sidecars, by their ledgers (`process-ledger.ts`) or by run ids.
 *
 * Invariants:
 * - The ledger of a living sidecar (same pid *and* start time) or of another computer is never touched.
 * - A torn or unknown line does not affect other lines.
 */
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { isObject, type JsonObject } from "../rpc/json";
import { endAll, recordsIn, systemOptions, type ReapOptions } from "./orphan-reaper";
import { folderOf, type Owner } from "./process-ledger";
import { orphanedRuns, placeOf } from "./run-owner";

/**
 * Ends the remaining processes of dead sidecars, recorded or not. Deletes each ledger without remaining processes.
 * Other windows may do this concurrently.
 */
export async function reapOrphans(storage: string, options: ReapOptions = systemOptions()): Promise<void> {
  await reapRecorded(storage, options);
  await reapUnrecorded(storage, options);
}

/** Ends those whose ledger exists. Does not list the processes of the system if all ledgers are of living sidecars. */
export async function reapRecorded(storage: string, options: ReapOptions = systemOptions()): Promise<void> {
  const { table } = options,
    host = hostname(),
    own = table.startOf(table.self.pid);
  const ledgers = filesIn(folderOf(storage)).map(file => ({ file, ...readLedger(textOf(file)) }));
  for (const { file, owner } of ledgers) if (owner?.host !== host && isForgotten(file)) remove(file);
  const others = ledgers.flatMap(({ file, owner, records }) =>
    owner?.host === host && !(owner.pid === table.self.pid && table.sameStart(own, owner.started))
      ? [{ file, owner, records }]
      : [],
  );
  if (others.length === 0) return;
  const living = await table.living([...new Set([table.self.pid, ...others.map(({ owner }) => owner.pid)])]);
  if (living.length === 0) return; // the system lists no processes, so any sidecar may be alive
  const isAlive = ({ pid, started }: Owner): boolean =>
    living.some(entry => entry.pid === pid && table.sameStart(entry.started, started));
  await Promise.all(
    others.map(async ({ file, owner, records }) => {
      if (isAlive(owner)) return;
      const remaining = await endAll({ records, runs: [owner.run] }, options);
      if (remaining.length === 0) remove(file);
    }),
  );
}

/** Ends those without a ledger, for example after a full disk, where run ids are readable. */
export async function reapUnrecorded(storage: string, options: ReapOptions = systemOptions()): Promise<void> {
  if (!options.table.showsRunIds) return;
  const runs = orphanedRuns(await options.table.living(), placeOf(options.table.computer, folderOf(storage)));
  if (runs.length > 0) await endAll({ records: [], runs }, options);
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(name => name.endsWith(".jsonl"))
      .map(name => path.join(folder, name));
  } catch {
    return [];
  }
}

/** Another sidecar may delete the file. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Parses the children that have started and not ended. `owner` is undefined if the first line is missing or torn. */
export function readLedger(text: string): {
  readonly owner: Owner | undefined;
  readonly records: readonly ChildProcessRecord[];
} {
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
  } catch {
    return {};
  }
}

function ownerIn(value: unknown): Owner | undefined {
  if (!isObject(value)) return undefined;
  const { pid, started, run, host } = value;
  return typeof pid === "number" &&
    typeof started === "string" &&
    typeof run === "string" &&
    run !== "" &&
    typeof host === "string"
    ? { pid, started, run, host }
    : undefined;
}

/** Maximum age of a ledger from another computer or container. */
const FORGOTTEN_MS = 30 * 24 * 3600 * 1000;

function isForgotten(file: string): boolean {
  const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return modified !== undefined && Date.now() - modified > FORGOTTEN_MS;
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    /* the next start retries */
  }
}
