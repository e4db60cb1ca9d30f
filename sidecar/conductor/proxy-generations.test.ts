/**
 * Simulates every published generation of proxies and agents, with its reaction to the methods of other generations.
 */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { objectOr } from "../rpc/json";
import { RpcError } from "../rpc/message";
import type { IncomingRequest } from "../rpc/peer";
import { MemoryAgent } from "../testing/memory-agent";
import { memoryChain, type MemoryChain, type ProxyScript, type WireProxy } from "../testing/chain/memory-chain";
import { DialectCache } from "./proxy-dialect";

const V1 = { protocolVersion: 1, clientCapabilities: {}, clientInfo: { name: "c", version: "1" } };
/** Valid in both versions, like the params of our own client. */
const V2 = { ...V1, protocolVersion: 2, capabilities: {}, info: { name: "c", version: "1" } };
const AGENT_V1 = { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {} } } };
const INVALID = -32600;

/** Forwards `initialize` with these params, and returns the response unchanged. */
const forwarding =
  (params: (asked: Readonly<Record<string, unknown>>) => unknown) =>
  (request: IncomingRequest, proxy: WireProxy): void => {
    proxy.successor("initialize", params(objectOr(request.params))).then(
      result => request.respond(result),
      (error: unknown) => request.fail(error),
    );
  };
/** Like `sacp` 10 and 11 and the Rust SDK 2: drops the members of later versions but keeps the version number. */
const typedV1 = forwarding(({ protocolVersion, clientCapabilities, clientInfo }) => ({
  protocolVersion,
  clientCapabilities,
  clientInfo,
}));
const versionOne = (request: IncomingRequest, proxy: WireProxy): void => {
  if (objectOr(request.params).protocolVersion === 1) return proxy.forward(request, "initialize");
  request.fail(new RpcError(INVALID, "Invalid request", "this endpoint only supports ACP protocol version 1"));
};
const marked = (request: IncomingRequest, proxy: WireProxy): void => {
  if (objectOr(objectOr(request.params)["_meta"]).proxy !== true)
    return request.fail(new RpcError(INVALID, "not a proxy"));
  proxy.successor("initialize", request.params).then(
    result => request.respond({ ...(result as object), _meta: { proxy: true } }),
    (error: unknown) => request.fail(error),
  );
};

/** In both chains a session can be opened, and the agent receives only ACP. */
const GENERATIONS: Readonly<Record<string, ProxyScript>> = {
  "sacp 10 and 11, Rust SDK 2, a proxy": { spelling: "_proxy", unknown: "forward", initialize: typedV1 },
  "Rust SDK 2, the conductor as a proxy": { spelling: "_proxy", unknown: "exit" },
  "Rust SDK 3, a proxy of version 1": { spelling: "_proxy", unknown: "forward", initialize: versionOne },
  "Rust SDK 3, the conductor as a proxy": { spelling: "_proxy", unknown: INVALID },
  "Rust SDK 5, a proxy of version 1": {
    spelling: "proxy",
    unknown: "forward",
    initialize: forwarding(({ clientCapabilities, clientInfo }) => ({
      protocolVersion: 1,
      clientCapabilities,
      clientInfo,
    })),
  },
  "Rust SDK 5, the conductor as a proxy": { spelling: "proxy", unknown: INVALID },
  "a proxy of the schema that exits at an unknown method": { spelling: "proxy", unknown: "exit" },
  "the first drafts": { spelling: "meta", initialize: marked },
};

class VersionedAgent extends MemoryAgent {
  constructor() {
    super(["initialize"]);
    void this.#answer();
  }
  readonly asked: unknown[] = [];
  async #answer(): Promise<void> {
    for (;;) {
      const request = await this.next("initialize"),
        { protocolVersion: version, _meta } = objectOr(request.params);
      this.asked.push(_meta === undefined ? version : { version, _meta });
      request.respond(
        version === 2
          ? { protocolVersion: 2, info: { name: "a", version: "1" }, capabilities: { session: {} } }
          : AGENT_V1,
      );
    }
  }
}

async function initialized(
  script: ProxyScript,
  params: object,
): Promise<MemoryChain & { readonly answer: unknown; readonly asked: readonly unknown[] }> {
  const agent = new VersionedAgent(),
    chain = memoryChain([script], { agent });
  const answer = await chain.client.request("initialize", params);
  deepEqual(await chain.client.request("session/new", { mcpServers: [] }), { sessionId: "s1" });
  return { ...chain, answer, asked: agent.asked };
}

