/**
 * Agent that offers every session's MCP servers in all sessions of its process, with an extension whose tool requests
 * permission (issue 14 item 3).
 */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { mcpBridge } from "../../conductor/mcp-bridge";
import { LISTS_ON_DEMAND } from "../../mcp/agent-mcp-capabilities";
import { Consent, type GatedAction } from "../../extensions/consent";
import { sessionClient } from "../../extensions/session-client";
import { sessionTools } from "../../extensions/session-tools";
import type { ConnectMcp, ProxyDefinition } from "../../proxies/proxy";
import { objectOr, type JsonObject } from "../../rpc/json";
import type { IncomingRequest } from "../../rpc/peer";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import type { AcpVersion } from "./habit-agent";
import { connected, HTTP_AGENT, Fixture } from "./mcp-fixture";

/**
 * Extension with one tool that requires consent, in the tab of the session to which the server belongs. "Always"
 * applies to all of its calls in the session.
 */
export const asking: ProxyDefinition = {
  name: "Notes",
  create: chain => {
    const tools = sessionTools(chain, {
      name: "notes",
      server: place => {
        const consent = new Consent({
          extension: "notes",
          client: sessionClient(chain.client, place.sessionId),
          approve: "ask",
          version: () => 1,
        });
        const connect: ConnectMcp = async transport => {
          const server = new Server({ name: "notes", version: "1" }, { capabilities: { tools: {} } });
          server.setRequestHandler(ListToolsRequestSchema, () => ({
            tools: [{ name: "keep", inputSchema: { type: "object" } }],
          }));
          server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
            const action: GatedAction = {
              title: "Keep a note",
              kind: "edit",
              content: [],
              rawInput: params.arguments ?? {},
              standing: { key: "keep", name: "Always keep notes" },
            };
            const text = await consent.carryOut(
              action,
              { signal, progress: () => undefined },
              async () => `kept in ${String(place.sessionId())}`,
            );
            return { content: [{ type: "text", text }] };
          });
          await server.connect(transport);
        };
        return { connect };
      },
    });
    return { fromClient: { requests: tools.requests }, close: () => tools.close() };
  },
};

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`there is no number ${index}`);
  return found;
}

const V2_AGENT: JsonObject = {
  protocolVersion: 2,
  capabilities: { session: { mcp: { http: {} } }, _meta: { [LISTS_ON_DEMAND]: true } },
};

export class SharingAgent implements AsyncDisposable {
  /** The user's response to permission requests. */
  answer: "allow" | "always" = "allow";
  readonly asked: (readonly [tab: unknown, input: unknown])[] = [];
  readonly clock = new FakeClock();
  readonly ids: string[] = [];
  readonly #servers: { readonly name: string; readonly client: Client & AsyncDisposable }[] = [];
  readonly #turns = new Map<string, IncomingRequest>();
  readonly #ended: Promise<unknown>[] = [];
  readonly fixture: Fixture;

  private constructor(private readonly version: AcpVersion) {
    this.fixture = new Fixture({
      stages: [asking, mcpBridge({ clock: this.clock })],
      initialized: version === 1 ? HTTP_AGENT : V2_AGENT,
      client: request => {
        const { sessionId, toolCall } = objectOr(request.params);
        this.asked.push([sessionId, objectOr(toolCall).rawInput]);
        request.respond({ outcome: { outcome: "selected", optionId: this.answer } });
      },
      agent: request => {
        if (request.method !== "session/prompt") return false;
        const id = String(objectOr(request.params).sessionId);
        this.#turns.set(id, request);
        if (version === 2) request.respond({});
        if (version === 2) this.#state(id, { state: "running" });
        return true;
      },
    });
  }

  static async open(count: number, version: AcpVersion = 1): Promise<SharingAgent> {
    const agent = new SharingAgent(version);
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

  end(session: number, stopReason = "end_turn"): void {
    const id = at(this.ids, session),
      turn = this.#turns.get(id);
    this.#turns.delete(id);
    if (this.version === 1) turn?.respond({ stopReason });
    else if (turn) this.#state(id, { state: "idle", stopReason });
  }

  /** The user cancels the turn, and the agent ends it. */
  async cancel(session: number): Promise<void> {
    this.fixture.client.notify("session/cancel", { sessionId: at(this.ids, session) });
    await new Promise(setImmediate);
    this.end(session, "cancelled");
    await new Promise(setImmediate);
  }

  #state(sessionId: string, state: JsonObject): void {
    this.fixture.agent.notify("session/update", { sessionId, update: { sessionUpdate: "state_update", ...state } });
  }

  /** Announces a call like OpenCode: the title consists of the names of the server and the tool. */
  async announce(session: number, server: number, toolCallId: string, rawInput: JsonObject): Promise<void> {
    this.fixture.agent.notify("session/update", {
      sessionId: this.ids[session],
      update: {
        sessionUpdate: this.version === 1 ? "tool_call" : "tool_call_update",
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
    for (const turn of [...this.#turns.keys()]) this.end(this.ids.indexOf(turn));
    await Promise.allSettled(this.#ended);
    for (const { client } of this.#servers) await client[Symbol.asyncDispose]();
    await this.fixture[Symbol.asyncDispose]();
  }
}
