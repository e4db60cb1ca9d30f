/**
 * MCP over ACP with mostly third-party servers and clients: the ACP SDK's provider, and a client of the stateless
 * revision.
 */
import { deepEqual, equal, rejects } from "node:assert/strict";
import * as acp from "@agentclientprotocol/sdk/unstable";
import {
  CreateMessageRequestSchema,
  EmptyResultSchema,
  ToolListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { arrayOr, objectOr, type JsonObject } from "../../rpc/json";
import { manyTools, TOOLS } from "./many-tools";
import { adding, chainOf, connected, Signal, Fixture } from "./mcp-fixture";
import { bridge, resultText, streamOf, plainAgent } from "./mcp-ends";

suite("MCP bridge and the ACP SDK's connectionless provider", () => {
  /** The SDK's client with one server, which the given handler implements. */
  async function opened(handler: acp.McpRequestHandler, maxActiveRequests = 64, refused: () => void = () => undefined) {
    const chain = chainOf([bridge()]),
      agent = plainAgent(chain),
      provider = new acp.McpOverAcpProvider();
    const connection = acp
      .client({ name: "independent" })
      .onRequest(acp.methods.client.mcp.message, async context => {
        try {
          return await provider.handleRequest(context);
        } catch (error) {
          if (objectOr(error).code === acp.McpBindingErrorCode.resourceLimitExceeded) refused();
          throw error;
        }
      })
      .connect(streamOf(chain.client));
    const server = provider.registerServer(connection.agent, { name: "theirs", handler, maxActiveRequests });
    await connection.agent.request(acp.methods.agent.initialize, { protocolVersion: 1 });
    await connection.agent.request(acp.methods.agent.session.new, { cwd: "/", mcpServers: [server.declaration] });
    const [declared] = agent.servers();
    if (!declared) throw new Error("no server reached the agent");
    return {
      declared,
      warnings: chain.warnings,
      server,
      [Symbol.asyncDispose]: async () => {
        connection.close();
        await chain[Symbol.asyncDispose]();
      },
    };
  }
  const TOOL = { name: "echo", inputSchema: { type: "object" } };
  const handler = (context: acp.McpOperationContext): acp.McpOutcome => {
    switch (context.method) {
      case "server/discover":
        return {
          result: {
            resultType: "complete",
            supportedVersions: ["2026-07-28"],
            capabilities: { tools: {} },
            instructions: "Mind them.",
            _meta: { "io.modelcontextprotocol/serverInfo": { name: "theirs", version: "9" } },
          },
        };
      case "tools/list":
        return { result: { resultType: "complete", tools: [TOOL], ttlMs: 0, cacheScope: "private" } };
      case "tools/call":
        return {
          result: {
            resultType: "complete",
            content: [
              {
                type: "text",
                text: JSON.stringify([context.params?.arguments, context.clientInfo, context.clientCapabilities]),
              },
            ],
          },
        };
      default:
        throw new acp.McpProtocolError(-32601, `no ${context.method}`, { method: context.method });
    }
  };

  test("initializes, lists and calls for a classic client, and keeps code and data of errors", async () => {
    await using o = await opened(handler);
    await using client = await connected(o.declared, () => undefined, { sampling: {} });
    deepEqual(
      [client.getServerVersion(), client.getInstructions(), client.getServerCapabilities()],
      [{ name: "theirs", version: "9" }, "Mind them.", { tools: {} }],
    );
    deepEqual((await client.listTools()).tools, [TOOL]);
    equal(
      resultText(await client.callTool({ name: "echo", arguments: { a: 1 } })),
      '[{"a":1},{"name":"test","version":"1"},{"sampling":{}}]',
    );
    await client.ping();
    await rejects(client.request({ method: "no/such" }, EmptyResultSchema), {
      code: -32601,
      data: { method: "no/such" },
    });
    await rejects(
      client.request({ method: "server/discover" }, EmptyResultSchema),
      { code: -32601 },
      "what no session has",
    );
  });

  test("lists tools of a server without discovery", async () => {
    await using o = await opened(context =>
      context.method === "server/discover" ? { error: { code: -32601, message: "no" } } : handler(context),
    );
    await using client = await connected(o.declared);
    deepEqual((await client.listTools()).tools, [TOOL]);
  });

  test("delivers progress before the response and forwards a cancellation", async () => {
    const began = new Signal(),
      cancelled = new Signal();
    await using o = await opened(async context => {
      if (context.method !== "tools/call") return handler(context);
      if (context.params?.name === "slow") {
        context.signal.addEventListener("abort", cancelled.fire);
        began.fire();
        return new Promise<never>((_, reject) =>
          context.signal.addEventListener("abort", () => reject(new Error("aborted"))),
        );
      }
      const { progressToken } = objectOr(context.params?._meta);
      for (let progress = 1; progress <= 3; progress++)
        await context.notify("notifications/progress", { progressToken, progress });
      return handler(context);
    });
    await using client = await connected(o.declared);
    const progress: number[] = [];
    await client.callTool({ name: "echo" }, undefined, { onprogress: each => progress.push(each.progress) });
    deepEqual(progress, [1, 2, 3]);
    const aborting = new AbortController(),
      slow = client.callTool({ name: "slow" }, undefined, { signal: aborting.signal });
    await began.times(1);
    aborting.abort();
    await rejects(slow);
    await cancelled.times(1);
  });

  test("responds to 100 parallel calls to a server that admits 8", async () => {
    let open = 0,
      most = 0;
    const refused = new Signal();
    await using o = await opened(
      async context => {
        if (context.method !== "tools/call") return handler(context);
        most = Math.max(most, ++open);
        await refused.times(1);
        open--;
        return handler(context);
      },
      8,
      refused.fire,
    );
    await using client = await connected(o.declared);
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, i) => client.callTool({ name: "echo", arguments: { i } })),
    );
    deepEqual(
      results.map(result => objectOr(arrayOr(JSON.parse(resultText(result)))[0]).i),
      Array.from({ length: 100 }, (_, i) => i),
    );
    equal(most, 8);
  });

  test("requests required input from the client and repeats the call with it", async () => {
    const states: unknown[] = [];
    await using o = await opened(context => {
      if (context.method !== "tools/call") return handler(context);
      const { inputResponses, requestState } = context.params ?? {};
      states.push(requestState);
      if (inputResponses)
        return {
          result: { resultType: "complete", content: [{ type: "text", text: JSON.stringify(inputResponses) }] },
        };
      const asked = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
      return {
        result: { resultType: "input_required", inputRequests: { a: asked, b: asked }, requestState: "opaque" },
      };
    });
    let asked = 0;
    await using client = await connected(
      o.declared,
      each =>
        each.setRequestHandler(CreateMessageRequestSchema, () => ({
          model: "m",
          role: "assistant" as const,
          content: { type: "text" as const, text: `answer ${++asked}` },
        })),
      { sampling: {} },
    );
    const answers = objectOr(JSON.parse(resultText(await client.callTool({ name: "echo" }))));
    deepEqual(
      [objectOr(objectOr(answers.a).content).text, objectOr(objectOr(answers.b).content).text],
      ["answer 1", "answer 2"],
    );
    deepEqual(states, [undefined, "opaque"]);
  });

  test("combines list changes and watched resources in one subscription", async () => {
    const filters: unknown[] = [],
      ended = new Signal(),
      changed = new Signal();
    await using o = await opened(context => {
      if (context.method === "server/discover")
        return {
          result: {
            resultType: "complete",
            supportedVersions: [],
            capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
          },
        };
      if (context.method !== "subscriptions/listen") return handler(context);
      filters.push(context.params?.notifications);
      const _meta = { "io.modelcontextprotocol/subscriptionId": context.requestId };
      void context.notify("notifications/subscriptions/acknowledged", { _meta, notifications: {} });
      void context.notify("notifications/tools/list_changed", { _meta });
      if (filters.length > 1) void context.notify("notifications/resources/updated", { _meta, uri: "test:/1" });
      context.signal.addEventListener("abort", ended.fire);
      return new Promise<never>((_, reject) =>
        context.signal.addEventListener("abort", () => reject(new Error("aborted"))),
      );
    });
    await using client = await connected(o.declared, each => {
      each.setNotificationHandler(ToolListChangedNotificationSchema, changed.fire);
      each.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
        deepEqual(params, { _meta: {}, uri: "test:/1" });
        changed.fire();
      });
    });
    await changed.times(1);
    await client.subscribeResource({ uri: "test:/1" });
    await changed.times(3);
    equal(ended.count, 1, "the first one has ended");
    await client[Symbol.asyncDispose]();
    await ended.times(2);
    deepEqual(filters, [{ toolsListChanged: true }, { toolsListChanged: true, resourceSubscriptions: ["test:/1"] }]);
  });

  test("rejects calls to a withdrawn server", async () => {
    await using o = await opened(handler);
    await using client = await connected(o.declared);
    await o.server.dispose();
    await rejects(client.listTools(), { code: -33001 });
  });

  test("forwards a client of the stateless revision unchanged", async () => {
    await using o = await opened(handler);
    const call = await stateless(o.declared, "tools/call", { name: "echo", arguments: { b: 2 } });
    deepEqual([call.status, call.body.id, resultText(call.body.result)], [200, 1, '[{"b":2},null,{"roots":{}}]']);
    const none = await stateless(o.declared, "no/such");
    deepEqual(
      [none.status, none.body.error],
      [404, { code: -32601, message: "no no/such", data: { method: "no/such" } }],
    );
  });
});

