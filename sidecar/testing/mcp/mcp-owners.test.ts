/** MCP over ACP with agents that support it, and with handwritten owners of both dialects. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import * as acp from "@agentclientprotocol/sdk/unstable";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import { Peer, type IncomingRequest } from "../../rpc/peer";
import { manyTools, TOOLS } from "./many-tools";
import { adding, chainOf, connected, Signal, Fixture } from "./mcp-fixture";
import { bridge, resultText, streamOf } from "./mcp-ends";

suite("own servers and agents with MCP over ACP", () => {
  test("serves the ACP SDK's connectionless caller", async () => {
    const began = new Signal(),
      cancelled = new Signal(),
      progress: unknown[] = [],
      done = new Signal(),
      results: unknown[] = [];
    const offers = adding("ours", chain => [
      chain.offerMcp("ours", transport =>
        manyTools(line => (line === "wait began" ? began : cancelled).fire()).connect(transport),
      ).declaration,
    ]);
    const chain = chainOf([offers, bridge()]),
      caller = new acp.McpOverAcpCaller({ clientInfo: { name: "independent", version: "1" } });
    const agent = acp
      .agent({ name: "independent" })
      .onRequest("initialize", () => ({
        protocolVersion: acp.PROTOCOL_VERSION,
        agentCapabilities: { mcpCapabilities: { acp: true } },
      }))
      .onNotification(acp.methods.agent.mcp.message, caller.handleNotification)
      .onRequest("session/new", ({ params, client }) => {
        const { serverId } = params.mcpServers.find(acp.isMcpServerAcp) ?? { serverId: "" };
        const request = (method: string, inner: JsonObject, options: acp.McpRequestOptions = {}) =>
          caller.request(client, serverId, method, inner, options);
        void (async () => {
          results.push(await request("server/discover", {}), await request("tools/list", {}));
          results.push(
            await request(
              "tools/call",
              { name: "progress", _meta: { progressToken: "p" } },
              { onNotification: each => progress.push(objectOr(each.params).progress) },
            ),
          );
          results.push(await request("no/such", {}), await request("tools/call", { name: "sample" }));
          const aborting = new AbortController(),
            waiting = request("tools/call", { name: "wait" }, { signal: aborting.signal, requestId: "twice" }).catch(
              (error: unknown) => error,
            );
          await began.times(1);
          aborting.abort();
          results.push(await waiting);
        })().then(done.fire, (error: unknown) => {
          results.push(error);
          done.fire();
        });
        return { sessionId: "s1" };
      });
    agent.connect(streamOf(chain.agent));
    const client = new Peer(chain.client, {
      request: request => request.fail(new Error("nobody")),
      notification: () => undefined,
      closed: () => undefined,
    });
    await client.request("initialize", { protocolVersion: 1 });
    await client.request("session/new", { cwd: "/", mcpServers: [] });
    await done.times(1);
    await cancelled.times(1);
    const [discovered, listed, called, none, sampled, gone] = results.map(objectOr);
    deepEqual(objectOr(discovered?.result).supportedVersions, ["2026-07-28"]);
    equal(arrayOr(objectOr(listed?.result).tools).length, TOOLS);
    equal(resultText(called?.result), "progressed");
    deepEqual(progress, [1, 2, 3]);
    equal(objectOr(none?.error).code, -32601);
    match(JSON.stringify(sampled?.error), /“sampling\/createMessage” is not a method/); // no requests from the server
    equal(gone?.code, -32800);
    await chain[Symbol.asyncDispose]();
  });

  const native = { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { acp: true } } };
  /** Simulates an agent of the generation with connections, method by method. */
  test("serves an agent with connections in both dialects and directions", async () => {
    for (const prefix of ["mcp", "_mcp"] as const) {
      const asked: IncomingRequest[] = [],
        gotOne = new Signal();
      await using w = new Fixture({
        stages: [
          adding("ours", chain => [chain.offerMcp("ours", transport => manyTools().connect(transport)).declaration]),
          bridge(),
        ],
        initialized: native,
        agent: request => {
          if (request.method !== `${prefix}/message`) return false;
          asked.push(request);
          gotOne.fire();
          return true;
        },
      });
      await w.initialize();
      const {
        servers: [declared],
      } = await w.setup("session/new", { mcpServers: [] });
      deepEqual([declared?.type, declared?.id], ["acp", declared?.serverId]);
      const connect = prefix === "mcp" ? { acpId: declared?.id } : { acp_url: `acp:${String(declared?.id)}` };
      const connection = objectOr(await w.agent.request(`${prefix}/connect`, connect));
      const connectionId = connection.connectionId ?? connection.connection_id;
      const request = (method: string, params: JsonObject) =>
        w.agent.request(`${prefix}/message`, { connectionId, method, params });
      deepEqual(
        objectOr(
          objectOr(
            await request("initialize", {
              protocolVersion: "2025-06-18",
              capabilities: { sampling: {} },
              clientInfo: { name: "a", version: "1" },
            }),
          ).serverInfo,
        ).name,
        "many",
      );
      w.agent.notify(`${prefix}/message`, { connectionId, method: "notifications/initialized" });
      const sampled = request("tools/call", { name: "sample" });
      await gotOne.times(1);
      deepEqual(
        [objectOr(asked[0]?.params).connectionId, objectOr(asked[0]?.params).method],
        [connectionId, "sampling/createMessage"],
      );
      asked[0]?.respond({ model: "m", role: "assistant", content: { type: "text", text: "me" } });
      equal(resultText(await sampled), '{"type":"text","text":"me"}');
      await request("tools/call", { name: "progress", _meta: { progressToken: 4 } });
      deepEqual(
        w.agentReceived.map(({ method, params }) => [
          method,
          objectOr(params).connectionId,
          objectOr(objectOr(params).params).progress,
        ]),
        [1, 2, 3].map(n => [`${prefix}/message`, connectionId, n]),
      );
      await rejects(request("no/such", {}), { code: -32601 });
      await w.agent.request(`${prefix}/disconnect`, { connectionId });
      await rejects(request("tools/list", {}), { code: -32601 });
    }
  });

  test("rejects a withdrawn server, a failed start and a request id in use", async () => {
    let starts = 0;
    await using w = new Fixture({
      stages: [
        {
          name: "ours",
          create: chain => {
            const offer = chain.offerMcp("ours", async transport => {
              if (++starts === 1) throw new Error("no luck");
              await manyTools().connect(transport);
            });
            return {
              fromClient: {
                requests: {
                  "session/new": request => request.pass({ mcpServers: [offer.declaration] }),
                  "_test/withdraw": () => offer[Symbol.asyncDispose](),
                },
              },
            };
          },
        },
      ],
      initialized: native,
    });
    await w.initialize();
    const {
      servers: [declared],
    } = await w.setup("session/new", {});
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const ask = (requestId: string, method: string, params: JsonObject = {}) =>
      w.agent.request("mcp/message", { serverId: declared?.serverId, requestId, method, params: { _meta, ...params } });
    await rejects(ask("1", "tools/list"), { code: -33002, message: /“ours” could not answer: no luck/ });
    equal(arrayOr(objectOr(objectOr(await ask("1", "tools/list")).result).tools).length, TOOLS);
    const waiting = ask("2", "tools/call", { name: "wait" });
    await rejects(ask("2", "tools/list"), { code: -32602 });
    const ended = rejects(waiting);
    await w.client.request("_test/withdraw", {});
    await ended;
    await rejects(ask("3", "tools/list"), { code: -32601 });
    deepEqual(objectOr(await ask("4", "tools/list", { _meta: {} }).catch((error: unknown) => error)).code, -32601);
  });
});

