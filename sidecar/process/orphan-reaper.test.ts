import { deepEqual, equal } from "node:assert/strict";
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import type { ProcessEntry, ProcessTable, Target } from "./process-list";
import { processesOf, endAll, reap, recordsIn, type ReapOptions, type Suspects } from "./orphan-reaper";

const record = (pid: number, { started = `t${pid}`, runId = "R.1" } = {}): ChildProcessRecord => ({
  pid,
  group: pid,
  started,
  runId,
  command: "agent",
});
const entry = (pid: number, group: number, runId?: string, started = `t${pid}`): ProcessEntry => ({
  pid,
  group,
  started,
  ...(runId === undefined ? {} : { runId }),
});
const run: Suspects = { records: [], runs: ["R"] };
const child = (pid: number, parent: number): ProcessEntry => ({ ...entry(pid, pid), parent });
const sameStart = (a: string, b: string): boolean => a !== "" && a === b;
const self = { pid: 2, group: 2 };

const found = (
  suspects: Suspects,
  all: readonly ProcessEntry[],
  who: ProcessTable["self"] = self,
  justExited = false,
): readonly number[] =>
  processesOf(suspects, all, new Map(), { self: who, sameStart }, justExited).map(({ pid }) => pid);

suite("orphan selection", () => {
  test("includes a process with the recorded start time, and its group", () =>
    deepEqual(found({ records: [record(50)] }, [entry(50, 50), entry(51, 50), entry(60, 60)]), [50, 51]));
  test("excludes a process that reuses the pid", () =>
    deepEqual(found({ records: [record(50)] }, [entry(50, 50, undefined, "later"), entry(51, 50)]), []));
  test("excludes a process with an unknown start time", () =>
    deepEqual(found({ records: [record(50, { started: "" })] }, [entry(50, 50, undefined, "")]), []));
  test("excludes a process of another run that reuses the pid", () =>
    deepEqual(found({ records: [record(50)] }, [entry(50, 50, "S.1", "later")]), []));
  test("includes a group without leader if a member has the run id", () =>
    deepEqual(found({ records: [record(50)] }, [entry(51, 50, "R.1"), entry(52, 50)]), [51, 52]));
  test("excludes a group without leader and without a run id", () =>
    deepEqual(found({ records: [record(50)] }, [entry(51, 50)]), []));
  test("includes the group of a leader that just exited", () =>
    deepEqual(found({ records: [record(50)] }, [entry(51, 50), entry(60, 60)], self, true), [51]));
  test("includes a process with the run id that left the group, and the group that it leads", () =>
    deepEqual(
      found({ records: [record(50)] }, [entry(70, 70, "R.1"), entry(71, 70), entry(80, 2000, "R.1"), entry(81, 2000)]),
      [70, 71, 80],
    ));
  test("excludes processes of another child of the same sidecar", () =>
    deepEqual(found({ records: [record(50)] }, [entry(70, 70, "R.2"), entry(71, 71, "R.11"), entry(72, 72, "R")]), []));
  test("includes the whole requested run, recorded or not", () =>
    deepEqual(
      found({ records: [], runs: ["R"] }, [
        entry(70, 70, "R.2"),
        entry(71, 71, "R"),
        entry(72, 72, "RR.1"),
        entry(73, 73, "S.1"),
      ]),
      [70, 71],
    ));
  test("excludes the reaper and its group", () =>
    deepEqual(
      found({ records: [record(50)], runs: ["R"] }, [entry(2, 50, "R.1"), entry(3, 50), entry(50, 50)], {
        pid: 2,
        group: 50,
      }),
      [50],
    ));
  test("excludes the run that contains the reaper", () =>
    deepEqual(
      found({ records: [record(50)], runs: ["R"] }, [entry(50, 50, "R.1"), entry(70, 70, "R.1")], {
        pid: 2,
        group: 2,
        runId: "R.1",
      }),
      [],
    ));
  test("excludes init and its children", () =>
    deepEqual(found({ records: [], runs: ["R"] }, [entry(1, 1, "R.1"), child(60, 1)]), []));
  test("includes descendants without the run id outside the group", () =>
    deepEqual(found(run, [entry(50, 50, "R.1"), child(60, 50), child(70, 60), child(80, 1)]), [50, 60, 70]));
  test("excludes the reaper's ancestors and their other children", () =>
    deepEqual(found(run, [entry(50, 50, "R.1"), child(60, 50), child(61, 60), child(2, 60), child(90, 2)]), [50]));
  test("validates records before use", () =>
    deepEqual(
      recordsIn([
        record(50),
        { ...record(51), group: 1 },
        { ...record(52), pid: "52" },
        { ...record(53), runId: "" },
        { ...record(54), started: 5 },
        null,
        { ...record(-55) },
      ]),
      [record(50)],
    ));
});

