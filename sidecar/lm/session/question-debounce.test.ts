import { deepEqual, equal } from "node:assert/strict";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { MAX_MS, QuestionDebounce, QUIET_MS } from "./question-debounce";

suite("question debounce", () => {
  function fixture(): { readonly clock: FakeClock; readonly debounce: QuestionDebounce; readonly over: number[] } {
    const clock = new FakeClock(),
      over: number[] = [];
    return { clock, over, debounce: new QuestionDebounce(clock, () => over.push(clock.now())) };
  }

  test("completes the response a fixed time after the last question", () => {
    const { clock, debounce, over } = fixture();
    debounce.begin();
    clock.advance(QUIET_MS - 1);
    debounce.begin();
    clock.advance(QUIET_MS - 1);
    deepEqual(over, []);
    clock.advance(1);
    deepEqual(over, [2 * QUIET_MS - 1]);
    equal(clock.waiting, 0);
  });

  test("extends the time for an announcement, up to a maximum", () => {
    const { clock, debounce, over } = fixture();
    debounce.begin();
    for (let i = 0; i < 100; i++) {
      clock.advance(20);
      if (over.length === 0) debounce.prolong();
    }
    deepEqual(over, [MAX_MS]);
  });

  test("does not start for an announcement alone and does not end twice", () => {
    const { clock, debounce, over } = fixture();
    debounce.prolong();
    debounce.begin();
    debounce.end();
    debounce.prolong();
    clock.advance(1000);
    deepEqual(over, []);
    debounce.begin();
    debounce[Symbol.dispose]();
    equal(clock.waiting, 0);
  });

  test("starts a new time for the next response", () => {
    const { clock, debounce, over } = fixture();
    debounce.begin();
    clock.advance(MAX_MS);
    debounce.begin();
    clock.advance(QUIET_MS - 1);
    equal(over.length, 1);
    clock.advance(1);
    equal(over.length, 2);
  });
});
