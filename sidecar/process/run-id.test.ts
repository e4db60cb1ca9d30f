import { deepEqual, match, notEqual } from "node:assert/strict";
import { childRunId, isOfRun, newRun, runOf } from "./run-id";

suite("run id", () => {
  test("matches a nested run and its outer run, but no sibling", () => {
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

  test("is unique for the same parent", () => notEqual(newRun("a.1"), newRun("a.1")));
  test("has no prefix outside a run", () => match(newRun(), /^\d+-[0-9a-z]{16,}$/));
});
