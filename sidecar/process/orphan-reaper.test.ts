import { deepEqual, equal } from "node:assert/strict";
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { FakeClock } from "../testing/fake-clock";
import type { ProcessEntry, ProcessTable, Target } from "./process-list";
import { belonging, endAll, reap, recordsIn, type ReapOptions, type Suspects } from "./orphan-reaper";

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
): readonly number[] => belonging(suspects, all, new Map(), { self: who, sameStart }, justExited).map(({ pid }) => pid);

suite("who is reaped", () => {
  test("a process with the start time of its record, and its group", () =>
    deepEqual(found({ records: [record(50)] }, [entry(50, 50), entry(51, 50), entry(60, 60)]), [50, 51]));
  test("not one that has its pid since", () =>
    deepEqual(found({ records: [record(50)] }, [entry(50, 50, undefined, "later"), entry(51, 50)]), []));
  test("not one whose start time nobody knows", () =>
    deepEqual(found({ records: [record(50, { started: "" })] }, [entry(50, 50, undefined, "")]), []));
  test("not one of another run that has its pid since", () =>
    deepEqual(found({ records: [record(50)] }, [entry(50, 50, "S.1", "later")]), []));
  test("a group whose leader is gone, where a member proves the run", () =>
    deepEqual(found({ records: [record(50)] }, [entry(51, 50, "R.1"), entry(52, 50)]), [51, 52]));
  test("not a group whose leader is gone, without a proof", () =>
    deepEqual(found({ records: [record(50)] }, [entry(51, 50)]), []));
  test("unless the leader has just exited", () =>
    deepEqual(found({ records: [record(50)] }, [entry(51, 50), entry(60, 60)], self, true), [51]));
  test("who left the group, by the run id in the environment, with the group it leads", () =>
    deepEqual(
      found({ records: [record(50)] }, [entry(70, 70, "R.1"), entry(71, 70), entry(80, 2000, "R.1"), entry(81, 2000)]),
      [70, 71, 80],
    ));
  test("not what another child of the same sidecar has started", () =>
    deepEqual(found({ records: [record(50)] }, [entry(70, 70, "R.2"), entry(71, 71, "R.11"), entry(72, 72, "R")]), []));
  test("the whole run where it is asked for, recorded or not", () =>
    deepEqual(
      found({ records: [], runs: ["R"] }, [
        entry(70, 70, "R.2"),
        entry(71, 71, "R"),
        entry(72, 72, "RR.1"),
        entry(73, 73, "S.1"),
      ]),
      [70, 71],
    ));
  test("never the reaper, nor its group", () =>
    deepEqual(
      found({ records: [record(50)], runs: ["R"] }, [entry(2, 50, "R.1"), entry(3, 50), entry(50, 50)], {
        pid: 2,
        group: 50,
      }),
      [50],
    ));
  test("never the run that the reaper itself was started in", () =>
    deepEqual(
      found({ records: [record(50)], runs: ["R"] }, [entry(50, 50, "R.1"), entry(70, 70, "R.1")], {
        pid: 2,
        group: 2,
        runId: "R.1",
      }),
      [],
    ));
  test("never init, whatever it looks like, nor its children", () =>
    deepEqual(found({ records: [], runs: ["R"] }, [entry(1, 1, "R.1"), child(60, 1)]), []));
  test("descendants that have cleared their environment and left the group", () =>
    deepEqual(found(run, [entry(50, 50, "R.1"), child(60, 50), child(70, 60), child(80, 1)]), [50, 60, 70]));
  test("not the reaper's own ancestors, nor what else they have started", () =>
    deepEqual(found(run, [entry(50, 50, "R.1"), child(60, 50), child(61, 60), child(2, 60), child(90, 2)]), [50]));
  test("records of others are looked at before they are believed", () =>
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
  const isHit = ({ pid, group }: ProcessEntry, target: Target): boolean =>
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
          isHit(each, target) && !immortal.includes(each.pid) && (signal === "SIGKILL" || !stubborn.includes(each.pid)),
      );
      for (const each of dead) all.splice(all.indexOf(each), 1);
    },
  };
  /** Awaits `work` and advances the clock whenever nothing else happens. */
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

suite("reaping", () => {
  test("asks first, and is done when they are gone", async () => {
    const { signals, clock, options, run } = fixture([entry(50, 50), entry(51, 50), entry(60, 60)]);
    equal(await run(reap([record(50)], options)), true);
    deepEqual(signals, ['SIGTERM {"group":50}']);
    equal(clock.waiting, 0);
    equal(clock.now() < 200, true);
  });
  test("kills those that stay, after a second", async () => {
    const { signals, clock, options, run } = fixture([entry(50, 50), entry(51, 50), entry(70, 70, "R.1")], [51]);
    equal(await run(reap([record(50)], options)), true);
    deepEqual(signals, ['SIGTERM {"group":50}', 'SIGTERM {"group":70}', 'SIGKILL {"group":50}']);
    equal(clock.now() >= 1000 && clock.now() < 1300, true);
  });
  test("asks each once; when the proof is gone, those it has seen are proof of who came meanwhile", async () => {
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
  test("one by one where a group has members that are not meant", async () => {
    const { signals, options, run } = fixture([entry(80, 2000, "R.1"), entry(81, 2000)]);
    await run(reap([record(50)], options));
    deepEqual(signals, ['SIGTERM {"pid":80}']);
  });
  test("gives up after five seconds and says so", async () => {
    const { clock, options, run } = fixture([entry(50, 50)], [], [50]);
    equal(await run(reap([record(50)], options)), false);
    equal(clock.now() >= 5000 && clock.now() < 5200, true);
    equal(clock.waiting, 0);
  });
  test("takes the whole run when its sidecar is dead, and one child's when it lives", async () => {
    const others = [entry(90, 90, "R.2")];
    const dead = fixture([...others]);
    await dead.run(reap([record(50)], dead.options));
    deepEqual(dead.signals, ['SIGTERM {"group":90}']);
    const alive = fixture([...others]);
    await alive.run(endAll({ records: [record(50)] }, alive.options));
    deepEqual(alive.signals, []);
  });
  test("two at once do no harm", async () => {
    const { options, run } = fixture([entry(50, 50), entry(51, 50)], [51]);
    deepEqual(await run(Promise.all([reap([record(50)], options), reap([record(50)], options)])), [true, true]);
  });
});
