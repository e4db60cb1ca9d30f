import { deepEqual, equal } from "node:assert/strict";
import { memoryChannels } from "../rpc/memory";
import { ndjsonChannel } from "../rpc/ndjson";
import { FakeClock } from "../testing/fake-clock";
import { Talker } from "../testing/talker";
import { internalProxy, pieces, pipes, wiredProxy } from "../testing/wired";
import type { LastComponent, ProxyComponent } from "./component";
import { conduct } from "./conductor";

/** Messages in all chains together; more, to hunt: SYMPOSIUM_RUNS=100000 node scripts/units.mjs sidecar/conductor/order */
const MESSAGES = 10 * Number(process.env["SYMPOSIUM_RUNS"] ?? 10_000);

const CHAINS: Readonly<Record<string, () => readonly ProxyComponent[]>> = {
  "no proxy": () => [],
  "one proxy outside": () => [wiredProxy("a")],
  "one proxy inside": () => [internalProxy("a")],
  "three proxies outside": () => [wiredProxy("a"), wiredProxy("b"), wiredProxy("c")],
  "three proxies inside and outside": () => [wiredProxy("a"), internalProxy("b"), wiredProxy("c")],
};

suite("the order in a chain", function () {
  this.timeout(120_000);
  const count = Math.round(MESSAGES / 3 / Object.keys(CHAINS).length);
  for (const [what, proxies] of Object.entries(CHAINS)) {
    for (const slow of ["nobody", "client", "agent"] as const) {
      test(`${what}, ${slow === "nobody" ? "nobody slow" : `a slow ${slow}`}: everything arrives once, in the order in which it was sent, both ways`, async () => {
        const [ours, theirs] = memoryChannels(), [near, far] = pipes(pieces(65_536));
        const conductor = conduct(theirs, {
          proxies: proxies(), clock: new FakeClock(), notice: ({ message }) => { throw new Error(message); }, odd: () => undefined,
          last: agent(near),
        });
        const last = new Talker(ndjsonChannel(far.input, far.output), { as: "agent", seed: 1, count: count / 3, slowEvery: slow === "agent" ? 20 : 0 });
        const client = new Talker(ours, { as: "client", seed: 2, count: count / 3, slowEvery: slow === "client" ? 20 : 0 });
        const [atClient, atAgent] = await Promise.all([client.over, last.over]);
        deepEqual([atClient.heard, atAgent.heard], [atAgent.sent, atClient.sent]);
        await conductor[Symbol.asyncDispose]();
        equal((await conductor.closed).component, undefined);
      });
    }
  }
});

function agent({ input, output }: Parameters<typeof Object>[0]): LastComponent {
  const channel = ndjsonChannel(input, output);
  return { kind: "agent", name: "agent", start: () => ({ channel, stop: async () => { await channel[Symbol.asyncDispose](); }, lastWords: () => "" }) };
}
