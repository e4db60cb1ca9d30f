import { deepEqual, equal } from "node:assert/strict";
import type { InstallProgress } from "../../../src/protocol/agents/agent-service";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { ProgressThrottle } from "./progress";

suite("installation progress", () => {
  test("is reported at each phase change, ten times per second, and finally", () => {
    const clock = new FakeClock(),
      notifications: InstallProgress[] = [];
    clock.advance(1000);
    const teller = new ProgressThrottle(clock, step => {
      notifications.push(step);
    });
    for (let done = 0; done < 50; done++) {
      teller.notify({ phase: "downloading", done });
      clock.advance(10);
    }
    deepEqual(
      notifications.map(({ done }) => done),
      [0, 9, 19, 29, 39, 49],
    );
    teller.notify({ phase: "unpacking" });
    teller.notify({ phase: "unpacking", done: 1 });
    teller.notify({ phase: "unpacking", done: 2 });
    clock.advance(100);
    deepEqual(notifications.slice(6), [{ phase: "unpacking" }, { phase: "unpacking", done: 2 }]);
    teller.notify({ phase: "unpacking", done: 3 });
    teller.notify({ phase: "unpacking", done: 4 });
    teller[Symbol.dispose]();
    clock.advance(1000);
    equal(notifications.length, 8);
    equal(clock.waiting, 0);
  });
});
