/**
 * Agent that offers every session's MCP servers in all sessions of its process, with an extension whose tool requests
 * permission (issue 14 item 3).
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { mcpBridge } from "../../conductor/mcp-bridge";
import { sessionTools } from "../../extensions/session-tools";
import type { ProxyDefinition } from "../../proxies/proxy";
import { objectOr, type JsonObject } from "../../rpc/json";
import type { IncomingRequest } from "../../rpc/peer";
import { FakeClock } from "../fake-clock";
import { connected, HTTP_AGENT, Fixture } from "./mcp-fixture";

/** Extension with one tool that requests permission first, in the tab of the session to which the server belongs. */
export const asking: ProxyDefinition = {
  name: "Notes",
  create: chain => {
    const tools = sessionTools(chain, {
      name: "notes",
      server: place => ({
        connect: async transport => {
          const server = new Server({ name: "notes", version: "1" }, { capabilities: { tools: {} } });
          server.setRequestHandler(ListToolsRequestSchema, () => ({
            tools: [{ name: "keep", inputSchema: { type: "object" } }],
          }));
          server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
            await chain.client.request("session/request_permission", {
              sessionId: place.sessionId(),
              toolCall: { toolCallId: "q", rawInput: params.arguments },
            });
            return { content: [{ type: "text", text: `kept in ${String(place.sessionId())}` }] };
          });
          await server.connect(transport);
        },
      }),
    });
    return { fromClient: { requests: tools.requests }, close: () => tools.close() };
  },
};

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`there is no number ${index}`);
  return found;
}

export class SharingAgent implements AsyncDisposable {
  readonly asked: (readonly [tab: unknown, input: unknown])[] = [];
  readonly clock = new FakeClock();
  readonly ids: string[] = [];
  readonly #servers: { readonly name: string; readonly client: Client & AsyncDisposable }[] = [];
  readonly #turns = new Map<string, IncomingRequest>();
  readonly #ended: Promise<unknown>[] = [];
  readonly fixture = new Fixture({
    stages: [asking, mcpBridge({ clock: this.clock })],
    initialized: HTTP_AGENT,
    client: request => {
      const { sessionId, toolCall } = objectOr(request.params);
      this.asked.push([sessionId, objectOr(toolCall).rawInput]);
      request.respond({ outcome: { outcome: "selected", optionId: "allow" } });
    },
    agent: request => {
      if (request.method !== "session/prompt") return false;
      this.#turns.set(String(objectOr(request.params).sessionId), request);
      return true;
    },
  });

  static async open(count: number): Promise<SharingAgent> {
    const agent = new SharingAgent();
    await agent.fixture.initialize();
    for (let i = 0; i < count; i++) {
      agent.ids.push(String((await agent.fixture.setup("session/new", { cwd: "/", mcpServers: [] })).sessionId));
      const server = at(agent.fixture.lastServers(), 0);
      agent.#servers.push({ name: String(server.name), client: await connected(server) });
    }
    return agent;
  }

  async begin(session: number): Promise<void> {
    const id = at(this.ids, session);
    this.#ended.push(this.fixture.client.request("session/prompt", { sessionId: id, prompt: [] }));
    while (!this.#turns.has(id)) await new Promise(setImmediate);
  }

  end(session: number): void {
    this.#turns.get(at(this.ids, session))?.respond({ stopReason: "end_turn" });
  }

  /** Announces a call as OpenCode does: the title consists of the names of the server and the tool. */
  async announce(session: number, server: number, toolCallId: string, rawInput: JsonObject): Promise<void> {
    this.fixture.agent.notify("session/update", {
      sessionId: this.ids[session],
      update: {
        sessionUpdate: "tool_call",
        toolCallId,
        title: `${at(this.#servers, server).name}_keep`,
        kind: "other",
        rawInput,
      },
    });
    await new Promise(setImmediate);
  }

  async call(server: number, args: JsonObject): Promise<string> {
    const { content } = await at(this.#servers, server).client.callTool({ name: "keep", arguments: args });
    return String(objectOr((content as unknown[])[0]).text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const turn of this.#turns.keys()) this.end(this.ids.indexOf(turn));
    await Promise.allSettled(this.#ended);
    for (const { client } of this.#servers) await client[Symbol.asyncDispose]();
    await this.fixture[Symbol.asyncDispose]();
  }
}
