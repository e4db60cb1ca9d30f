/**
 * Ends processes that have lost their owner: SIGTERM first, SIGKILL for those that remain.
 *
 * Invariants:
 * - A process is signalled only if its identity is proved, by the start time in a record or by the run id in its
 *   environment.
 * - The proof covers the process itself, members of a group that it leads, and its descendants.
 * - A recycled process id is never signalled, nor are the reaper, its ancestors, its group and its run.
 * - Several reapers can run concurrently.
 * - The operation is bounded.
 */
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { realClock, type Clock } from "../rpc/clock";
import { arrayOr, isObject } from "../rpc/json";
import { systemTools } from "./stdio-process";
import { processTable, type ProcessEntry, type ProcessTable } from "./process-list";
import { isOfRun, runOf } from "./run-id";

/**
 * Ends the children of a dead sidecar and all other processes of its run, recorded or not. Returns false when a process
 * remains.
 */
export async function reap(
  records: readonly ChildProcessRecord[],
  options: ReapOptions = systemOptions(),
): Promise<boolean> {
  return (
    (await endAll({ records, runs: [...new Set(records.map(({ runId }) => runOf(runId)))] }, options)).length === 0
  );
}

/** Processes to end. `runs`: all processes of these runs, recorded or not, where run ids are readable. */
export interface Suspects {
  readonly records: readonly ChildProcessRecord[];
  readonly runs?: readonly string[];
}

export interface ReapOptions {
  readonly table: ProcessTable;
  readonly clock: Clock;
  /** Time between SIGTERM and SIGKILL. Default: 1 s. */
  readonly killDelayMs?: number;
  /** Maximum total time. Default: 5 s. */
  readonly limitMs?: number;
  /** The groups in `records` belong to children that have just exited, so they are valid without a leader. */
  readonly justExited?: true;
}

const POLL_MS = 40;

export function systemOptions(): ReapOptions {
  return { table: processTable(systemTools), clock: realClock };
}

/** Resolves with the processes that remain: only those that the system itself cannot end. */
export async function endAll(
  suspects: Suspects,
  { table, clock, killDelayMs = 1000, limitMs = 5000, justExited }: ReapOptions,
): Promise<readonly ProcessEntry[]> {
  const began = clock.now();
  const known = new Map<number, string>();
  let killing = killDelayMs <= 0;
  let first = true;
  for (;;) {
    const all = await table.living();
    const found = processesOf(suspects, all, known, table, first && justExited === true);
    first = false;
    if (found.length === 0 || clock.now() - began >= limitMs) return found;
    for (const { pid, started } of found) known.set(pid, started);
    killing ||= clock.now() - began >= killDelayMs;
    signalAll(found, all, table, killing ? "SIGKILL" : "SIGTERM");
    await untilGone(found, { table, clock, until: began + (killing ? limitMs : killDelayMs) });
  }
}

/** Polls only `found`, which is cheap, until all have exited or the next signal is due. */
async function untilGone(
  found: readonly ProcessEntry[],
  { table, clock, until }: { table: ProcessTable; clock: Clock; until: number },
): Promise<void> {
  const pids = found.map(({ pid }) => pid);
  do {
    await new Promise<void>(resolve => {
      clock.after(Math.max(1, Math.min(POLL_MS, until - clock.now())), resolve);
    });
    const now = await table.living(pids);
    if (
      !found.some(entry => now.some(({ pid, started }) => pid === entry.pid && table.sameStart(started, entry.started)))
    )
      return;
  } while (clock.now() < until);
}

/**
 * Returns the processes in `all` that the suspects started, by the invariants above. `known`: start times of processes
 * found earlier.
 */
export function processesOf(
  { records, runs = [] }: Suspects,
  all: readonly ProcessEntry[],
  known: ReadonlyMap<number, string>,
  { self, sameStart }: Pick<ProcessTable, "self" | "sameStart">,
  justExited = false,
): readonly ProcessEntry[] {
  const isOurRun = (run: string): boolean => self.runId !== undefined && isOfRun(self.runId, run);
  const sought = records.filter(({ runId }) => !isOurRun(runId));
  const soughtRuns = [...new Set([...sought.map(({ runId }) => runId), ...runs.filter(run => !isOurRun(run))])];
  const recordedGroups = new Set(sought.map(({ group }) => group));
  const isProved = ({ pid, started, runId }: ProcessEntry): boolean =>
    sameStart(known.get(pid) ?? "", started) ||
    sought.some(record => record.pid === pid && sameStart(record.started, started)) ||
    (runId !== undefined && soughtRuns.some(run => isOfRun(runId, run)));
  const proved = withDescendants(all.filter(isProved), all, self.pid);
  const groups = new Set(
    [...proved].filter(({ pid, group }) => pid === group || recordedGroups.has(group)).map(({ group }) => group),
  );
  if (justExited) for (const group of recordedGroups) groups.add(group);
  return all.filter(
    entry =>
      entry.pid !== self.pid &&
      entry.pid > 1 &&
      (proved.has(entry) || (groups.has(entry.group) && entry.group !== self.group)),
  );
}

/** Includes processes that cleared their environment. Excludes the reaper's ancestors and their descendants. */
function withDescendants(
  proved: readonly ProcessEntry[],
  all: readonly ProcessEntry[],
  self: number,
): ReadonlySet<ProcessEntry> {
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent])),
    above = new Set<number>();
  for (let pid: number | undefined = self; pid !== undefined && !above.has(pid); pid = parents.get(pid)) above.add(pid);
  const found = new Set(proved);
  for (const { pid } of found) {
    const children = pid > 1 ? all.filter(entry => entry.parent === pid && !above.has(entry.pid)) : [];
    for (const child of children) found.add(child);
  }
  return found;
}

/**
 * Signals a whole group at once if all its members are found, so that none can fork in between. Otherwise signals each
 * process.
 */
function signalAll(
  found: readonly ProcessEntry[],
  all: readonly ProcessEntry[],
  table: ProcessTable,
  signal: "SIGTERM" | "SIGKILL",
): void {
  const groups = new Set(found.map(({ group }) => group));
  for (const group of groups) {
    const members = found.filter(entry => entry.group === group);
    if (group !== table.self.group && all.filter(entry => entry.group === group).length === members.length)
      table.signal({ group }, signal);
    else for (const { pid } of members) table.signal({ pid }, signal);
  }
}

/** Parses records from an untrusted source (a ledger, the host). Invalid records are dropped. */
export function recordsIn(value: unknown): readonly ChildProcessRecord[] {
  return arrayOr(value).flatMap(item => {
    if (!isObject(item)) return [];
    const { pid, group, started, runId, command } = item;
    if (!isId(pid) || !isId(group) || typeof started !== "string" || typeof runId !== "string" || runId === "")
      return [];
    return [{ pid, group, started, runId, command: typeof command === "string" ? command : "" }];
  });
}

/** 0 and 1 are never the group of a child, and have a special meaning for kill(2). */
function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 1;
}
