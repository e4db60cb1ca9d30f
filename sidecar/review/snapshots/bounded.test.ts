import { deepEqual, equal, rejects } from "node:assert/strict";
import { mapBounded, slices } from "./bounded";

suite("bounded concurrency", () => {
  test("keeps the order of the items, and the limit", async () => {
    let running = 0,
      most = 0;
    const results = await mapBounded(3, [5, 1, 4, 2, 3, 0], async item => {
      most = Math.max(most, ++running);
      for (let i = 0; i < item; i++) await Promise.resolve();
      running--;
      return item * 2;
    });
    deepEqual(results, [10, 2, 8, 4, 6, 0]);
    equal(most, 3);
  });

  test("ends running work before it rejects, and begins no other", async () => {
    const done: number[] = [];
    const run = mapBounded(2, [0, 3, 9, 9], async item => {
      if (item === 0) throw new Error("full");
      for (let i = 0; i < item; i++) await Promise.resolve();
      done.push(item);
    });
    await rejects(run, /full/);
    deepEqual(done, [3]);
  });

  test("cuts a list into slices", () => {
    deepEqual(slices([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
    deepEqual(slices([], 2), []);
  });
});