/** Sends one request of the MCP revision 2026-07-28. `on` receives the events before the response. */
async function stateless(
  server: JsonObject,
  method: string,
  params: JsonObject = {},
  {
    headers = {},
    signal,
    on,
  }: { headers?: Record<string, string>; signal?: AbortSignal; on?: (message: JsonObject) => void } = {},
): Promise<{ status: number; body: JsonObject }> {
  const _meta = {
    ...objectOr(params._meta),
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { roots: {} },
  };
  const response = await fetch(String(server.url), {
    method: "POST",
    ...(signal ? { signal } : {}),
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
    headers: {
      authorization: String(objectOr(arrayOr(server.headers)[0]).value),
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...headers,
    },
  });
  if (response.headers.get("content-type") === "application/json")
    return { status: response.status, body: objectOr(await response.json()) };
  let text = "",
    last: JsonObject = {};
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const data = text
        .slice(0, end)
        .split("\n")
        .find(line => line.startsWith("data: "));
      text = text.slice(end + 2);
      if (data === undefined) continue;
      last = objectOr(JSON.parse(data.slice(6)));
      if ("method" in last) on?.(last);
    }
  }
  return { status: response.status, body: last };
}

suite("MCP bridge and a client of the stateless revision", () => {
  const note = new Map<string, Signal>();
  const onEvent = (line: string): Signal => {
    const signal = note.get(line) ?? new Signal();
    note.set(line, signal);
    return signal;
  };
  const opened = async () => {
    note.clear();
    const w = new Fixture({
      stages: [
        adding("ours", chain => [
          chain.offerMcp("ours", transport => manyTools(line => onEvent(line).fire()).connect(transport)).declaration,
        ]),
        bridge(),
      ],
    });
    await w.initialize();
    const {
      servers: [server],
    } = await w.setup("session/new", { mcpServers: [] });
    return Object.assign(w, { server: server ?? {} });
  };

  test("discovers, lists and calls a classic server, with shared progress tokens", async () => {
    await using w = await opened();
    const discovered = objectOr((await stateless(w.server, "server/discover")).body.result);
    deepEqual(discovered, {
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      instructions: "Use them all.",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "many", version: "7" } },
    });
    const listed = objectOr((await stateless(w.server, "tools/list")).body.result);
    deepEqual([arrayOr(listed.tools).length, listed.resultType, listed.ttlMs], [TOOLS, "complete", 0]);
    const progressed: unknown[][] = [[], []];
    await Promise.all(
      progressed.map(list =>
        stateless(
          w.server,
          "tools/call",
          { name: "progress", _meta: { progressToken: "same" } },
          { on: message => list.push(message.params) },
        ),
      ),
    );
    const expected = [1, 2, 3].map(progress => ({ progressToken: "same", progress, total: 3 }));
    deepEqual(progressed, [expected, expected]);
  });

  test("cancels the call when the client closes the response", async () => {
    await using w = await opened();
    const aborting = new AbortController(),
      waiting = stateless(w.server, "tools/call", { name: "wait" }, { signal: aborting.signal });
    await onEvent("wait began").times(1);
    aborting.abort();
    await rejects(waiting, /abort/i);
    await onEvent("wait was cancelled").times(1);
  });

  test("delivers a subscription under its id until the stream ends", async () => {
    await using w = await opened();
    const notifications: JsonObject[] = [],
      aborting = new AbortController(),
      acknowledged = new Signal(),
      all = new Signal();
    const listening = stateless(
      w.server,
      "subscriptions/listen",
      { notifications: { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["test:/one"] } },
      {
        signal: aborting.signal,
        on: message => {
          notifications.push(message);
          acknowledged.fire();
          all.fire();
        },
      },
    );
    await acknowledged.times(1);
    await stateless(w.server, "tools/call", { name: "change" });
    await all.times(3);
    const _meta = { "io.modelcontextprotocol/subscriptionId": 1 };
    deepEqual(
      notifications.map(({ method, params }) => [method, params]),
      [
        [
          "notifications/subscriptions/acknowledged",
          { _meta, notifications: { toolsListChanged: true, resourceSubscriptions: ["test:/one"] } },
        ],
        ["notifications/tools/list_changed", { _meta }],
        ["notifications/resources/updated", { uri: "test:/one", _meta }],
      ],
    );
    aborting.abort();
    await rejects(listening, /abort/i);
    await onEvent("unsubscribe test:/one").times(1);
  });

  test("rejects methods that the revision lacks and inconsistent headers", async () => {
    await using w = await opened();
    for (const method of ["initialize", "ping", "logging/setLevel", "resources/subscribe"])
      deepEqual([method, (await stateless(w.server, method)).status], [method, 404]);
    const lying = await stateless(w.server, "tools/call", { name: "roots" }, { headers: { "mcp-name": "other" } });
    deepEqual([lying.status, objectOr(lying.body.error).code], [400, -32020]);
    const encoded = await stateless(
      w.server,
      "tools/call",
      { name: "tool_1" },
      { headers: { "mcp-name": `=?base64?${Buffer.from("tool_1").toString("base64")}?=` } },
    );
    equal(encoded.status, 200);
    const later = await stateless(w.server, "tools/list", {}, { headers: { "mcp-protocol-version": "2030-01-01" } });
    deepEqual([later.status, objectOr(later.body.error).code], [400, -32020]);
    const response = await fetch(String(w.server.url), {
      method: "POST",
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/list",
        params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2030-01-01" } },
      }),
      headers: {
        authorization: String(objectOr(arrayOr(w.server.headers)[0]).value),
        "content-type": "application/json",
      },
    });
    deepEqual([response.status, objectOr(objectOr(await response.json()).error).code], [400, -32022]);
  });

  test("responds to a running call when its session closes", async () => {
    await using w = await opened();
    const waiting = stateless(w.server, "tools/call", { name: "wait" });
    await onEvent("wait began").times(1);
    await w.client.request("session/close", { sessionId: "s1" });
    deepEqual(objectOr((await waiting).body.error), { code: -33001, message: "The MCP server is closed." });
    await onEvent("wait was cancelled").times(1);
  });
});
