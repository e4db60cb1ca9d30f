/** The random events of the test with their frequencies, and the initial state. */
import fc from "fast-check";
import { BATCH_MS } from "../../sidecar/chat/outbox";
import { WAYS, type Fixture } from "./fixture";

const some = (max: number) => fc.integer({ min: 1, max });
const kind = <const K extends string>(...kinds: readonly [K, ...K[]]) => fc.constantFrom(...kinds);
const tab = fc.nat(2),
  few = fc.nat(6);
export const move = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: kind("report"), tab, count: some(3) }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("tool"), tab, what: kind("begin", "change", "end") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("endTurn"), tab }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("prompt"), tab }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("withdraw"), tab, which: fc.nat(2), to: kind("edit", "drop") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("stop", "sendQueued", "clearQueue"), tab }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: kind("tick"),
      ms: fc.constantFrom(16, BATCH_MS, BATCH_MS, BATCH_MS, 120, 500, 1_000, 4_000),
    }),
  },
  { weight: 12, arbitrary: fc.record({ kind: kind("flow"), rounds: some(12) }) },
  { weight: 8, arbitrary: fc.record({ kind: kind("deliver"), way: fc.constantFrom(...WAYS), max: some(6) }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("drop"), from: fc.nat(2), max: some(4) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: kind("repeat"), way: kind("toPage", "toHost"), from: fc.nat(2), max: some(4) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind("hide"), handed: few, received: few }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("show") }) },
  { weight: 5, arbitrary: fc.record({ kind: kind("load"), lost: few }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("reload"), kept: few, received: few }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("kill"), arrives: few }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("restart", "reloadWindow", "openTab", "agentDies") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("reloadPage", "hostDies") }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("hostReturns", "flush") }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("closeTab"), tab }) },
);
export type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

export async function create(fixture: Fixture, m: Move): Promise<void> {
  switch (m.kind) {
    case "report":
      return fixture.report(m.tab, m.count);
    case "tool":
      return fixture.tool(m.tab, m.what);
    case "endTurn":
      return fixture.endTurn(m.tab);
    case "prompt":
      return fixture.user.prompt(m.tab);
    case "withdraw":
      return fixture.user.withdraw(m.tab, m.which, m.to);
    case "stop":
      return fixture.user.stop(m.tab);
    case "clearQueue":
      return fixture.user.clearQueue(m.tab);
    case "sendQueued":
      return fixture.user.sendQueued(m.tab);
    case "deliver":
      return fixture.deliver(m.way, m.max);
    case "flow":
      return fixture.flow(m.rounds);
    case "tick":
      return fixture.tick(m.ms);
    case "drop":
      return fixture.drop(m.from, m.max);
    case "repeat":
      return fixture.repeat(m.way, m.from, m.max);
    case "hide":
      return fixture.webview.hide(m.handed, m.received);
    case "show":
      return fixture.webview.show();
    case "load":
      return fixture.webview.load(m.lost);
    case "reload":
      return fixture.webview.reload(m.kept, m.received);
    case "kill":
      return fixture.kill(m.arrives);
    case "closeTab":
      return fixture.user.closeTab(m.tab);
    case "openTab":
      return fixture.user.openTab();
    case "restart":
    case "agentDies":
      return fixture[m.kind]();
    case "reloadWindow":
    case "reloadPage":
    case "hostDies":
    case "hostReturns":
      return fixture[m.kind]();
    case "flush":
      return fixture.webview.flush();
  }
}

/** A page with two tabs, and the agent in the middle of an answer in both. */
export async function begin(fixture: Fixture): Promise<void> {
  fixture.webview.show();
  fixture.webview.load(0);
  await fixture.flow(10);
  fixture.user.openTab();
  fixture.user.prompt(0);
  fixture.user.prompt(1);
  await fixture.flow(20);
  await fixture.tick(BATCH_MS);
  await fixture.flow(20);
}
