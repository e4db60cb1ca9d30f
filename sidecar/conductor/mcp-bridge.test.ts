/**
 * The bridge in a chain: a proxy that offers a server of the SDK, the bridge, and an agent that connects with the SDK's
 * client.
 */
import { deepEqual, equal, match, notEqual, ok, rejects } from "node:assert/strict";
import type { ProxyDefinition } from "../proxies/proxy";
import { objectOr, type JsonObject } from "../rpc/json";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { manyTools, TOOLS } from "../testing/mcp/many-tools";
import { adding, connected, HTTP_AGENT, Signal, Fixture, type FixtureOptions } from "../testing/mcp/mcp-fixture";
import { mcpBridge } from "./mcp-bridge";

const bridge = (clock = new FakeClock()) =>
  mcpBridge({ clock, shim: { command: "/bin/node", script: "/sidecar.js", electron: true } });
const tools = (name = "tools", note?: (line: string) => void, made?: () => void): ProxyDefinition =>
  adding("tools", chain => [
    chain.offerMcp(name, async transport => {
      made?.();
      await manyTools(note).connect(transport);
    }).declaration,
  ]);
const fixture = (options: Partial<FixtureOptions> = {}) => new Fixture({ stages: [tools(), bridge()], ...options });
const OTHER_SERVER = { name: "other", command: "/bin/other", args: [], env: [] };
const resultText = (result: unknown) => String(objectOr((objectOr(result).content as unknown[])[0]).text);

suite("MCP bridge: declarations", () => {
  test("replaces a server over ACP by an HTTP server with a token and keeps the other servers", async () => {
    await using w = fixture();
    await w.initialize();
    const warnings = [
      { type: "acp", name: 7 },
      { type: "acp", name: "no id" },
      null,
      { type: "sse", name: "s", url: "http://x" },
    ];
    const { servers } = await w.setup("session/new", { cwd: "/", mcpServers: [OTHER_SERVER, ...warnings] });
    const all = w.setups[0]?.params.mcpServers as unknown[];
    deepEqual(all.slice(0, 5), [OTHER_SERVER, ...warnings]);
    const bridged = servers.at(-1)!;
    equal(all.length, 6);
    deepEqual([bridged.type, bridged.name], ["http", "tools"]);
    match(String(bridged.url), /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{20,}$/);
    match(JSON.stringify(bridged.headers), /^\[\{"name":"Authorization","value":"Bearer [\w-]{40,}"\}\]$/);
    equal(w.setups[0]?.params.cwd, "/");
  });

  test("declares a stdio program with its secrets in the environment for an agent without http", async () => {
    await using w = fixture({ initialized: { protocolVersion: 1, agentCapabilities: {} } });
    await w.initialize();
    const {
      servers: [shim],
    } = await w.setup("session/new", { mcpServers: [] });
    const env = Object.fromEntries(
      (shim?.env as { name: string; value: string }[]).map(({ name, value }) => [name, value]),
    );
    deepEqual(
      { ...shim, env: Object.keys(env) },
      {
        name: "tools",
        command: "/bin/node",
        args: ["/sidecar.js", "mcp"],
        env: ["SYMPOSIUM_MCP_URL", "SYMPOSIUM_MCP_TOKEN", "ELECTRON_RUN_AS_NODE"],
      },
    );
    equal(env.ELECTRON_RUN_AS_NODE, "1");
  });

  test("reads the capabilities of an ACP v2 agent and adds the type of the program", async () => {
    for (const [mcp, type] of [
      [{ stdio: {} }, "stdio"],
      [{ http: {} }, "http"],
      [{ acp: {} }, "acp"],
    ] as const) {
      await using w = fixture({ initialized: { protocolVersion: 2, capabilities: { session: { mcp } } } });
      const { capabilities } = await w.initialize();
      deepEqual(capabilities, { session: { mcp: { ...mcp, acp: {} } } });
      deepEqual(
        (await w.setup("session/new", { mcpServers: [] })).servers.map(server => server.type),
        [type],
      );
    }
  });

  test("advertises servers over ACP to the client", async () => {
    await using w = fixture();
    deepEqual(await w.initialize(), {
      ...HTTP_AGENT,
      agentCapabilities: { ...HTTP_AGENT.agentCapabilities, mcpCapabilities: { http: true, sse: true, acp: true } },
    });
  });

  test("forwards MCP over ACP to an agent that supports it, except sacp declarations", async () => {
    const asked: unknown[] = [],
      notifications: unknown[] = [];
    await using w = new Fixture({
      stages: [bridge()],
      initialized: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true, acp: true } } },
      client: request => {
        asked.push([request.method, request.params]);
        request.respond({ result: 1 });
      },
      onNotification: (method, params) => notifications.push([method, params]),
    });
    await w.initialize();
    const declared = { type: "acp", name: "native", serverId: "n" };
    const { servers } = await w.setup("session/new", {
      mcpServers: [declared, { type: "http", name: "old", url: "acp:1", headers: [] }],
    });
    deepEqual(servers[0], declared);
    match(String(servers[1]?.url), /^http:\/\/127/);
    const message = { serverId: "n", requestId: "r", method: "tools/list" };
    deepEqual(await w.agent.request("mcp/message", message), { result: 1 });
    deepEqual(asked, [["mcp/message", message]]);
    w.client.notify("mcp/message", message);
    await rejects(w.client.request("mcp/message", { connectionId: "c", method: "ping" }), { code: -32601 });
    deepEqual(w.agentReceived, [{ method: "mcp/message", params: message }]);
    w.agent.notify("mcp/message", message);
    await w.agent.request("mcp/message", message);
    deepEqual(notifications, [["mcp/message", message]]);
  });

  test("forwards a session without servers over ACP and opens no listener", async () => {
    await using w = new Fixture({ stages: [bridge()] });
    await w.initialize();
    deepEqual((await w.setup("session/new", { mcpServers: [OTHER_SERVER] })).servers, [OTHER_SERVER]);
    equal(process.getActiveResourcesInfo().filter(kind => kind === "TCPServerWrap").length, 0);
  });
});

