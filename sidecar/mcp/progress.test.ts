import { deepEqual, equal } from "node:assert/strict";
import { FakeClock } from "../testing/fake-clock";
import { beating, PROGRESS_MS } from "./progress";

suite("progress", () => {
  test("is told again and again until it is over; a late word begins nothing anew", () => {
    const clock = new FakeClock(),
      told: string[] = [],
      progress = beating(clock, 1, "at work", ({ message }) => {
        told.push(message);
      });
    clock.advance(PROGRESS_MS);
    progress.say("half");
    clock.advance(PROGRESS_MS);
    progress[Symbol.dispose]();
    progress.say("late");
    deepEqual(told, ["at work", "half", "half"]);
    equal(clock.waiting, 0);
  });
});
