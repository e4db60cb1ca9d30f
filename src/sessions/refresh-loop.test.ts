import fc from "fast-check";
import { deepEqual, equal, ok } from "node:assert/strict";
import { deferred, type Deferred } from "../protocol/wire/deferred";
import { FakeClock } from "../protocol/testing/fake-clock";
import { settled } from "../testing/settled";
import { MIN_PAUSE_MS, RefreshLoop, step, type RefreshEvent, type RefreshState } from "./refresh-loop";

function fixture() {
  const clock = new FakeClock(),
    requests: Deferred<void>[] = [],
    loop = new RefreshLoop(clock, () => {
      const request = deferred<void>();
      requests.push(request);
      return request.promise;
    });
  const finish = async (durationMs = 0): Promise<void> => {
    clock.spend(durationMs);
    requests.at(-1)?.resolve();
    await settled();
  };
  return { clock, requests, loop, finish };
}

suite("RefreshLoop", () => {
  test("requests at once and again after a pause", async () => {
    const { clock, requests, loop, finish } = fixture();
    loop.activate(true);
    loop.activate(true);
    equal(requests.length, 1);
    await finish();
    clock.advance(MIN_PAUSE_MS - 1);
    equal(requests.length, 1);
    clock.advance(1);
    equal(requests.length, 2);
  });

  test("pauses twenty times as long as a slow request", async () => {
    const { clock, requests, loop, finish } = fixture();
    loop.activate(true);
    await finish(1_000);
    clock.advance(19_999);
    equal(requests.length, 1);
    clock.advance(1);
    equal(requests.length, 2);
  });

  test("stops when the user looks away, also during a request", async () => {
    const { clock, requests, loop, finish } = fixture();
    loop.activate(true);
    await finish();
    loop.activate(false);
    equal(clock.waiting, 0);
    loop.activate(true);
    loop.activate(false);
    await finish();
    equal(clock.waiting, 0);
    equal(requests.length, 2);
    loop.activate(true);
    loop.activate(false);
    loop.activate(true);
    await finish();
    equal(clock.waiting, 1);
    loop.dispose();
    equal(clock.waiting, 0);
  });

  test("requests immediately for the user, once while paused", async () => {
    const { clock, requests, loop, finish } = fixture();
    loop.request();
    loop.request();
    equal(requests.length, 1);
    await finish();
    equal(clock.waiting, 0);
    loop.activate(true);
    await finish();
    loop.request();
    equal(requests.length, 3);
    equal(clock.waiting, 0);
    await finish();
    equal(clock.waiting, 1);
  });

  test("has at most one request or one timer, and none while paused (property)", () => {
    const event: fc.Arbitrary<RefreshEvent["kind"]> = fc.constantFrom(
      "activated",
      "deactivated",
      "requested",
      "due",
      "finished",
    );
    fc.assert(
      fc.property(fc.array(event), kinds => {
        let state: RefreshState = { kind: "paused" },
          requests = 0,
          timers = 0;
        for (const kind of kinds) {
          if ((kind === "finished" && requests === 0) || (kind === "due" && timers === 0)) continue;
          if (kind === "finished") requests--;
          if (kind === "due") timers--;
          const [after, effects] = step(state, kind === "finished" ? { kind, durationMs: 0 } : { kind });
          state = after;
          for (const effect of effects)
            if (effect.kind === "refresh") requests++;
            else timers += effect.kind === "startTimer" ? 1 : -1;
          ok(requests >= 0 && timers >= 0 && requests + timers <= 1);
          deepEqual(
            [requests, timers],
            { paused: [0, 0], refreshing: [1, 0], finishing: [1, 0], waiting: [0, 1] }[state.kind],
          );
        }
      }),
    );
  });
});