suite("MCP bridge: calls", () => {
  test("serves 60 tools and 100 concurrent calls to two clients with one server each", async () => {
    let made = 0;
    await using w = fixture({ stages: [tools("tools", undefined, () => made++), bridge()] });
    await w.initialize();
    const {
      servers: [server],
    } = await w.setup("session/new", { mcpServers: [] });
    await using first = await connected(server!);
    await using two = await connected(server!);
    equal((await first.listTools()).tools.length, TOOLS);
    const calls = Array.from({ length: 100 }, (_, i) =>
      (i % 2 ? first : two).callTool({ name: `tool_${i % 50}`, arguments: { i } }),
    );
    deepEqual(
      (await Promise.all(calls)).map(resultText),
      Array.from({ length: 100 }, (_, i) => `tool_${i % 50} {"i":${i}}`),
    );
    equal(made, 2);
    deepEqual(first.getServerVersion(), { name: "many", version: "7" });
    equal(first.getInstructions(), "Use them all.");
  });

  test("accepts connections before the agent responds to session/new", async () => {
    await using w = fixture({
      agent: request => {
        if (request.method !== "session/new") return false;
        void (async () => {
          await using client = await connected((objectOr(request.params).mcpServers as JsonObject[])[0]!);
          request.respond({ sessionId: String((await client.listTools()).tools.length) });
        })();
        return true;
      },
    });
    await w.initialize();
    equal((await w.setup("session/new", { mcpServers: [] })).sessionId, "60");
  });

  test("forwards progress, cancellations, list changes and the server's requests to its client", async () => {
    const began = new Signal(),
      cancelled = new Signal(),
      changed = new Signal();
    await using w = fixture({
      stages: [
        tools("tools", line => {
          if (line === "wait began") began.fire();
          else if (line === "wait was cancelled") cancelled.fire();
        }),
        bridge(),
      ],
    });
    await w.initialize();
    const {
      servers: [server],
    } = await w.setup("session/new", { mcpServers: [] });
    const {
      CreateMessageRequestSchema,
      ListRootsRequestSchema,
      ToolListChangedNotificationSchema,
      ResourceUpdatedNotificationSchema,
    } = await import("@modelcontextprotocol/sdk/types.js");
    await using client = await connected(
      server!,
      each => {
        each.setRequestHandler(CreateMessageRequestSchema, () => ({
          model: "m",
          role: "assistant" as const,
          content: { type: "text" as const, text: "me" },
        }));
        each.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///r" }] }));
        each.setNotificationHandler(ToolListChangedNotificationSchema, changed.fire);
        each.setNotificationHandler(ResourceUpdatedNotificationSchema, changed.fire);
      },
      { sampling: {}, roots: {} },
    );
    const progress: number[] = [];
    equal(
      resultText(
        await client.callTool({ name: "progress" }, undefined, { onprogress: each => progress.push(each.progress) }),
      ),
      "progressed",
    );
    deepEqual(progress, [1, 2, 3]);
    equal(resultText(await client.callTool({ name: "sample" })), '{"type":"text","text":"me"}');
    equal(resultText(await client.callTool({ name: "roots" })), '[{"uri":"file:///r"}]');
    await client.callTool({ name: "change" });
    await changed.times(2);
    const aborting = new AbortController();
    const waiting = client.callTool({ name: "wait" }, undefined, { signal: aborting.signal });
    await began.times(1);
    aborting.abort();
    await rejects(waiting, /abort/i);
    await cancelled.times(1);
    await client.ping();
    await rejects(
      client.request({ method: "no/such" }, (await import("@modelcontextprotocol/sdk/types.js")).EmptyResultSchema),
      { code: -32601 },
    );
  });

  test("rejects initialize when the server cannot be reached", async () => {
    await using w = new Fixture({ stages: [bridge()] }); // its client does not support MCP over ACP
    await w.initialize();
    for (const declared of [
      { type: "acp", name: "x", id: "i" },
      { type: "acp", name: "x", serverId: "i" },
      { type: "http", name: "x", url: "acp:1", headers: [] },
    ]) {
      const {
        servers: [server],
      } = await w.setup("session/new", { mcpServers: [declared] });
      await rejects(connected(server!), /mcp\/|not a method/i);
    }
  });
});