suite("proxy generations", () => {
  for (const [generation, script] of Object.entries(GENERATIONS)) {
    test(`${generation}: initializes in a chain of version 1`, async () => {
      const chain = await initialized(script, V1);
      deepEqual(chain.notices, []);
      deepEqual([chain.asked, chain.agent.received], [[1], ["initialize", "session/new"]]);
      equal(objectOr(chain.answer)["_meta"], undefined);
      equal(chain.proxies[0]?.received.at(-1), "session/new");
    });

    test(`${generation}: initializes in a chain that requests version 2, with one version on every stage`, async () => {
      const chain = await initialized(script, V2);
      deepEqual(chain.notices, []);
      const version = objectOr(chain.answer).protocolVersion;
      deepEqual([chain.asked, chain.agent.received], [[version], ["initialize", "session/new"]]);
      equal(version === 2, /conductor as a proxy|of the schema/.test(generation));
    });

    test(`${generation}: receives the known dialect first after a restart`, async () => {
      const memory = new DialectCache().of("program");
      await initialized({ ...script, memory }, V1);
      const chain = await initialized({ ...script, memory }, V1);
      deepEqual(
        [chain.started, chain.proxies[0]?.received.filter(method => method.endsWith("initialize")).length],
        [["p1", "agent"], 1],
      );
    });
  }

  test("initializes the agent again with the lower version that a proxy returns", async () => {
    const answersV1: ProxyScript = {
      initialize: (request, proxy) => {
        void proxy
          .successor("initialize", request.params)
          .then(result => request.respond({ ...(result as object), protocolVersion: 1 }));
      },
    };
    const chain = await initialized(answersV1, V2);
    deepEqual([chain.asked, objectOr(chain.answer).protocolVersion, chain.notices], [[2, 1], 1, []]);
  });

  test("bypasses the proxy with the lower version if the agent rejects a second initialize", async () => {
    const agent = new MemoryAgent(["initialize"]),
      chain = memoryChain(
        [
          {
            initialize: (request, proxy) => {
              proxy.successor("initialize", request.params).then(
                () => request.respond({ protocolVersion: 1 }),
                (error: unknown) => request.fail(error),
              );
            },
          },
        ],
        { agent },
      );
    const answer = chain.client.request("initialize", V2);
    (await agent.next("initialize")).respond({ protocolVersion: 2, capabilities: {} });
    (await agent.next("initialize")).fail(new RpcError(INVALID, "initialised once"));
    equal(objectOr(await answer).protocolVersion, 2);
    match(chain.notices[0]?.message ?? "", /“p1” is skipped: it returned an error: initialised once/);
  });

  test("bypasses a proxy that supports only version 2 in a chain of version 1, with its reason", async () => {
    const unsupported = (request: IncomingRequest): void =>
      request.fail(new RpcError(-32022, "Unsupported protocol version", { requested: 1, supported: [2] }));
    const chain = await initialized({ spelling: "proxy", initialize: unsupported }, V1);
    match(chain.notices[0]?.message ?? "", /“p1” is skipped: it returned an error: Unsupported protocol version/);
  });

  test("bypasses an agent that is configured as a proxy", async () => {
    const chain = await initialized(
      { spelling: "meta", unknown: INVALID, initialize: request => request.respond(AGENT_V1) },
      V1,
    );
    match(chain.notices[0]?.message ?? "", /“p1” is skipped: it is an agent, not an agent extension/);
  });

  test("starts a proxy that exits at every request twice and then bypasses it", async () => {
    const chain = await initialized({ spelling: "other" as "proxy", unknown: "exit" }, V1);
    deepEqual(
      [chain.started, chain.notices.map(({ message }) => message)],
      [["p1", "agent", "p1"], ["The agent extension “p1” is skipped: p1 died."]],
    );
  });

  test("rejects requests to a process that exits at initialize, naming the proxy", async () => {
    const chain = memoryChain([{ spelling: "proxy", unknown: "exit" }]),
      initialize = chain.client.request("initialize", V1);
    await rejects(chain.client.request("session/new", {}), {
      message: "p1 died.",
      data: { component: "p1", details: "The other side closed the connection." },
    });
    await initialize;
    deepEqual(await chain.client.request("session/new", {}), { sessionId: "s1" });
  });
});

suite("agent behind proxies of another generation", () => {
  for (const [what, agent] of Object.entries({
    "answers -32600 to unknown methods": (request: IncomingRequest) =>
      request.fail(new RpcError(INVALID, "Invalid request")),
    "exits at unknown methods": undefined,
  }))
    test(`receives only initialize if it ${what}`, async () => {
      const memory = new MemoryAgent(["proxy/initialize", "_proxy/initialize"]);
      for (const method of ["proxy/initialize", "_proxy/initialize"])
        void memory.next(method).then(request => (agent ? agent(request) : memory.die()));
      const chain = memoryChain(
        [
          { spelling: "_proxy", unknown: "forward" },
          { spelling: "proxy", unknown: "forward" },
        ],
        { agent: memory },
      );
      await chain.client.request("initialize", V1);
      deepEqual([memory.received, chain.notices], [["initialize"], []]);
    });

  test("answers a probe with -32601 if it is a conductor, so that the prober tries its other method", async () => {
    const chain = memoryChain([]);
    for (const method of ["proxy/initialize", "_proxy/initialize"])
      await rejects(chain.client.request(method, V1), { code: -32601 });
    await chain.client.request("initialize", V1);
  });
});

suite("unsupported protocol version", () => {
  for (const version of [-1, 70_000, 1.5, "1", null, undefined])
    test(`rejects ${String(version)} and starts no component`, async () => {
      const chain = memoryChain([{}]);
      await rejects(chain.client.request("initialize", { ...V1, protocolVersion: version }), {
        code: -32602,
        message: /protocolVersion must be an integer from 0 to 65535/,
      });
      deepEqual(chain.started, []);
      await chain.client.request("initialize", V1);
      await rejects(chain.client.request("initialize", { ...V1, protocolVersion: version }), { code: -32602 });
    });

  for (const [asked, negotiated] of [
    [0, 1],
    [3, 2],
    [65_535, 2],
  ] as const)
    test(`requests version ${negotiated} for ${asked}`, async () => {
      const chain = await initialized({}, { ...V2, protocolVersion: asked });
      deepEqual([chain.asked, objectOr(chain.answer).protocolVersion], [[negotiated], negotiated]);
    });
});
