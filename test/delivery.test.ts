/**
 * "Each event is shown once, in order": random hiding, showing, reloading, dropping, repeating, killing and restarting against
 * the production delivery code of all three programs; and what a page or a host that does not read costs.
 */
import { ok } from "node:assert/strict";
import fc from "fast-check";
import { BATCH_MS } from "../sidecar/chat/outbox";
import { LIMIT } from "../src/chat/outlet";
import { SILENCE_MS } from "../webview/page-asking";
import { begin, make, move } from "./delivery/moves";
import { drained } from "./delivery/setting";
import { World } from "./delivery/world";

/** More, to hunt: SYMPOSIUM_RUNS=100000 node scripts/units.mjs test/delivery */
const RUNS = Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000);

suite("delivery, page to sidecar", () => {
  test(`${RUNS} times drop, repeat, hide, reload, kill, restart: everything is shown once, in order, and what was shown stays`, async function () {
    this.timeout(600_000);
    await fc.assert(fc.asyncProperty(fc.array(move, { maxLength: 40, size: "max" }), fc.constantFrom(3, 1_000), async (moves, congestedAt) => {
      const world = new World(congestedAt);
      await begin(world);
      for (const m of moves) {
        await make(world, m);
        await drained();
      }
      const { asked } = world.webview;
      await world.finish();
      ok(asked <= 10 + 2 * moves.length, `the page asked ${asked} times in ${moves.length} moves`);
    }), { numRuns: RUNS });
  });

  test("what was dropped is fetched as soon as something else is said", async () => {
    const world = new World(1_000);
    await begin(world);
    await speak(world);
    world.drop(0, 1_000);
    await speak(world);
    ok(await world.finish() <= SOON_MS);
  });

  test("the end of a turn that was dropped is asked after", async () => {
    const world = new World(1_000);
    await begin(world);
    world.endTurn(0);
    world.endTurn(1);
    await drained();
    await world.tick(BATCH_MS);
    await world.deliver("fromSidecar", 1_000);
    world.drop(0, 1_000);
    const took = await world.finish();
    ok(took >= SILENCE_MS - 500 && took <= SILENCE_MS + 1_000, `after ${took} ms`);
  });

  test("a page that does not keep up costs no memory, and catches up", async () => {
    const world = new World(1_000);
    await begin(world);
    let most = 0;
    for (let frame = 0; frame < 100; frame++) {
      await chatter(world);
      most = Math.max(most, world.webview.toPage.length);
    }
    ok(most > LIMIT - 10 && most <= LIMIT, `${most} messages waited`);
    ok(await world.finish() <= SOON_MS);
  });

  test("a host that does not keep up costs no memory, and catches up", async () => {
    const world = new World(100);
    await begin(world);
    let most = 0;
    for (let frame = 0; frame < 100; frame++) {
      await chatter(world, "wait");
      most = Math.max(most, world.sidecar?.toHost.length ?? 0);
    }
    ok(most >= 100 && most <= 200, `${most} messages waited`);
    ok(await world.finish() <= SOON_MS);
  });
});

/** Without waiting for a turn to be silent. */
const SOON_MS = 500;

async function speak(world: World): Promise<void> {
  world.say(0, 1);
  world.say(1, 1);
  await drained();
  await world.tick(BATCH_MS);
  await world.deliver("fromSidecar", 1_000);
}

/** A frame in which the agent says many things that do not go together. */
async function chatter(world: World, then: "deliver" | "wait" = "deliver"): Promise<void> {
  world.tool(0, "begin");
  world.tool(0, "begin");
  for (let i = 0; i < 20; i++) world.tool(0, i % 2 === 0 ? "change" : "end");
  await drained();
  await world.tick(BATCH_MS);
  if (then === "deliver") await world.deliver("fromSidecar", 1_000);
}
