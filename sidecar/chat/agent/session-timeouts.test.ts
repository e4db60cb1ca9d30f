import { deepEqual, equal } from "node:assert/strict";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { SessionTimeouts } from "./session-timeouts";

class Fixture {
  readonly clock = new FakeClock();
  readonly notifications: string[] = [];
  asking = false;
  readonly timeouts = new SessionTimeouts(this.clock, () => this.asking);
  readonly notify = (event: object): void => {
    this.notifications.push(Object.values(event).join(" "));
  };
  wait(seconds: number): readonly string[] {
    this.clock.advance(seconds * 1000);
    return this.notifications.splice(0);
  }
}

suite("SessionTimeouts", () => {
  test("emits slow after 10 and 30 s of a start unless it waits for the user", () => {
    const fixture = new Fixture();
    fixture.timeouts.startOpening(fixture.notify);
    deepEqual(fixture.wait(9), []);
    deepEqual(fixture.wait(1), ["slow 10"]);
    deepEqual(fixture.wait(100), ["slow 30"]);
    fixture.asking = true;
    fixture.timeouts.startOpening(fixture.notify);
    deepEqual(fixture.wait(100), []);
    equal(fixture.clock.waiting, 0);
  });

  test("emits silent once, 3 minutes after the last update, unless it waits for the user", () => {
    const fixture = new Fixture();
    fixture.timeouts.startTurn(fixture.notify);
    deepEqual(fixture.wait(120), []);
    fixture.timeouts.onEvent();
    deepEqual(fixture.wait(179), []);
    fixture.asking = true;
    deepEqual(fixture.wait(600), []);
    fixture.asking = false;
    deepEqual(fixture.wait(180), ["silent 3"]);
    deepEqual(fixture.wait(600), []);
    equal(fixture.clock.waiting, 0);
  });

  test("emits cancelOverdue after 10 s and cancelGivenUp after 60 s", () => {
    const fixture = new Fixture();
    fixture.timeouts.startTurn(fixture.notify);
    fixture.timeouts.startCancelling(fixture.notify);
    deepEqual(fixture.wait(10), ["cancelOverdue"]);
    deepEqual(fixture.wait(50), ["cancelGivenUp"]);
    deepEqual(fixture.wait(600), []);
  });

  test("emits nothing after disposal", () => {
    const fixture = new Fixture();
    for (const wait of [fixture.timeouts.startOpening, fixture.timeouts.startTurn, fixture.timeouts.startCancelling]) {
      wait.call(fixture.timeouts, fixture.notify);
      fixture.timeouts[Symbol.dispose]();
      deepEqual(fixture.wait(600), []);
      equal(fixture.clock.waiting, 0);
    }
  });
});
