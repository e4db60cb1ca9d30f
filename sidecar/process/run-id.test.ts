import { deepEqual, match, notEqual } from "node:assert/strict";
import { childRunId, isOfRun, newRun, runOf } from "./run-id";

suite("run ids", () => {
  test("what a child of a child started, in a run of its own, is of both runs, and of no other child", () => {
    const outer = newRun(),
      child = childRunId(outer, 1),
      inner = newRun(child),
      grandchild = childRunId(inner, 1);
    deepEqual(
      [outer, child, inner].map(run => isOfRun(grandchild, run)),
      [true, true, true],
    );
    deepEqual(
      [childRunId(outer, 11), childRunId(outer, 2), newRun(child), newRun()].map(run => isOfRun(grandchild, run)),
      [false, false, false, false],
    );
    deepEqual([isOfRun(childRunId(outer, 11), child), isOfRun(outer, child)], [false, false]);
    deepEqual([runOf(grandchild), runOf(child)], [inner, outer]);
  });

  test("two that were started by the same are two runs", () => notEqual(newRun("a.1"), newRun("a.1")));
  test("outside of any run it has no prefix", () => match(newRun(), /^[0-9a-f-]{36}$/));
});
