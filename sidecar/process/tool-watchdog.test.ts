import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { isWorking, ToolWatchdog } from "./tool-watchdog";

const MINUTE = 60_000,
  QUIET_MS = 10 * MINUTE;

class Fixture {
  readonly clock = new FakeClock();
  cpu: number | undefined = 0;
  expired = 0;
  readonly watch = new ToolWatchdog({
    clock: this.clock,
    quietMs: QUIET_MS,
    cpuSeconds: async () => this.cpu,
    expired: () => {
      this.expired++;
    },
  });

  /** Advances minute by minute. The tool uses `secondsEach` CPU seconds per minute. */
  async pass(minutes: number, secondsEach: number): Promise<void> {
    for (let i = 0; i < minutes; i++) {
      if (this.cpu !== undefined) this.cpu += secondsEach;
      this.clock.advance(MINUTE);
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
  }
}

suite("ToolWatch", () => {
  test("does not expire during a silent build while its processes use the CPU", async () => {
    const build = new Fixture();
    await build.pass(180, 60);
    equal(build.expired, 0);
    build.watch.end();
    equal(build.clock.waiting, 0);
  });

  test("expires within twice the limit after the CPU use ends", async () => {
    const build = new Fixture();
    await build.pass(60, 60);
    await build.pass(20, 0);
    deepEqual([build.expired, build.clock.waiting], [1, 0]);
  });

  test("expires after the limit without CPU use or without system information", async () => {
    const idle = new Fixture(),
      unknown = new Fixture();
    unknown.cpu = undefined;
    await idle.pass(9, 0.1);
    await unknown.pass(9, 0);
    deepEqual([idle.expired, unknown.expired], [0, 0]);
    await idle.pass(1, 0.1);
    await unknown.pass(1, 0);
    deepEqual([idle.expired, unknown.expired], [1, 1]);
  });

  test("measures the silence from the last output", async () => {
    const tool = new Fixture();
    await tool.pass(9, 0);
    tool.watch.onEvent();
    await tool.pass(9, 0);
    equal(tool.expired, 0);
    await tool.pass(1, 0);
    equal(tool.expired, 1);
  });

  test("does not expire after its end, even during a measurement", async () => {
    const tool = new Fixture();
    tool.clock.advance(QUIET_MS);
    tool.watch.end();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    deepEqual([tool.expired, tool.clock.waiting], [0, 0]);
  });

  test("treats less than a hundredth of a CPU as idle, and exited processes as activity", () => {
    deepEqual(
      [
        isWorking(10, 15.9, QUIET_MS),
        isWorking(10, 16, QUIET_MS),
        isWorking(10, 3, QUIET_MS),
        isWorking(10, undefined, QUIET_MS),
      ],
      [false, true, true, false],
    );
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.integer({ min: 1, max: 1e9 }),
        (before, remaining, ms) =>
          !isWorking(before, before, ms) &&
          (remaining < (ms / 1000) * 0.02 || isWorking(before, before + remaining, ms)),
      ),
    );
  });
});
