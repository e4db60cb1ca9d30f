/**
 * Connects clients and agents of the ACP SDK, with all its entry points, by a chain. Each end receives the same
 * messages as without a chain. The SDK may deliver a notification after a later response, so each kind is ordered
 * separately.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { Readable, Writable, type Duplex } from "node:stream";
import * as v1 from "@agentclientprotocol/sdk";
import * as v2 from "@agentclientprotocol/sdk/experimental/v2";
import { timeLimit } from "../../scripts/time-limits.mjs";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { ndjsonChannel } from "../rpc/ndjson-channel";
import { endingIn, internalProxy, nestedConductor, pieces, pipes, wiredProxy } from "../testing/chain/stream-chain";
import { EXTRAS, INFO, Seen, type Scene } from "../testing/sdk/scene";
import { v1Agent, v1Client, V1_UNSTABLE } from "../testing/sdk/version-1";
import { v2Agent, v2Client, V2_UNSTABLE } from "../testing/sdk/version-2";
import type { ProxyComponent } from "./component";
import { conduct } from "./conductor";

const either = (seen: Seen) => v2.agentProtocolRouter().withV1(v1Agent(seen)).withV2(v2Agent(seen));
const SCENES: Readonly<Record<string, Scene>> = {
  "version 1": { agent: (seen, stream) => v1Agent(seen).connect(stream), client: v1Client },
  "version 1, unstable": V1_UNSTABLE,
  "version 2": { agent: (seen, stream) => v2Agent(seen).connect(stream), client: v2Client },
  "version 2, unstable": V2_UNSTABLE,
  "version 1 and an agent of both": { agent: (seen, stream) => either(seen).connect(stream), client: v1Client },
  "version 2 and an agent of both": { agent: (seen, stream) => either(seen).connect(stream), client: v2Client },
  "version 1 and an agent of version 2": {
    agent: (seen, stream) => v2Agent(seen).connect(stream),
    client: async (seen, stream) => {
      const { agent } = v1.client({ name: "theirs" }).connect(stream);
      await seen.ends("client's answers", agent.request("initialize", { protocolVersion: 1, clientInfo: INFO }));
    },
  },
};

const CHAINS: Readonly<Record<string, () => readonly ProxyComponent[]>> = {
  "no proxy": () => [],
  "one proxy": () => [wiredProxy("a")],
  "three proxies": () => [wiredProxy("a"), internalProxy("b"), wiredProxy("c", undefined, pieces(7))],
  "a chain in a chain": () => [wiredProxy("a"), nestedConductor("b", [wiredProxy("c"), internalProxy("d")])],
};

const streamOf = ({
  input,
  output,
}: {
  readonly input: Duplex | Readable;
  readonly output: Duplex | Writable;
}): v1.Stream => v1.ndJsonStream(Writable.toWeb(output), Readable.toWeb(input));

/** Runs a scene. If `proxies` is undefined, the ends are connected without a conductor. */
async function play(
  { agent, client }: Scene,
  proxies: readonly ProxyComponent[] | undefined,
): Promise<Record<string, unknown[]>> {
  const seen = new Seen(),
    [near, far] = pipes(),
    [last, end] = pipes(),
    warnings: unknown[] = [];
  const conductor =
    proxies &&
    conduct(ndjsonChannel(far.input, far.output), {
      proxies,
      last: endingIn(last),
      clock: new FakeClock(),
      notice: ({ message }) => warnings.push(message),
      onWarning: (what, detail) => warnings.push([what, detail]),
    });
  const connection = agent(seen, streamOf(proxies ? end : far));
  await client(seen, streamOf(near));
  near.output.end();
  await connection.closed;
  if (conductor) equal((await conductor.closed).component, undefined);
  deepEqual(warnings, []);
  return seen.kinds;
}

suite("SDK clients and agents", function () {
  this.timeout(timeLimit(30_000));
  for (const [versions, scene] of Object.entries(SCENES))
    suite(versions, () => {
      let direct: Record<string, unknown[]> = {};
      suiteSetup(async () => {
        direct = await play(scene, undefined);
      });

      for (const [what, proxies] of Object.entries(CHAINS))
        test(`exchanges the same messages through ${what} as without a chain`, async () => {
          ok(Object.keys(direct).length > 0);
          deepEqual(await play(scene, proxies()), direct);
        });
    });

  test("exchanges every kind of message in the scenes", async () => {
    const lengths = (kinds: Record<string, unknown[]>): unknown =>
      Object.fromEntries(Object.entries(kinds).map(([kind, all]) => [kind, all.length]));
    deepEqual(lengths(await play(SCENES["version 1"]!, undefined)), {
      agent: 10,
      "agent's answers": 12,
      "agent is told": 2,
      client: 10,
      "client's answers": 12,
      "client's updates": 40,
      "client is told": 1,
    });
    deepEqual(lengths(await play(SCENES["version 2"]!, undefined)), {
      agent: 10,
      "agent's answers": 5,
      "agent is told": 2,
      client: 3,
      "client's answers": 12,
      "client's updates": 81,
      "client is told": 1,
    });
  });

  test("receives MCP over ACP as the only added capability", async () => {
    const onEvent = async (scene: Scene): Promise<unknown> => (await play(scene, []))["client's answers"]?.[0];
    const silent = { protocolVersion: 1, agentInfo: INFO, vendor: EXTRAS },
      silent2 = { protocolVersion: 2, info: INFO, capabilities: { session: { mcp: { stdio: {} } } } };
    deepEqual(
      await onEvent({
        client: v1Client,
        agent: (seen, stream) => v1.agent().onRequest("initialize", seen.onEvent("agent", silent)).connect(stream),
      }),
      { ...silent, agentCapabilities: { mcpCapabilities: { acp: true } } },
    );
    deepEqual(
      await onEvent({
        client: V2_UNSTABLE.client,
        agent: (seen, stream) => v2.agent().onRequest("initialize", seen.onEvent("agent", silent2)).connect(stream),
      }),
      { ...silent2, capabilities: { session: { mcp: { stdio: {}, acp: {} } } } },
    );
  });
});
