import { equal, ok } from "node:assert/strict";
import { loadFactor, timeLimit } from "./time-limits.mjs";

suite("test time limits", () => {
  test("scales with the load per core within bounds", () => {
    const factors = [
      [0, 2],
      [2, 2],
      [3, 2],
      [40, 2],
      [400, 2],
      [40, 64],
    ].map(([load = 0, cores = 1]) => loadFactor(load, cores));
    equal(factors.join(" "), "1 1 1.5 20 20 1");
  });

  test("is never shorter than on an idle machine", () => ok(timeLimit(1_000) >= 1_000));
});
