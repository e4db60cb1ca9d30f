import { deepEqual, equal } from "node:assert/strict";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { startHeartbeat, PROGRESS_MS } from "./progress";

suite("progress heartbeat", () => {
  test("repeats the last message until disposal and ignores later messages", () => {
    const clock = new FakeClock(),
      notifications: string[] = [],
      progress = startHeartbeat(clock, 1, "at work", ({ message }) => {
        notifications.push(message);
      });
    clock.advance(PROGRESS_MS);
    progress.report("half");
    clock.advance(PROGRESS_MS);
    progress[Symbol.dispose]();
    progress.report("late");
    deepEqual(notifications, ["at work", "half", "half"]);
    equal(clock.waiting, 0);
  });
});
