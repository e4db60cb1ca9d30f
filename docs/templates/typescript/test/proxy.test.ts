/** A conversation with the proxy in memory: the test is its conductor. */
import { deepEqual, match } from "node:assert/strict";
import { test } from "node:test";
import type { AnyMessage } from "@agentclientprotocol/sdk";
import { serveProxy } from "../src/proxy.js";
import { readSettings } from "../src/settings.js";
import { ToolServer } from "../src/tools.js";

type Message = Record<string, unknown>;

/** Sends a message to the proxy. Resolves with the next message of the proxy. `settings`: as JSON. */
function conductor(settings?: string): (message: Message) => Promise<Message> {
  const toProxy = new TransformStream<AnyMessage, AnyMessage>(),
    fromProxy = new TransformStream<AnyMessage, AnyMessage>();
  void serveProxy({ readable: toProxy.readable, writable: fromProxy.writable }, new ToolServer(readSettings(settings)));
  const writer = toProxy.writable.getWriter(),
    reader = fromProxy.readable.getReader();
  return async message => {
    void writer.write({ jsonrpc: "2.0", ...message } as AnyMessage);
    return { ...(await reader.read()).value };
  };
}

const TOOL_CALL = {
  method: "tools/call",
  params: { name: "count_words", arguments: { text: "one two\nthree\n" } },
};

void test("forwards initialize to its successor, and the response to the client", async () => {
  const exchange = conductor(),
    params = { protocolVersion: 1, clientCapabilities: {} };
  deepEqual(await exchange({ id: "a", method: "proxy/initialize", params }), {
    jsonrpc: "2.0",
    id: 1,
    method: "proxy/successor",
    params: { method: "initialize", params },
  });
  const result = { protocolVersion: 1, agentCapabilities: {} };
  deepEqual(await exchange({ id: 1, result }), { jsonrpc: "2.0", id: "a", result });
});

void test("appends its server to a session, and answers calls of its tool", async () => {
  const exchange = conductor(),
    other = { name: "other", command: "other", args: [], env: [] };
  const setup = await exchange({ id: 1, method: "session/new", params: { cwd: "/", mcpServers: [other] } }),
    [, serverId = ""] = /"serverId":"([^"]+)"/.exec(JSON.stringify(setup)) ?? [];
  deepEqual(setup.params, {
    method: "session/new",
    params: { cwd: "/", mcpServers: [other, { type: "acp", name: "my-extension", serverId }] },
  });
  const called = await exchange({
    id: 2,
    method: "proxy/successor",
    params: { method: "mcp/message", params: { serverId, requestId: "1", ...TOOL_CALL } },
  });
  match(JSON.stringify(called), /^\{"jsonrpc":"2\.0","id":2,"result":\{"result":.*2 lines, 3 words/);
});

void test("counts characters if the user's settings say so", async () => {
  for (const [settings, expected] of [
    ['{"countCharacters":true}', /3 words, 14 characters/],
    ['{"countCharacters":"yes"}', /3 words"/],
    ["not JSON", /3 words"/],
  ] as const) {
    const exchange = conductor(settings),
      setup = await exchange({ id: 1, method: "session/new", params: { cwd: "/", mcpServers: [] } }),
      [, serverId = ""] = /"serverId":"([^"]+)"/.exec(JSON.stringify(setup)) ?? [];
    const params = { method: "mcp/message", params: { serverId, requestId: "1", ...TOOL_CALL } };
    match(JSON.stringify(await exchange({ id: 2, method: "proxy/successor", params })), expected);
  }
});

void test("forwards calls of other servers to the client, and cancels them with its own id", async () => {
  const exchange = conductor(),
    call = { method: "mcp/message", params: { serverId: "other", requestId: "1", ...TOOL_CALL } };
  deepEqual(await exchange({ id: "x", method: "proxy/successor", params: call }), { jsonrpc: "2.0", id: 1, ...call });
  deepEqual(await exchange({ method: "$/cancel_request", params: { requestId: "x" } }), {
    jsonrpc: "2.0",
    method: "$/cancel_request",
    params: { requestId: 1 },
  });
});
