import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { INTERVAL_MS, pacedProgress } from "./throttled-progress";

suite("pacedProgress", () => {
  test("sends the first message at once and the newest one per interval, each once", () => {
    const clock = new FakeClock(),
      sent: string[] = [],
      progress = pacedProgress(clock, message => {
        sent.push(message);
      });
    for (const message of ["1 %", "2 %", "3 %"]) progress.send(message);
    deepEqual(sent, ["1 %"]);
    clock.advance(INTERVAL_MS);
    progress.send("3 %");
    clock.advance(INTERVAL_MS);
    deepEqual(sent, ["1 %", "3 %"]);
    progress.send("4 %");
    deepEqual(sent, ["1 %", "3 %", "4 %"]);
  });

  test("sends nothing after it is disposed", () => {
    const clock = new FakeClock(),
      sent: string[] = [],
      progress = pacedProgress(clock, message => {
        sent.push(message);
      });
    for (const message of ["1 %", "2 %"]) progress.send(message);
    progress[Symbol.dispose]();
    progress.send("3 %");
    clock.advance(INTERVAL_MS);
    deepEqual(sent, ["1 %"]);
    equal(clock.waiting, 0);
  });

  test("keeps the interval and sends the newest message last (property)", () => {
    const move = fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: INTERVAL_MS }));
    fc.assert(
      fc.property(fc.array(move, { minLength: 1 }), moves => {
        const clock = new FakeClock(),
          sent: { readonly message: string; readonly at: number }[] = [];
        using progress = pacedProgress(clock, message => {
          sent.push({ message, at: clock.now() });
        });
        for (const [message, ms] of moves) {
          progress.send(message);
          clock.advance(ms);
        }
        clock.advance(INTERVAL_MS);
        equal(sent.at(-1)?.message, moves.at(-1)?.[0]);
        ok(
          sent.every(
            ({ message, at }, i) =>
              i === 0 || (at - sent[i - 1]!.at >= INTERVAL_MS && message !== sent[i - 1]!.message),
          ),
        );
      }),
    );
  });
});
