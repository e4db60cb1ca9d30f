// An ACP agent that is only an MCP client. Both sides use the SDKs. A prompt makes it connect to every server of its
// session, use all features of the server, and report the exchanged messages verbatim.
import { agent, ndJsonStream } from "@agentclientprotocol/sdk";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Readable, Writable } from "node:stream";

const TOGETHER = 20;
const sessions = new Map();

agent({ name: "mcp-client" })
  .onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } }))
  .onRequest("session/new", ({ params: { mcpServers } }) => {
    const sessionId = crypto.randomUUID();
    sessions.set(sessionId, mcpServers);
    return { sessionId };
  })
  .onRequest("session/prompt", async ({ params: { sessionId }, client }) => {
    const say = text =>
      client.notify("session/update", {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      });
    for (const server of sessions.get(sessionId)) {
      for (const text of await conversationWith(server)) await say(text);
    }
    return { stopReason: "end_turn" };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

/**
 * The client's messages in order, then the server's responses in the order of their requests, then its other messages.
 * Responses to cancelled requests are omitted, because MCP permits a server to omit the response.
 */
async function conversationWith(server) {
  const sent = [],
    received = [];
  const client = new Client({ name: "mcp-client", version: "1" });
  await client.connect(recorded(transportTo(server), sent, received));
  await useAll(client);
  await client.close();
  const cancelled = sent
    .filter(({ method }) => method === "notifications/cancelled")
    .map(({ params }) => params.requestId);
  const answers = received.filter(({ id }) => id !== undefined && !cancelled.includes(id)).sort((a, b) => a.id - b.id);
  const besides = received.filter(({ id }) => id === undefined);
  return [
    ...sent.map(message => `→ ${JSON.stringify(message)}`),
    ...[...answers, ...besides].map(message => `← ${JSON.stringify(message)}`),
  ];
}

async function useAll(client) {
  const call = (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, undefined, options);
  await client.ping();
  for (let cursor; ; ) {
    ({ nextCursor: cursor } = await client.listTools({ cursor }));
    if (cursor === undefined) break;
  }
  for (const name of ["image", "fail", "structured"]) await call(name);
  await call("echo", { text: 'said once \u2028 "\\/é😀' });
  await call("no-such-tool").catch(() => {});
  await client.request({ method: "no/such-method", params: {} }, { parse: value => value }).catch(() => {});
  await Promise.all(Array.from({ length: TOGETHER }, (_, i) => call("add", { a: i, b: 0.5 })));
  const cancelled = new AbortController(),
    slow = call("slow", {}, { signal: cancelled.signal }).catch(() => {});
  cancelled.abort("It takes too long.");
  await slow;
  await client.ping();
}

function transportTo(server) {
  const pairs = list => Object.fromEntries(list.map(({ name, value }) => [name, value]));
  return server.type === "http"
    ? new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: pairs(server.headers) } })
    : new StdioClientTransport({ command: server.command, args: server.args, env: pairs(server.env) });
}

function recorded(transport, sent, received) {
  const outer = {
    start: () => transport.start(),
    send: (message, options) => {
      sent.push(message);
      return transport.send(message, options);
    },
    close: () => transport.close(),
    setProtocolVersion: version => transport.setProtocolVersion?.(version),
  };
  transport.onmessage = (message, extra) => {
    received.push(message);
    outer.onmessage(message, extra);
  };
  transport.onclose = () => outer.onclose?.();
  transport.onerror = error => outer.onerror?.(error);
  return outer;
}
