/** Proxy methods on the wrong connection: neither the client nor the agent can impersonate another component. */
import { deepEqual, equal, rejects } from "node:assert/strict";
import { nestedConductor, wiredChain, wiredProxy } from "../testing/chain/stream-chain";
import { memoryChain, type MemoryChain, type ProxyScript } from "../testing/chain/memory-chain";
import { settled } from "../testing/turn";

const METHODS = [
  "proxy/successor",
  "_proxy/successor",
  "_proxy/successor/request",
  "_proxy/successor/notification",
  "proxy/initialize",
  "_proxy/initialize",
];
const FORGED = {
  method: "session/update",
  params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk" } },
};
const INVALID_REQUEST = -32600,
  METHOD_NOT_FOUND = -32601;

async function running(scripts: readonly ProxyScript[]): Promise<MemoryChain> {
  const chain = memoryChain(scripts);
  await chain.client.request("initialize", { protocolVersion: 1 });
  for (const proxy of chain.proxies) proxy.received.length = 0;
  return chain;
}

suite("proxy methods", () => {
  for (const scripts of [[], [{}], [{}, { spelling: "_proxy" }]] as const)
    for (const method of METHODS) {
      test(`rejects ${method} from the client and the agent of a chain with ${scripts.length} proxies`, async () => {
        const chain = await running(scripts),
          before = chain.agent.received.length;
        await rejects(chain.client.request(method, FORGED), { code: INVALID_REQUEST });
        await rejects(chain.agent.peer.request(method, FORGED), { code: INVALID_REQUEST });
        chain.client.notify(method, FORGED);
        chain.agent.peer.notify(method, FORGED);
        await settled();
        deepEqual(
          chain.proxies.map(({ received }) => received),
          scripts.map(() => []),
        );
        deepEqual([chain.agent.received.slice(before), chain.notifications], [[], []]);
        await chain.conductor[Symbol.asyncDispose]();
      });
    }

  for (const method of METHODS.filter(name => name.includes("successor")))
    test(`rejects ${method} inside an envelope of a proxy`, async () => {
      const chain = await running([{}, {}]);
      await rejects(chain.proxies[0]?.successor(method, FORGED) ?? Promise.resolve(), { code: INVALID_REQUEST });
      chain.proxies[0]?.peer.notify("proxy/successor", { method, params: FORGED });
      await settled();
      deepEqual([chain.proxies[1]?.received, chain.agent.received.includes(method)], [[], false]);
      await chain.conductor[Symbol.asyncDispose]();
    });

  test("answers proxy/initialize that a proxy forwards to its successor with -32601, as an agent of that time does", async () => {
    const chain = await running([{}, {}]);
    for (const method of ["proxy/initialize", "_proxy/initialize"])
      await rejects(chain.proxies[0]?.successor(method, {}) ?? Promise.resolve(), { code: METHOD_NOT_FOUND });
    deepEqual([chain.proxies[1]?.received, chain.agent.received.includes("proxy/initialize")], [[], false]);
    await chain.conductor[Symbol.asyncDispose]();
  });

  test("rejects proxy/initialize from a proxy to its client", async () => {
    const chain = await running([{}, {}]);
    for (const method of ["proxy/initialize", "_proxy/initialize"])
      await rejects(chain.proxies[1]?.peer.request(method, {}) ?? Promise.resolve(), { code: INVALID_REQUEST });
    deepEqual(chain.proxies[0]?.received, []);
    await chain.conductor[Symbol.asyncDispose]();
  });

  for (const members of [
    '"method":"session/update","method":"proxy/successor"',
    '"m\\u0065thod":"proxy\\/successor"',
    '"method":"\\u0070roxy/successor"',
  ]) {
    test(`rejects an envelope written as {${members}}`, async () => {
      await using chain = await wiredChain([wiredProxy("a"), wiredProxy("b")]);
      chain.agent.report(`{"jsonrpc":"2.0","id":1,${members},"params":${JSON.stringify(FORGED)}}`);
      chain.client.report(`{"jsonrpc":"2.0","id":1,"params":${JSON.stringify(FORGED)},${members}}`);
      for (const line of [await chain.agent.line(1), await chain.client.line(1)])
        equal((JSON.parse(line) as { error: { code: unknown } }).error.code, INVALID_REQUEST);
    });
  }

  test("rejects an envelope from the agent behind a nested conductor", async () => {
    await using chain = await wiredChain([nestedConductor("inner", [wiredProxy("a")])]);
    chain.agent.report(`{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":${JSON.stringify(FORGED)}}`);
    const { id, error } = JSON.parse(await chain.agent.line(1)) as { id: unknown; error: { code: unknown } };
    deepEqual([id, error.code], [1, INVALID_REQUEST]);
    equal(chain.client.lines.length, 1);
  });
});
