/**
 * Ends processes that have lost their owner: SIGTERM, and SIGKILL for those that stay.
 *
 * Invariants: nobody is signalled whose identity is not proved by the start time in a record or by the run id in its
 * environment, directly, as a member of a group that such a process leads or as a descendant of such a process; so a
 * recycled id is left alone, and so are the reaper itself, its ancestors, its group and its run. Several reapers at
 * once do no harm. The end is bounded.
 */
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { realClock, type Clock } from "../rpc/clock";
import { arrayOr, isObject } from "../rpc/json";
import { systemTools } from "./stdio-process";
import { processTable, type ProcessEntry, type ProcessTable } from "./process-list";
import { isOfRun, runOf } from "./run-id";

/**
 * Of a sidecar that is dead: ends its children and whatever else was started in its run, recorded or not. False when
 * something is left.
 */
export async function reap(
  records: readonly ChildProcessRecord[],
  options: ReapOptions = systemOptions(),
): Promise<boolean> {
  return (
    (await endAll({ records, runs: [...new Set(records.map(({ runId }) => runOf(runId)))] }, options)).length === 0
  );
}

/** Whom to look for. `runs`: everything that was started in them, recorded or not, wherever run ids can be read. */
export interface Suspects {
  readonly records: readonly ChildProcessRecord[];
  readonly runs?: readonly string[];
}

export interface ReapOptions {
  readonly table: ProcessTable;
  readonly clock: Clock;
  /** From SIGTERM to SIGKILL, 1 s unless told. */
  readonly patienceMs?: number;
  /** Until it is given up, 5 s unless told. */
  readonly limitMs?: number;
  /** The groups in `records` are known to be theirs now, though their leaders may be gone: they have just exited. */
  readonly justExited?: true;
}

const POLL_MS = 40;

export function systemOptions(): ReapOptions {
  return { table: processTable(systemTools), clock: realClock };
}

/** Resolves with the processes that would not go: none, but for what the system itself cannot end. */
export async function endAll(
  suspects: Suspects,
  { table, clock, patienceMs = 1000, limitMs = 5000, justExited }: ReapOptions,
): Promise<readonly ProcessEntry[]> {
  const began = clock.now();
  const known = new Map<number, string>();
  let killing = patienceMs <= 0;
  let first = true;
  for (;;) {
    const all = await table.living();
    const found = belonging(suspects, all, known, table, first && justExited === true);
    first = false;
    if (found.length === 0 || clock.now() - began >= limitMs) return found;
    for (const { pid, started } of found) known.set(pid, started);
    killing ||= clock.now() - began >= patienceMs;
    signalAll(found, all, table, killing ? "SIGKILL" : "SIGTERM");
    await untilGone(found, { table, clock, until: began + (killing ? limitMs : patienceMs) });
  }
}

/** Looks only at those, which is cheap, until they are gone or it is time for the next signal. */
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
 * Those of `all` that are suspects' descendants: see the invariants. `known`: start times of those that were found
 * before.
 */
export function belonging(
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

/** Also what cleared its environment. Not the reaper's own ancestors, nor what descends from them. */
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

/** A group at once where all its members are found, so that none forks away in between; else one by one. */
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

/** Records that somebody else wrote (a ledger, the host): those that are none are left out. */
export function recordsIn(value: unknown): readonly ChildProcessRecord[] {
  return arrayOr(value).flatMap(item => {
    if (!isObject(item)) return [];
    const { pid, group, started, runId, command } = item;
    if (!isId(pid) || !isId(group) || typeof started !== "string" || typeof runId !== "string" || runId === "")
      return [];
    return [{ pid, group, started, runId, command: typeof command === "string" ? command : "" }];
  });
}

/** 0 and 1 are never anybody's child group, and mean something else to kill(2). */
function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 1;
}
