/** One session of a model with an agent in memory. The test simulates VS Code and the agent. */
import { equal, fail } from "node:assert/strict";
import type { ChatTool, RequestId } from "../../../src/protocol/lm/lm";
import { AgentConnection } from "../../acp/connection";
import type { MissingExtension } from "../../acp/chain-extensions";
import { AgentPool } from "../../agents/pool";
import { objectOr, stringOr } from "../../rpc/json";
import type { IncomingRequest } from "../../rpc/peer";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { MemoryAgent } from "../memory-agent";
import { NO_CONTEXT, type ChatContext } from "../../lm/history/chat-context";
import { QUIET_MS } from "../../lm/session/question-debounce";
import { SessionActor } from "../../lm/session/session-actor";
import type { ModelSessionStart, SessionMessage } from "../../lm/session/session-message";
import type { Recipient } from "../../lm/session/session-state-model";
import { ToolOffers, type ToolOffer } from "../../lm/tools/tool-offer";
import { TOOLS_KEY } from "../../lm/tools/tools-proxy";

const TOOLS: readonly ChatTool[] = ["lookUp", "count", "symposium-agent-codex-execute"].map(name => ({
  name,
  description: name,
  inputSchema: { type: "object", properties: {} },
}));
export const OPTIONS = [
  { optionId: "yes", kind: "allow_once", name: "Yes" },
  { optionId: "no", kind: "reject_once", name: "No" },
];

export class SessionFixture implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly agents: MemoryAgent[] = [];
  readonly notifications: string[] = [];
  readonly messages: SessionMessage[] = [];
  readonly offers = new ToolOffers(() => undefined);
  readonly log: string[] = [];
  policy: "ask" | "allow" = "ask";
  /** Whether the next prompt mentions tools. */
  namesTools = false;
  /** The user's choices for the next prompt. */
  context: ChatContext = NO_CONTEXT;
  /** Extensions that are missing in the agent's chain. */
  missing: readonly MissingExtension[] = [];
  readonly initialized: unknown = {
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true },
      sessionCapabilities: { close: {}, fork: {} },
    },
  };
  readonly pool = new AgentPool(
    async key => {
      equal(key.role, "lm");
      const agent = new MemoryAgent(
        [...this.manual, "session/new", "session/load", "session/resume", "session/fork", "session/prompt"],
        this.initialized,
      );
      this.agents.push(agent);
      return AgentConnection.connect(agent.channel, {
        name: "Ada",
        version: "1",
        protocol: key.protocol,
        role: "lm",
        clock: this.clock,
        onWarning: () => undefined,
        lastWords: () => "",
        stop: async () => undefined,
        missing: () => this.missing,
      });
    },
    error => {
      throw error;
    },
  );
  readonly session: SessionActor;
  /** Recipient of each prompt. */
  readonly recipients: Recipient[] = [];

  constructor(
    start: Partial<ModelSessionStart> = {},
    initialized?: unknown,
    private readonly manual: readonly string[] = [],
  ) {
    if (initialized !== undefined) this.initialized = initialized;
    this.session = new SessionActor(
      {
        id: "12345678-abcd",
        agent: { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } },
        cwd: "/w",
        begin: { kind: "new" },
        tools: TOOLS,
        duplicates: false,
        isForeign: false,
        permissionGroup: "codex",
        ...start,
      },
      {
        clock: this.clock,
        pool: this.pool,
        offers: this.offers,
        policy: () => this.policy,
        log: (level, message, detail) => {
          this.log.push(message);
          if (level === "error" && message !== "Agent failed" && message !== "A prompt could not be created")
            throw new Error(`${message} ${JSON.stringify(detail)}`);
        },
        notify: message => this.#receive(message),
      },
    );
  }

  get agent(): MemoryAgent {
    return this.agents.at(-1) ?? fail("no agent was started");
  }

  #receive(message: SessionMessage): void {
    this.messages.push(message);
    switch (message.kind) {
      case "part":
        this.notifications.push(
          `${message.requestId}: ${"value" in message.part ? message.part.value : message.part.type === "tool_call" ? `[${message.part.toolName}]` : message.part.type}`,
        );
        return;
      case "finished":
        this.notifications.push(
          `${message.goesOn ? "pause" : "end"} ${message.requestId}${message.error === undefined ? "" : ` (${message.error})`}`,
        );
        return;
      case "turnOver":
        this.notifications.push(`${message.turn} ${message.how}`);
        return;
      default:
        return;
    }
  }

  /** Call ids of the response, oldest first. */
  calls(requestId: RequestId): readonly string[] {
    return this.messages.flatMap(message =>
      message.kind === "part" && message.requestId === requestId && message.part.type === "tool_call"
        ? [message.part.toolCallId]
        : [],
    );
  }

  get questionId(): string {
    return (
      this.messages.flatMap(message => (message.kind === "asked" ? [message.questionId] : [])).at(-1) ??
      fail("nothing was asked")
    );
  }

  ask(requestId: RequestId, text = `words of ${requestId}`): void {
    this.session.ask({
      requestId,
      text,
      context: () => this.context,
      namesTools: () => this.namesTools,
      blocks: to => {
        this.recipients.push(to);
        return [{ type: "text", text }];
      },
    });
  }
  back(requestId: RequestId, ...ids: readonly string[]): void {
    this.session.resume(
      requestId,
      ids.map(callId => ({ callId, result: `result of ${callId.at(-1)}`, isError: false })),
      undefined,
    );
  }

  /** Responds to the request that opens a session. Resolves with the offer that the request names. */
  async open(method = "session/new"): Promise<{ readonly request: IncomingRequest; readonly offer: ToolOffer }> {
    const opening = async () => (await this.#startedAgent()).next(method);
    const request = await opening();
    request.respond(method === "session/new" || method === "session/fork" ? { sessionId: "s" } : {});
    await this.settle();
    return {
      request,
      offer:
        this.offers.find(String(objectOr(objectOr(request.params)._meta)[TOOLS_KEY])) ?? fail("no tools were offered"),
    };
  }

  async #startedAgent(): Promise<MemoryAgent> {
    await this.settle();
    return this.agent;
  }

  /** Sends the first request and opens the session. Resolves when the agent has received the prompt. */
  async begin(): Promise<{ readonly offer: ToolOffer; readonly prompt: IncomingRequest }> {
    this.ask(1);
    const { offer } = await this.open();
    return { offer, prompt: await this.prompted() };
  }

  async prompted(): Promise<IncomingRequest> {
    const request = await this.agent.next("session/prompt");
    await this.settle();
    return request;
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve));
  }
  async debounced(): Promise<void> {
    await this.settle();
    this.clock.advance(QUIET_MS);
    await this.settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.close("The test is over.");
    await this.pool[Symbol.asyncDispose]();
    await this.settle();
    equal(this.clock.waiting, 0, "a timer was leaked");
  }
}

export const never = new AbortController().signal;
export const callOf = async (offer: ToolOffer, name: string, signal = never) =>
  stringOr(objectOr((await offer.call(name, {}, signal)).content[0]).text, "");
export const permission = (agent: MemoryAgent, toolCallId: string, title = "rm -rf /") =>
  agent.peer.request("session/request_permission", {
    sessionId: "s",
    toolCall: { toolCallId, title, kind: "execute", rawInput: { command: title } },
    options: OPTIONS,
  });
