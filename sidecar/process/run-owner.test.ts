import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import type { ProcessEntry } from "./process-list";
import { orphanedRuns, ownedRun, placeOf } from "./run-owner";
import { childRunId, newRun, runOf } from "./run-id";

const PLACE = placeOf("c", "/s/processes"),
  OTHER_PLACE = placeOf("c", "/t/processes");
const owner = (pid: number, started = `t${pid}`) => ({ pid, started });
const entry = (pid: number, runId?: string, started = `t${pid}`): ProcessEntry => ({
  pid,
  group: pid,
  started,
  ...(runId === undefined ? {} : { runId }),
});

suite("orphaned runs", () => {
  const run = ownedRun("R", owner(5), PLACE),
    child = childRunId(run, 1);

  test("belongs to a dead sidecar, once each", () => {
    deepEqual(orphanedRuns([entry(50, child), entry(51, childRunId(run, 2)), entry(52)], PLACE), [run]);
    deepEqual(orphanedRuns([entry(5), entry(50, child)], PLACE), []);
  });

  test("includes a run whose sidecar's pid is reused", () =>
    deepEqual(orphanedRuns([entry(5, undefined, "later"), entry(50, child)], PLACE), [run]));

  test("excludes other storage folders, computers, containers and runs without a mark", () => {
    deepEqual(orphanedRuns([entry(50, child)], OTHER_PLACE), []);
    deepEqual(orphanedRuns([entry(50, child)], placeOf("d", "/s/processes")), []);
    deepEqual(orphanedRuns([entry(50, "R.1"), entry(51, "R.owner-5-x-y.1"), entry(52, "")], PLACE), []);
  });

  test("excludes a sidecar with an unknown start time", () => equal(ownedRun("R", owner(5, ""), PLACE), "R"));

  test("includes a nested run whose own sidecar is dead", () => {
    const inner = ownedRun(newRun(child), owner(6), PLACE),
      grandchild = entry(60, childRunId(inner, 1));
    deepEqual(orphanedRuns([entry(5), grandchild], PLACE), [inner]);
    deepEqual(orphanedRuns([entry(6), grandchild], PLACE), [run]);
    deepEqual(orphanedRuns([grandchild], PLACE), [run, inner]);
    deepEqual([runOf(child), runOf(childRunId(inner, 1))], [run, inner]);
  });

  test("equals the runs of this place with running children and no running owner (property)", () => {
    const pid = fc.integer({ min: 2, max: 6 }),
      started = fc.constantFrom("a", "b");
    const place = fc.constantFrom(PLACE, OTHER_PLACE),
      children = fc.integer({ min: 0, max: 2 });
    const runs = fc.array(fc.record({ pid, started, place, children }), { maxLength: 5 });
    const living = fc.array(fc.record({ pid, started }), { maxLength: 5 });
    fc.assert(
      fc.property(runs, living, (runs, living) => {
        const known = runs.map((each, i) => ({
          ...each,
          run: ownedRun(`run${i}`, each, each.place),
          first: 100 * (i + 1),
        }));
        const processes = known.flatMap(({ run, children, first }) =>
          Array.from({ length: children }, (_, n) => entry(first + n, childRunId(run, n + 1))),
        );
        const all = [...living.map(({ pid, started }) => entry(pid, undefined, started)), ...processes];
        const isAlive = (item: { readonly pid: number; readonly started: string }): boolean =>
          living.some(({ pid, started }) => pid === item.pid && started === item.started);
        const expected = known.filter(each => each.children > 0 && each.place === PLACE && !isAlive(each));
        deepEqual(
          orphanedRuns(all, PLACE),
          expected.map(({ run }) => run),
        );
      }),
    );
  });
});