suite("MCP bridge and servers with connections", () => {
  test("forwards the client's other messages while the user answers a server's request", async () => {
    await using w = new Fixture({
      stages: [bridge()],
      client: request => {
        if (request.method === "mcp/connect") return request.respond({ connectionId: "c" });
        request.respond(
          objectOr(request.params).method === "initialize"
            ? { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "x", version: "1" } }
            : {},
        );
      },
      agent: request => {
        if (request.method === "_test/answer") {
          answer();
          request.respond({});
        }
        return request.method === "_test/answer";
      },
    });
    let answer = (): void => undefined;
    const answered = new Promise<void>(resolve => {
        answer = resolve;
      }),
      requested = new Signal();
    await w.initialize();
    const {
      servers: [server],
    } = await w.setup("session/new", { mcpServers: [{ type: "acp", name: "x", serverId: "x" }] });
    await using client = await connected(
      server ?? {},
      each =>
        each.setRequestHandler(CreateMessageRequestSchema, async () => {
          requested.fire();
          await answered;
          return { model: "m", role: "assistant" as const, content: { type: "text" as const, text: "me" } };
        }),
      { sampling: {} },
    );
    await client.ping();
    const sampled = w.client.request("mcp/message", {
      connectionId: "c",
      method: "sampling/createMessage",
      params: { messages: [], maxTokens: 1 },
    });
    await requested.times(1);
    await w.client.request("_test/answer", {});
    equal(objectOr(objectOr(await sampled).content).text, "me");
  });

  test("opens a connection per MCP session in its dialect", async () => {
    for (const [declared, connect] of [
      [{ type: "acp", name: "x", id: "i" }, { acpId: "i" }],
      [{ type: "acp", name: "x", serverId: "i" }, { serverId: "i" }],
      [{ type: "http", name: "x", url: "acp:u", headers: [] }, { acp_url: "acp:u" }],
    ] as const) {
      const prefix = declared.type === "http" ? "_mcp" : "mcp",
        received: unknown[] = [],
        disconnected = new Signal();
      let connections = 0;
      const onNotification = (method: string, params: unknown): void => {
        received.push([method, params]);
        if (method === `${prefix}/disconnect`) disconnected.fire();
      };
      await using w = new Fixture({
        stages: [bridge()],
        onNotification,
        client: request => {
          const { method, connectionId } = objectOr(request.params);
          switch (request.method) {
            case `${prefix}/connect`:
              received.push([request.method, request.params]);
              return request.respond(
                prefix === "mcp" ? { connectionId: `c${++connections}` } : { connection_id: `c${++connections}` },
              );
            case `${prefix}/disconnect`:
              onNotification(request.method, request.params);
              return request.respond({});
            default:
              if (method === "initialize")
                return request.respond({
                  protocolVersion: "2025-06-18",
                  capabilities: { tools: {} },
                  serverInfo: { name: connectionId, version: "1" },
                });
              return request.fail(Object.assign(new Error("bad"), {}));
          }
        },
      });
      await w.initialize();
      const {
        servers: [server],
      } = await w.setup("session/new", { mcpServers: [declared] });
      const first = await connected(server ?? {}),
        two = await connected(server ?? {});
      deepEqual([first.getServerVersion()?.name, two.getServerVersion()?.name], ["c1", "c2"]);
      await rejects(first.listTools(), /bad/);
      await first[Symbol.asyncDispose]();
      await disconnected.times(1);
      await w.client.request(
        `${prefix}/disconnect`,
        prefix === "mcp" ? { connectionId: "c2" } : { connection_id: "c2" },
      );
      await rejects(two.listTools(), { code: 404 }, "the session has ended");
      await two.close();
      const key = prefix === "mcp" ? "connectionId" : "connection_id";
      deepEqual(
        received.filter(each => !JSON.stringify(each).includes("/message")),
        [
          [`${prefix}/connect`, connect],
          [`${prefix}/connect`, connect],
          [`${prefix}/disconnect`, { [key]: "c1" }],
        ],
      );
      ok(
        received.some(
          each =>
            JSON.stringify(each) ===
            JSON.stringify([`${prefix}/message`, { connectionId: "c1", method: "notifications/initialized" }]),
        ),
      );
    }
  });
});
