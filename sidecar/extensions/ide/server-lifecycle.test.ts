import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { FAILURE_WINDOW_MS, MAX_FALLS, NEW_LIFE, step, type LifeEvent } from "./server-lifecycle";

suite("language server restart", () => {
  const run = (events: readonly (readonly [LifeEvent["kind"], number])[]): string[] => {
    let life = NEW_LIFE;
    return events.map(([kind, now]) => {
      const [next, effect] = step(life, kind === "fell" ? { kind, why: "it died." } : { kind }, now);
      life = next;
      return effect?.kind ?? "-";
    });
  };
  test("occurs after an exit, a limited number of times within a period", () => {
    deepEqual(
      run([
        ["needed", 0],
        ["needed", 1],
        ["fell", 2],
        ["needed", 3],
        ["fell", 4],
        ["needed", 5],
        ["fell", 6],
        ["needed", 7],
        ["needed", 1 + FAILURE_WINDOW_MS],
        ["needed", 2 + FAILURE_WINDOW_MS],
      ]),
      ["start", "-", "-", "start", "-", "start", "-", "refuse", "refuse", "start"],
    );
  });
  test("occurs after the server stopped unused, without counting as an exit", () =>
    deepEqual(
      run([
        ["unused", 0],
        ["needed", 1],
        ["unused", 2],
        ["unused", 3],
        ["needed", 4],
        ["unused", 5],
        ["needed", 6],
        ["unused", 7],
        ["needed", 8],
        ["closed", 9],
        ["unused", 10],
      ]),
      ["-", "start", "stop", "-", "start", "stop", "start", "stop", "start", "-", "-"],
    ));
  test("never occurs after the close", () =>
    deepEqual(
      run([
        ["needed", 0],
        ["closed", 1],
        ["fell", 2],
        ["needed", 3],
      ]),
      ["start", "-", "-", "refuse"],
    ));
  const isUp = (effects: readonly string[], events: readonly (readonly [LifeEvent["kind"], number])[]): boolean =>
    effects.lastIndexOf("start") >
    Math.max(effects.lastIndexOf("stop"), events.map(([kind]) => kind).lastIndexOf("fell"));
  test("is limited to three exits in ten minutes", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.constantFrom("needed", "fell", "unused", "closed"), fc.nat({ max: FAILURE_WINDOW_MS / 2 })),
          {
            maxLength: 60,
          },
        ),
        given => {
          let now = 0;
          const events = given.map(([kind, ms]) => [kind, (now += ms)] as const),
            effects = run(events);
          const falls = events.flatMap(([kind, at], i) =>
            kind === "fell" && isUp(effects.slice(0, i), events.slice(0, i)) ? [at] : [],
          );
          for (const [i, at] of falls.entries())
            ok(i < MAX_FALLS || at - (falls[i - MAX_FALLS] ?? 0) >= FAILURE_WINDOW_MS);
        },
      ),
    );
  });
});
