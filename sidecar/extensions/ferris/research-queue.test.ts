import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { ResearchQueue, type QueueSlot } from "./research-queue";

suite("ResearchLine", () => {
  test("runs two at once, the others in order, and skips cancelled ones", () => {
    const line = new ResearchQueue(2, 3),
      admitted: string[] = [],
      join = (name: string) => line.join(() => admitted.push(name));
    const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(join),
      none = join("f");
    deepEqual([admitted, none, [a, b, c, d, e].map(place => place?.behind)], [["a", "b"], undefined, [0, 0, 2, 3, 4]]);
    d![Symbol.dispose]();
    a![Symbol.dispose]();
    b![Symbol.dispose]();
    a![Symbol.dispose]();
    deepEqual(admitted, ["a", "b", "c", "e"]);
  });

  test("never exceeds two and never waits below the limit (property)", () =>
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 60 }), acts => {
        const line = new ResearchQueue(2, 4),
          going = new Set<QueueSlot>(),
          waiting = new Set<QueueSlot>();
        for (const act of acts) {
          const leaving = [...going, ...waiting][act];
          if (leaving) {
            going.delete(leaving);
            waiting.delete(leaving);
            leaving[Symbol.dispose]();
          } else {
            let isAdmitted = false;
            let place: QueueSlot | undefined;
            place = line.join(() => {
              isAdmitted = true;
              if (place) {
                waiting.delete(place);
                going.add(place);
              }
            });
            if (place) (isAdmitted ? going : waiting).add(place);
            else equal(waiting.size, 4);
          }
          equal(going.size <= 2 && (going.size === 2 || waiting.size === 0), true);
        }
      }),
    ));
});