suite("MCP bridge: sessions", () => {
  const answers = async (server: JsonObject | undefined): Promise<number> =>
    (
      await fetch(String(server?.url), {
        method: "POST",
        body: "{",
        headers: { authorization: (server?.headers as { value: string }[])[0]!.value },
      })
    ).status;
  const OPEN = 400,
    CLOSED = 404;

  test("separates servers with the same name in two sessions and closes them separately", async () => {
    await using w = fixture({
      stages: [
        adding("two", chain =>
          [1, 2].map(() => chain.offerMcp("same", transport => manyTools().connect(transport)).declaration),
        ),
        bridge(),
      ],
    });
    await w.initialize();
    const first = await w.setup("session/new", { mcpServers: [] }),
      second = await w.setup("session/new", { mcpServers: [] });
    const all = [...first.servers, ...second.servers];
    deepEqual(
      all.map(({ name }) => name),
      ["same", "same", "same", "same"],
    );
    equal(new Set(all.map(({ url }) => url)).size, 4);
    equal(new Set(all.map(({ headers }) => JSON.stringify(headers))).size, 4);
    notEqual(
      (
        await fetch(String(all[0]?.url), {
          method: "POST",
          headers: { authorization: (all[1]?.headers as { value: string }[])[0]!.value },
        })
      ).status,
      200,
    );
    await using client = await connected(all[3]!);
    await w.client.request("session/close", { sessionId: first.sessionId });
    deepEqual(await Promise.all(all.map(answers)), [CLOSED, CLOSED, OPEN, OPEN]);
    equal((await client.listTools()).tools.length, TOOLS);
    await w.client.request("session/delete", { sessionId: second.sessionId });
    deepEqual(await Promise.all(all.map(answers)), [CLOSED, CLOSED, CLOSED, CLOSED]);
  });

  test("opens new servers and closes the old ones on load and resume, but not on fork", async () => {
    await using w = fixture();
    await w.initialize();
    const made = await w.setup("session/new", { mcpServers: [] });
    const forked = await w.setup("session/fork", { sessionId: "s1", mcpServers: [] });
    deepEqual(await Promise.all([...made.servers, ...forked.servers].map(answers)), [OPEN, OPEN]);
    const loaded = await w.setup("session/load", { sessionId: "s1", mcpServers: [] });
    deepEqual(await Promise.all([...made.servers, ...loaded.servers, ...forked.servers].map(answers)), [
      CLOSED,
      OPEN,
      OPEN,
    ]);
    const resumed = await w.setup("session/resume", { sessionId: "s1", mcpServers: [] });
    deepEqual(await Promise.all([...loaded.servers, ...resumed.servers].map(answers)), [CLOSED, OPEN]);
  });

  test("closes the servers of a failed setup and keeps the session's servers after a failed load", async () => {
    let failing = false;
    await using w = fixture({
      agent: request => {
        if (failing) request.fail(new Error("no"));
        return failing;
      },
    });
    await w.initialize();
    const made = await w.setup("session/new", { mcpServers: [] });
    failing = true;
    await rejects(w.setup("session/load", { sessionId: "s1", mcpServers: [] }), /no/);
    deepEqual(await Promise.all([...made.servers, ...w.lastServers()].map(answers)), [OPEN, CLOSED]);
    await rejects(w.client.request("session/close", { sessionId: "s1" }), /no/);
    equal(await answers(made.servers[0]), OPEN);
  });

  test("answers a running call when its session closes", async () => {
    const began = new Signal();
    await using w = fixture({ stages: [tools("tools", began.fire), bridge()] });
    await w.initialize();
    const {
      servers: [server],
    } = await w.setup("session/new", { mcpServers: [] });
    await using client = await connected(server!);
    const waiting = client.callTool({ name: "wait" });
    await began.times(1);
    await w.client.request("session/close", { sessionId: "s1" });
    await rejects(waiting, /closed/);
  });

  test("closes the listener and all servers with the chain", async () => {
    const cancelled = new Signal(),
      began = new Signal();
    const w = fixture({
      stages: [
        tools("tools", line => {
          (line === "wait began" ? began : cancelled).fire();
        }),
        bridge(),
      ],
    });
    await w.initialize();
    const {
      servers: [server],
    } = await w.setup("session/new", { mcpServers: [] });
    const client = await connected(server!);
    const waiting = client.callTool({ name: "wait" });
    await began.times(1);
    const refused = rejects(waiting);
    await w[Symbol.asyncDispose]();
    await refused;
    await cancelled.times(1);
    await rejects(fetch(String(server?.url)));
    await client.close();
    equal(process.getActiveResourcesInfo().filter(kind => kind === "TCPServerWrap").length, 0);
    ok(
      w.warnings.every(line => !line.includes(String((server?.headers as { value: string }[])[0]!.value).slice(7))),
      "no token in the log",
    );
  });
});
