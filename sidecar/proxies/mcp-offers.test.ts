import { deepEqual, equal } from "node:assert/strict";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { isObject, objectOr } from "../rpc/json";
import { rig, type FakeNeighbour } from "../testing/chain/proxy-rig";
import { turn } from "../testing/turn";
import type { McpOffer } from "./proxy";

function echoServer(): McpServer {
  const server = new McpServer({ name: "echo", version: "1" });
  server.registerTool("echo", { description: "Says hello" }, () => ({ content: [{ type: "text", text: "hello" }] }));
  return server;
}

/** A proxy that offers a server. */
function offering() {
  const all = rig({});
  return { ...all, offer: all.chain.offerMcp("echo", transport => echoServer().connect(transport)) };
}

let lastId = 0;
/** Sends a request as the agent; returns the result, or the code of the error. */
async function ask(agent: FakeNeighbour, method: string, params: unknown): Promise<unknown> {
  const id = ++lastId;
  agent.deliver({ id, method, params });
  for (let i = 0; i < 50; i++) {
    const answer = agent.frames.map(({ message }) => message).find(message => "id" in message && message.id === id);
    if (answer) return "result" in answer ? answer.result : "error" in answer ? answer.error.code : undefined;
    await turn();
  }
  return "no answer";
}

const INITIALIZE = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
async function connected(agent: FakeNeighbour, { declaration }: McpOffer): Promise<unknown> {
  const { connectionId } = objectOr(await ask(agent, "mcp/connect", { acpId: declaration.id }));
  await ask(agent, "mcp/message", { connectionId, method: "initialize", params: INITIALIZE });
  return connectionId;
}

suite("proxy kit: own MCP servers", () => {
  test("is declared in a session and called by the agent without messages to the client", async () => {
    const { client, successor, offer } = offering(),
      { declaration } = offer;
    deepEqual([declaration.type, declaration.name, declaration.serverId === declaration.id], ["acp", "echo", true]);
    const connectionId = await connected(successor, offer);
    const called = await ask(successor, "mcp/message", {
      connectionId,
      method: "tools/call",
      params: { name: "echo", arguments: {} },
    });
    deepEqual(objectOr(called).content, [{ type: "text", text: "hello" }]);
    successor.deliver({ method: "mcp/message", params: { connectionId, method: "notifications/roots/list_changed" } });
    equal(isObject(await ask(successor, "mcp/disconnect", { connectionId })), true);
    deepEqual(client.received, []);
  });

  test("is found by name among several servers, and other messages pass", async () => {
    const { client, successor, chain, offer } = offering(),
      second = chain.offerMcp("more", transport => echoServer().connect(transport));
    await connected(successor, second);
    await connected(successor, offer);
    successor.deliver({ id: 900, method: "mcp/connect", params: { acpId: "another's" } });
    successor.deliver({ method: "mcp/message", params: { connectionId: "another's", method: "x" } });
    successor.deliver({ id: 901, method: "session/request_permission", params: {} });
    successor.deliver({ id: 902, result: 0 });
    successor.deliver({ id: 903, method: "mcp/message", params: { a: 1 } });
    deepEqual(client.news(), [
      'mcp/connect#900 {"acpId":"another\'s"}',
      'mcp/message {"connectionId":"another\'s","method":"x"}',
      "session/request_permission#901 {}",
      "#902 = 0",
      'mcp/message#903 {"a":1}',
    ]);
  });

  test("serves calls while other messages are held", async () => {
    const { successor, chain } = rig({ fromSuccessor: { notifications: { held: () => new Promise(() => {}) } } });
    const offer = chain.offerMcp("echo", transport => echoServer().connect(transport));
    successor.deliver({ method: "held" });
    equal(typeof (await connected(successor, offer)), "string");
  });

  test("rejects connections after its withdrawal or the end of the chain", async () => {
    const { client, successor, offer } = offering();
    await offer[Symbol.asyncDispose]();
    successor.deliver({ id: 900, method: "mcp/connect", params: { acpId: offer.declaration.id } });
    equal(client.news().length, 1);
    const second = offering();
    let isClosed = false;
    const server = echoServer();
    server.server.onclose = () => {
      isClosed = true;
    };
    const closing = second.chain.offerMcp("closes", transport => server.connect(transport));
    await connected(second.successor, closing);
    await second.served[Symbol.asyncDispose]();
    await turn();
    equal(isClosed, true);
  });
});
