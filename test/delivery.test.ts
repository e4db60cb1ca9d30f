/**
 * "Each event is shown once, in order": random hiding, showing, reloading, dropping, repeating, killing and restarting against
 * the production delivery code of all three programs.
 */
import fc from "fast-check";
import { begin, make, move } from "./delivery/moves";
import { drained } from "./delivery/setting";
import { World } from "./delivery/world";

const RUNS = 10_000;

suite("delivery, page to sidecar", () => {
  test(`${RUNS} times drop, repeat, hide, reload, kill, restart: everything is shown once, in order, and what was shown stays`, async function () {
    this.timeout(300_000);
    await fc.assert(fc.asyncProperty(fc.array(move, { maxLength: 40, size: "max" }), fc.constantFrom(3, 1_000), async (moves, congestedAt) => {
      const world = new World(congestedAt);
      await begin(world);
      for (const m of moves) {
        await make(world, m);
        await drained();
      }
      await world.finish();
    }), { numRuns: Number(process.env["RUNS"] ?? RUNS) });
  });
});
