import { deepEqual, equal } from "node:assert/strict";
import type { InstallProgress } from "../../../src/protocol/agent-service";
import { FakeClock } from "../../testing/fake-clock";
import { ProgressTeller } from "./progress";

suite("installation progress", () => {
  test("is reported at each phase change, ten times per second, and finally", () => {
    const clock = new FakeClock(),
      told: InstallProgress[] = [];
    clock.advance(1000);
    const teller = new ProgressTeller(clock, step => {
      told.push(step);
    });
    for (let done = 0; done < 50; done++) {
      teller.tell({ phase: "downloading", done });
      clock.advance(10);
    }
    deepEqual(
      told.map(({ done }) => done),
      [0, 9, 19, 29, 39, 49],
    );
    teller.tell({ phase: "unpacking" });
    teller.tell({ phase: "unpacking", done: 1 });
    teller.tell({ phase: "unpacking", done: 2 });
    clock.advance(100);
    deepEqual(told.slice(6), [{ phase: "unpacking" }, { phase: "unpacking", done: 2 }]);
    teller.tell({ phase: "unpacking", done: 3 });
    teller.tell({ phase: "unpacking", done: 4 });
    teller[Symbol.dispose]();
    clock.advance(1000);
    equal(told.length, 8);
    equal(clock.waiting, 0);
  });
});
