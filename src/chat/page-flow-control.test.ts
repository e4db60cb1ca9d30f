import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  DISCONNECTED,
  LIMIT,
  step,
  type PageFlowControl,
  type PageFlowEffect,
  type PageFlowEvent,
} from "./page-flow-control";

const READY: PageFlowEvent = { kind: "pageReady" };
const HIDDEN: PageFlowEvent = { kind: "hidden" };
const EVENT: PageFlowEvent = { kind: "offered", counted: true };
const STATE: PageFlowEvent = { kind: "offered", counted: false };
const ack = (handled: number): PageFlowEvent => ({ kind: "acknowledged", handled });
const times = (n: number, event: PageFlowEvent) => Array.from({ length: n }, () => event);

function run(
  events: readonly PageFlowEvent[],
  from: PageFlowControl = DISCONNECTED,
): { flowControl: PageFlowControl; effects: PageFlowEffect[] } {
  const effects: PageFlowEffect[] = [];
  let flowControl = from;
  for (const event of events) {
    const [next, effect] = step(flowControl, event);
    flowControl = next;
    effects.push(effect);
  }
  return { flowControl, effects };
}
const last = (...events: PageFlowEvent[]) => run(events).effects.at(-1);

suite("PageFlowControl", () => {
  test("drops messages while no page is connected", () => {
    equal(last(EVENT), "drop");
    equal(last(STATE), "drop");
    equal(last(READY, EVENT), "post");
    equal(last(READY, HIDDEN, EVENT), "drop");
    equal(last(READY, HIDDEN, STATE), "drop");
    equal(last(READY, HIDDEN, READY, EVENT), "post");
  });

  test("disconnects when VS Code reports an undelivered message", () => {
    equal(last(READY, { kind: "refused", page: 1 }, EVENT), "drop");
    equal(last(READY, { kind: "refused", page: 1 }, READY, EVENT), "post");
  });

  test("ignores a late undelivered report of an earlier page", () =>
    equal(last(READY, READY, { kind: "refused", page: 1 }, EVENT), "post"));

  test("blocks at 500 unacknowledged messages and requests a replay at half", () => {
    const full = run([READY, ...times(LIMIT + 3, EVENT)]);
    deepEqual(
      [full.effects.filter(effect => effect === "post").length, full.effects.at(-1), full.flowControl.kind],
      [LIMIT, "drop", "lagging"],
    );
    deepEqual(run([STATE, EVENT, ack(LIMIT / 2 - 1), EVENT, ack(LIMIT / 2), EVENT], full.flowControl).effects, [
      "post",
      "drop",
      "none",
      "drop",
      "requestReplay",
      "post",
    ]);
  });

  test("never requests a replay from a page that keeps up", () => {
    let flowControl = run([READY]).flowControl;
    for (let n = 1; n <= 3 * LIMIT; n++) {
      const { flowControl: next, effects } = run([EVENT, ack(n)], flowControl);
      flowControl = next;
      deepEqual(effects, ["post", "none"]);
    }
  });

  test("resets the counter for a reloaded page", () => {
    let { flowControl } = run([READY, ...times(450, EVENT), ack(400), READY]);
    for (let n = 1; n <= 3 * LIMIT; n++) {
      const { flowControl: next, effects } = run([EVENT, ack(n)], flowControl);
      flowControl = next;
      deepEqual(effects, ["post", "none"], `after ${n}`);
    }
    equal(run([READY, ...times(LIMIT + 1, EVENT), READY, EVENT]).effects.at(-1), "post");
  });

  test("ignores an acknowledgement without a page", () => deepEqual(run([ack(7)]).flowControl, DISCONNECTED));

  test("bounds the messages in flight and unblocks after all are acknowledged (property)", () => {
    const event = fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(READY, HIDDEN, STATE) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("acknowledged" as const), handled: fc.nat(600) }) },
      { weight: 3, arbitrary: fc.constant(EVENT) },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.integer({ min: 1, max: 300 })), { maxLength: 30 }), moves => {
        let flowControl: PageFlowControl = DISCONNECTED;
        for (const [move, n] of moves)
          flowControl = run(times(move.kind === "offered" ? n : 1, move), flowControl).flowControl;
        if (flowControl.kind === "absent") return;
        ok(flowControl.unacknowledged <= LIMIT);
        if (flowControl.kind === "lagging")
          equal(step(flowControl, ack(flowControl.handled + flowControl.unacknowledged))[1], "requestReplay");
      }),
      { numRuns: 300 },
    );
  });
});
