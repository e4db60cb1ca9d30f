/**
 * "Each event is shown once, in order": random hiding, showing, reloading, dropping, repeating, killing and restarting against
 * the production delivery code of all three programs.
 */
import fc from "fast-check";
import { drained } from "./delivery/setting";
import { WAYS, World } from "./delivery/world";

const RUNS = 10_000;

const some = (max: number) => fc.integer({ min: 1, max });
const kind = <const K extends string>(...kinds: readonly [K, ...K[]]) => fc.constantFrom(...kinds);
const tab = fc.nat(2), few = fc.nat(6);
const move = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: kind("say"), tab, words: some(3) }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("tool"), tab, what: kind("begin", "change", "end") }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("endTurn"), tab }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("prompt"), tab }) },
  { weight: 8, arbitrary: fc.record({ kind: kind("deliver"), way: fc.constantFrom(...WAYS), most: some(6) }) },
  { weight: 5, arbitrary: fc.record({ kind: kind("flow"), rounds: some(8) }) },
  { weight: 5, arbitrary: fc.record({ kind: kind("tick"), ms: fc.constantFrom(16, 60, 500, 1_000, 4_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("drop"), from: few, most: some(4) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("repeat"), way: kind("toPage", "toHost"), from: few, most: some(4) }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("hide"), handed: few, heard: few }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("show") }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("load"), lost: few }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("reload"), kept: few, heard: few }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("kill"), arrives: few }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("restart", "reloadWindow", "openTab") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("closeTab"), tab }) },
);
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

async function make(world: World, m: Move): Promise<void> {
  switch (m.kind) {
    case "say": return world.say(m.tab, m.words);
    case "tool": return world.tool(m.tab, m.what);
    case "endTurn": return world.endTurn(m.tab);
    case "prompt": return world.prompt(m.tab);
    case "deliver": return world.deliver(m.way, m.most);
    case "flow": return world.flow(m.rounds);
    case "tick": return world.tick(m.ms);
    case "drop": return world.drop(m.from, m.most);
    case "repeat": return world.repeat(m.way, m.from, m.most);
    case "hide": return world.webview.hide(m.handed, m.heard);
    case "show": return world.webview.show();
    case "load": return world.webview.load(m.lost);
    case "reload": return world.webview.reload(m.kept, m.heard);
    case "kill": return world.kill(m.arrives);
    case "closeTab": return world.closeTab(m.tab);
    case "restart": case "openTab": return world[m.kind]();
    case "reloadWindow": return world.reloadWindow();
  }
}

suite("delivery, page to sidecar", () => {
  test(`${RUNS} times drop, repeat, hide, reload, kill, restart: everything is shown once, in order, and what was shown stays`, async function () {
    this.timeout(300_000);
    await fc.assert(fc.asyncProperty(fc.array(move, { maxLength: 60 }), fc.constantFrom(3, 1_000), async (moves, congestedAt) => {
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

/** A page with two tabs, and the agent in the middle of an answer in both. */
async function begin(world: World): Promise<void> {
  world.webview.show();
  world.webview.load(0);
  await world.flow(10);
  world.openTab();
  world.prompt(0);
  world.prompt(1);
  await world.flow(20);
}
