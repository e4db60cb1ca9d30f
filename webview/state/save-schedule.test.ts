import { deepEqual, throws } from "node:assert/strict";
import { Saving } from "./save-schedule";
import { FakeClock } from "../testing/fake-clock";

suite("saving", () => {
  /** `cost`: milliseconds per save. `savedAt`: start times of the saves. */
  function saving(cost: number): { readonly clock: FakeClock; readonly saving: Saving; readonly savedAt: number[] } {
    const clock = new FakeClock(),
      savedAt: number[] = [];
    return {
      clock,
      savedAt,
      saving: new Saving(() => {
        savedAt.push(clock.time);
        clock.time += cost;
      }, clock),
    };
  }

  test("what costs nothing is saved at once, each time", () => {
    const { saving: each, savedAt } = saving(0);
    each.soon();
    each.soon();
    deepEqual(savedAt, [0, 0]);
  });

  test("what costs is saved at once after a pause, and else when twenty times the cost has passed, once for all requests", () => {
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

  test("what the user did is saved at once, whatever it costs and whatever waits", () => {
    const { saving: each, savedAt } = saving(5);
    each.soon();
    each.soon();
    each.now();
    each.now();
    deepEqual(savedAt, [0, 5, 10]);
  });

  test("what waits is saved before the page goes; where nothing waits, nothing is", () => {
    const { saving: each, savedAt } = saving(5);
    each.flush();
    each.soon();
    each.soon();
    each.flush();
    deepEqual(savedAt, [0, 5]);
  });

  test("a failure keeps nothing from being saved later", () => {
    const clock = new FakeClock();
    let failures = 1;
    const each = new Saving(() => {
      clock.time += 5;
      if (failures-- > 0) throw new Error("full");
    }, clock);
    throws(() => each.soon(), /full/);
    each.soon();
    clock.advance(100);
    deepEqual(failures, -1);
  });
});