/** Simulated processes, which end by a signal unless they are stubborn or immortal, and the recorded signals. */
function fixture(all: ProcessEntry[], stubborn: readonly number[] = [], immortal: readonly number[] = []) {
  const signals: string[] = [];
  const clock = new FakeClock();
  const isTarget = ({ pid, group }: ProcessEntry, target: Target): boolean =>
    "pid" in target ? target.pid === pid : target.group === group;
  const table: ProcessTable = {
    computer: "c",
    showsRunIds: true,
    self,
    sameStart,
    startOf: pid => `t${pid}`,
    cpuSeconds: async () => undefined,
    living: async pids => all.filter(({ pid }) => !pids || pids.includes(pid)),
    signal: (target, signal) => {
      signals.push(`${signal} ${JSON.stringify(target)}`);
      const dead = all.filter(
        each =>
          isTarget(each, target) &&
          !immortal.includes(each.pid) &&
          (signal === "SIGKILL" || !stubborn.includes(each.pid)),
      );
      for (const each of dead) all.splice(all.indexOf(each), 1);
    },
  };
  /** Awaits `work` and advances the clock whenever the event loop is idle. */
  const run = async <T>(work: Promise<T>): Promise<T> => {
    let done = false;
    void work.finally(() => {
      done = true;
    });
    while (!done) {
      await new Promise(resolve => {
        setImmediate(resolve);
      });
      if (!done && clock.waiting > 0) clock.advance(10);
    }
    return work;
  };
  const options: ReapOptions = { table, clock };
  return { signals, clock, options, run };
}

suite("reap", () => {
  test("sends SIGTERM and resolves when the processes exited", async () => {
    const { signals, clock, options, run } = fixture([entry(50, 50), entry(51, 50), entry(60, 60)]);
    equal(await run(reap([record(50)], options)), true);
    deepEqual(signals, ['SIGTERM {"group":50}']);
    equal(clock.waiting, 0);
    equal(clock.now() < 200, true);
  });
  test("sends SIGKILL to remaining processes after one second", async () => {
    const { signals, clock, options, run } = fixture([entry(50, 50), entry(51, 50), entry(70, 70, "R.1")], [51]);
    equal(await run(reap([record(50)], options)), true);
    deepEqual(signals, ['SIGTERM {"group":50}', 'SIGTERM {"group":70}', 'SIGKILL {"group":50}']);
    equal(clock.now() >= 1000 && clock.now() < 1300, true);
  });
  test("sends SIGTERM once and keeps tracking known groups without their leader", async () => {
    const all = [entry(50, 50), entry(51, 50)];
    const { signals, clock, options, run } = fixture(all, [51]);
    clock.after(100, () => all.push(entry(52, 50)));
    equal(await run(reap([record(50)], options)), true);
    deepEqual(
      signals.filter(signal => signal.startsWith("SIGTERM")),
      ['SIGTERM {"group":50}'],
    );
    deepEqual(all, []);
  });
  test("signals single processes in a group with unrelated members", async () => {
    const { signals, options, run } = fixture([entry(80, 2000, "R.1"), entry(81, 2000)]);
    await run(reap([record(50)], options));
    deepEqual(signals, ['SIGTERM {"pid":80}']);
  });
  test("returns false after five seconds", async () => {
    const { clock, options, run } = fixture([entry(50, 50)], [], [50]);
    equal(await run(reap([record(50)], options)), false);
    equal(clock.now() >= 5000 && clock.now() < 5200, true);
    equal(clock.waiting, 0);
  });
  test("ends the whole run of a dead sidecar, and only one child's of a running one", async () => {
    const others = [entry(90, 90, "R.2")];
    const dead = fixture([...others]);
    await dead.run(reap([record(50)], dead.options));
    deepEqual(dead.signals, ['SIGTERM {"group":90}']);
    const alive = fixture([...others]);
    await alive.run(endAll({ records: [record(50)] }, alive.options));
    deepEqual(alive.signals, []);
  });
  test("ends the group of a child that has just exited", async () => {
    const { options, run, signals } = fixture([entry(51, 50)]);
    deepEqual(await run(endAll({ records: [record(50)] }, { ...options, justExited: true })), []);
    deepEqual(signals, ['SIGTERM {"group":50}']);
  });
  test("is safe to run twice concurrently", async () => {
    const { options, run } = fixture([entry(50, 50), entry(51, 50)], [51]);
    deepEqual(await run(Promise.all([reap([record(50)], options), reap([record(50)], options)])), [true, true]);
  });
});
