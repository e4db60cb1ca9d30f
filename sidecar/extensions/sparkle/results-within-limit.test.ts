import { deepEqual, equal } from "node:assert/strict";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { inTime } from "./results-within-limit";
import { turn } from "../../testing/turn";

const never = new Promise<never>(() => undefined),
  { signal } = new AbortController();

suite("inTime", () => {
  test("resolves immediately when everything is available", async () => {
    const clock = new FakeClock();
    deepEqual(
      await inTime(
        new Map<string, Promise<number | undefined>>([
          ["a", Promise.resolve(1)],
          ["b", Promise.resolve(undefined)],
        ]),
        3_000,
        clock,
        signal,
      ),
      { there: [1], late: [] },
    );
    equal(clock.waiting, 0);
  });

  test("lists the late items in the requested order", async () => {
    const clock = new FakeClock(),
      waiting = inTime(
        new Map<string, Promise<number>>([
          ["a", never],
          ["b", turn().then(() => 2)],
          ["c", never],
          ["d", Promise.resolve(4)],
        ]),
        3_000,
        clock,
        signal,
      );
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    await turn();
    clock.advance(2_999);
    await turn();
    equal(isOver, false);
    clock.advance(1);
    deepEqual(await waiting, { there: [2, 4], late: ["a", "c"] });
  });

  for (const when of ["before", "while"])
    test(`resolves immediately if aborted ${when} the start`, async () => {
      const clock = new FakeClock(),
        controller = new AbortController();
      if (when === "before") controller.abort();
      const waiting = inTime(new Map([["a", never]]), 3_000, clock, controller.signal);
      controller.abort();
      deepEqual(await waiting, { there: [], late: ["a"] });
      equal(clock.waiting, 0);
    });
});
