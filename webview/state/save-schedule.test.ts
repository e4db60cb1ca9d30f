import { deepEqual, throws } from "node:assert/strict";
import { SaveSchedule } from "./save-schedule";
import { FakeClock } from "../../src/protocol/testing/fake-clock";

suite("save schedule", () => {
  /** `cost`: milliseconds per save. `savedAt`: start times of the saves. */
  function saving(cost: number): {
    readonly clock: FakeClock;
    readonly saving: SaveSchedule;
    readonly savedAt: number[];
  } {
    const clock = new FakeClock(),
      savedAt: number[] = [];
    return {
      clock,
      savedAt,
      saving: new SaveSchedule(() => {
        savedAt.push(clock.now());
        clock.spend(cost);
      }, clock),
    };
  }

  test("saves immediately if saving takes no time", () => {
    const { saving: each, savedAt } = saving(0);
    each.soon();
    each.soon();
    deepEqual(savedAt, [0, 0]);
  });

  test("waits for twenty times the cost and merges requests", () => {
    const { saving: each, clock, savedAt } = saving(5);
    each.soon();
    each.soon();
    each.soon();
    clock.advance(99);
    deepEqual(savedAt, [0]);
    clock.advance(1);
    deepEqual(savedAt, [0, 105]);
    clock.advance(1_000);
    deepEqual(savedAt, [0, 105]);
    each.soon();
    deepEqual(savedAt, [0, 105, 1_110]);
  });

  test("saves user actions immediately", () => {
    const { saving: each, savedAt } = saving(5);
    each.soon();
    each.soon();
    each.now();
    each.now();
    deepEqual(savedAt, [0, 5, 10]);
  });

  test("flushes a waiting save, and nothing otherwise", () => {
    const { saving: each, savedAt } = saving(5);
    each.flush();
    each.soon();
    each.soon();
    each.flush();
    deepEqual(savedAt, [0, 5]);
  });

  test("continues after a failed save", () => {
    const clock = new FakeClock();
    let failures = 1;
    const each = new SaveSchedule(() => {
      clock.spend(5);
      if (failures-- > 0) throw new Error("full");
    }, clock);
    throws(() => each.soon(), /full/);
    each.soon();
    clock.advance(100);
    deepEqual(failures, -1);
  });
});
