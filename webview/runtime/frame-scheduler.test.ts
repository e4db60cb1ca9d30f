import { deepEqual, equal, throws } from "node:assert/strict";
import { FrameScheduler, MIN_PAUSE_MS } from "./frame-scheduler";
import { FakeClock } from "../../src/protocol/testing/fake-clock";

/** A clock and animation frames that the test controls. */
class Stage extends FakeClock {
  readonly frames: (() => void)[] = [];
  frame(): void {
    this.frames.splice(0).forEach(callback => callback());
  }
}

function scheduled(draw: (stage: Stage) => void): {
  readonly stage: Stage;
  readonly scheduler: FrameScheduler;
  readonly drawnAt: number[];
} {
  const stage = new Stage();
  const drawnAt: number[] = [];
  const scheduler = new FrameScheduler(
    () => {
      drawnAt.push(stage.now());
      draw(stage);
    },
    stage,
    callback => {
      stage.frames.push(callback);
    },
  );
  return { stage, scheduler, drawnAt };
}

suite("FrameScheduler", () => {
  test("merges requests into the next frame", () => {
    const { stage, scheduler, drawnAt } = scheduled(() => undefined);
    for (let i = 0; i < 5; i++) scheduler.request();
    stage.frame();
    stage.frame();
    deepEqual(drawnAt, [0]);
  });

  test("waits for the minimum pause or four times the last cost", () => {
    let cost = 0;
    const { stage, scheduler, drawnAt } = scheduled(s => {
      s.spend(cost);
    });
    const next = (ms: number) => {
      scheduler.request();
      stage.advance(ms);
      stage.frame();
      return drawnAt.length;
    };
    deepEqual([next(0), next(0)], [1, 2]);
    equal(next(MIN_PAUSE_MS - 1), 2);
    cost = 40;
    equal(next(1), 3);
    equal(next(4 * 40 - 1), 3);
    equal(next(1), 4);
  });

  test("draws the second part of a change at once, and the later parts of a burst after pauses", () => {
    const { stage, scheduler, drawnAt } = scheduled(() => undefined);
    for (let ms = 0; ms < 2.5 * MIN_PAUSE_MS; ms += 10) {
      scheduler.request();
      stage.frame();
      stage.advance(10);
    }
    stage.frame();
    stage.advance(2 * MIN_PAUSE_MS);
    scheduler.request();
    stage.frame();
    deepEqual(drawnAt, [0, 10, 160, 310, 680]);
  });

  test("draws a request made during a drawing afterwards", () => {
    const { stage, scheduler, drawnAt } = scheduled(() => {
      if (drawnAt.length === 1) scheduler.request();
    });
    scheduler.request();
    stage.frame();
    equal(drawnAt.length, 1);
    stage.frame();
    equal(drawnAt.length, 2);
    stage.advance(10_000);
    equal(stage.frames.length, 0);
  });

  test("continues after a drawing that throws", () => {
    const { stage, scheduler, drawnAt } = scheduled(() => {
      if (drawnAt.length === 1) throw new Error("bug");
    });
    scheduler.request();
    throws(() => stage.frame(), /bug/);
    scheduler.request();
    stage.advance(MIN_PAUSE_MS);
    stage.frame();
    equal(drawnAt.length, 2);
  });
});
