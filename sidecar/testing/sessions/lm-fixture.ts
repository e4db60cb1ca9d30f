/** The model picker's service with agents in memory and a simulated VS Code that stores its chats. */
import { equal, ok } from "node:assert/strict";
import type { ExtensionConfig } from "../../../src/protocol/agents/extensions";
import type { ChatRequest, RequestId } from "../../../src/protocol/lm/lm";
import { AgentConnection } from "../../acp/connection";
import type { MissingExtension } from "../../acp/chain-extensions";
import { AgentPool, type AgentKey } from "../../agents/pool";
import type { AgentError } from "../../errors";
import { SimulatedChat, type SimulatedTurn } from "../../lm/fixtures/simulated-chat";
import { LmService } from "../../lm/lm-service";
import { QUIET_MS } from "../../lm/session/question-debounce";
import { ToolOffers, type OfferTerms, type ToolOffer } from "../../lm/tools/tool-offer";
import { arrayOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import type { IncomingRequest } from "../../rpc/peer";
import type { Trace } from "../../conductor/component";
import { traceEvent } from "../../conductor/trace";
import { traced } from "../../conductor/traced-channel";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { json, traceText, TranscriptLines } from "../golden/lines";
import { MemoryAgent } from "../memory-agent";

class Offers extends ToolOffers {
  readonly opened: ToolOffer[] = [];
  override open(terms: OfferTerms, server?: string): ToolOffer {
    const offer = super.open(terms, server);
    this.opened.push(offer);
    return offer;
  }
}

const NEVER = { aborted: false, addEventListener: () => undefined };

export class LmFixture implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly agents: MemoryAgent[] = [];
  readonly offers = new Offers(() => undefined);
  readonly log: string[] = [];
  /** Messages of the log with their details. */
  readonly details: (readonly [level: string, message: string, detail: unknown])[] = [];
  /** Notifications to the host, and the outcomes of requests. */
  readonly notifications: string[] = [];
  readonly persisted = new Map<string, unknown>();
  readonly policy = new Map<string | undefined, "ask" | "allow">();
  /** Ids in the parameters of calls to Symposium's own tools. */
  readonly questions: string[] = [];
  readonly #calls = new Map<RequestId, string[]>();
  #ids = 0;
  #requests = 0;
  /** `initialize` response of the agents. */
  initialized: unknown = { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {} } } };
  /**
   * `opened`: members of the `session/new` response besides the id. `manual`: additional methods that the test handles.
   */
  opened: JsonObject = {};
  manual: readonly string[] = [];
  /**
   * `extensions`: extensions of new conversations. `behind`: extension ids of each started agent. `missing`: extensions
   * that are missing in the next agent's chain.
   */
  extensions: readonly ExtensionConfig[] = [];
  readonly behind: string[] = [];
  missing: readonly MissingExtension[] = [];
  /**
   * `missingTools`: sentence about missing tools. `toolLines`: counts of tools. `onToolChange`: called when they
   * change.
   */
  missingTools: string | undefined;
  toolLines: readonly string[] = [];
  canConfigure = false;
  /** The folders of each session whose changes are recorded. */
  readonly recordedFolders: (readonly string[])[] = [];
  /** Connects to a new agent in place of a direct connection. */
  connect: ((key: AgentKey, signal: AbortSignal, agent: MemoryAgent) => Promise<AgentConnection>) | undefined;
  onToolChange = (): void => undefined;
  /** Error with which agents fail to start. */
  startFailure: AgentError | undefined;
  readonly pool = new AgentPool(
    async (key, signal) => {
      const {
        agent: { name },
        protocol,
        extensions = [],
      } = key;
      const { missing, startFailure } = this;
      if (startFailure) throw startFailure;
      this.behind.push(extensions.map(({ id }) => id).join(" "));
      const agent = new MemoryAgent(
        ["session/prompt", "session/load", "session/fork", ...this.manual],
        this.initialized,
        this.opened,
      );
      this.agents.push(agent);
      if (this.connect) return this.connect(key, signal, agent);
      return AgentConnection.connect(traced(agent.channel, "client", "agent", 0, this.#trace), {
        name,
        version: "1",
        protocol,
        role: "lm",
        clock: this.clock,
        onWarning: () => undefined,
        lastWords: () => "",
        stop: async () => undefined,
        missing: () => missing,
        extensions: {
          of: () => [],
          missingTools: () => this.missingTools,
          toolLines: () => this.toolLines,
          canConfigure: () => this.canConfigure,
          listen: (_, changed) => {
            this.onToolChange = changed;
            return { [Symbol.dispose]: () => undefined };
          },
        },
      });
    },
    error => {
      throw error;
    },
  );
  readonly service: LmService;
  isCongested = false;

  /** Messages since `record`. */
  readonly lines = new TranscriptLines();
  #isRecording = false;
  readonly #trace: Trace = {
    message: (from, to, frame) => {
      const event = traceEvent(from, to, frame, 0);
      if (event) this.#record(from, to, traceText(event));
    },
  };
  record(): void {
    this.#isRecording = true;
  }
  #record(from: string, to: string, text: string): void {
    if (this.#isRecording) this.lines.add(from, to, text);
  }

  /** `before`: fixture whose persisted sessions are restored. */
  constructor(before?: LmFixture, load?: () => Promise<readonly unknown[]>) {
    if (before)
      for (const [id, session] of before.persisted) this.persisted.set(id, JSON.parse(JSON.stringify(session)));
    this.service = new LmService({
      clock: this.clock,
      pool: this.pool,
      offers: this.offers,
      cwd: "/home",
      extensions: () => this.extensions,
      date: () => this.clock.now(),
      record: ({ folders }) => {
        this.recordedFolders.push(folders);
        return undefined;
      },
      freshId: () => `${before ? "later" : "session"}-${++this.#ids}`,
      policy: agentId => this.policy.get(agentId) ?? "ask",
      keeper: {
        load: load ?? (async () => [...this.persisted.values()]),
        save: (id, session, { from, added }) => {
          this.persisted.set(id, {
            ...session,
            turns: [...arrayOr(objectOr(this.persisted.get(id)).turns).slice(0, from), ...added],
          });
        },
        forget: ids => {
          for (const id of ids) this.persisted.delete(id);
        },
      },
      onFacts: ({ agentId, images, contextTokens }) => {
        this.notifications.push(`learned ${agentId} ${images ?? contextTokens}`);
      },
      log: (level, message, detail) => {
        this.log.push(message);
        this.details.push([level, message, detail]);
        if (level === "error" && message !== "Agent failed") throw new Error(`${message} ${JSON.stringify(detail)}`);
      },
      host: {
        isCongested: () => this.isCongested,
        complete: requestId => {
          this.notifications.push(`complete ${requestId}`);
        },
        part: (requestId, part) => {
          this.#record("sidecar", "host", `lm/responsePart${json({ requestId, part })}`);
          if (part.type === "tool_call") {
            this.#calls.set(requestId, [...(this.#calls.get(requestId) ?? []), part.toolCallId]);
            if (part.toolName.startsWith("symposium-agent-"))
              this.questions.push(stringOr(objectOr(part.parameters).id, ""));
          }
          this.notifications.push(
            `${requestId}: ${part.type === "text" || part.type === "thinking" ? part.value : part.type === "tool_call" ? `[${part.toolName}]` : part.type}`,
          );
        },
      },
    });
  }

  /** The latest agent. */
  get agent(): MemoryAgent {
    return defined(this.agents.at(-1));
  }
  get offer(): ToolOffer {
    return defined(this.offers.opened.at(-1));
  }

  /** Sends a request. Its end is recorded as `ok 1` or `failed 1: why`. */
  request(request: ChatRequest, requestId: RequestId = ++this.#requests): RequestId {
    this.#record(
      "host",
      "sidecar",
      `lm/provideLanguageModelChatResponse${json({ requestId, ...request, options: {} })}`,
    );
    this.service.handlers["lm/provideLanguageModelChatResponse"]({ ...request, requestId }, NEVER).then(
      result => {
        this.#record("sidecar", "host", `lm/provideLanguageModelChatResponse =${json({ requestId, result })}`);
        this.notifications.push(`ok ${requestId}`);
      },
      (error: unknown) => this.notifications.push(`failed ${requestId}: ${objectOr(error).message}`),
    );
    return requestId;
  }

  calls(requestId: RequestId): readonly string[] {
    return this.#calls.get(requestId) ?? [];
  }
  text(requestId: RequestId): string {
    return this.notifications
      .filter(line => line.startsWith(`${requestId}: `) && !line.startsWith(`${requestId}: [`))
      .map(line => line.slice(`${requestId}: `.length))
      .join("");
  }

  /** Simulates a message of the user. */
  ask(chat: SimulatedChat, words: string): RequestId {
    chat.ask({ id: 0, words, rounds: [], isCut: false });
    return this.request(chat.request());
  }

  /** Adds the response of a request to the chat, in the form in which VS Code stores it. */
  took(chat: SimulatedChat, requestId: RequestId, results?: (callId: string) => string): SimulatedTurn {
    const turn = defined(chat.last);
    turn.rounds.push({
      text: this.text(requestId),
      calls: this.calls(requestId).map(id => ({ id, result: results?.(id) })),
    });
    return turn;
  }

  /** Waits for the next prompt of `agent`. Default: the latest agent. */
  async prompted(
    agent?: MemoryAgent,
  ): Promise<{ readonly request: IncomingRequest; readonly sessionId: string; readonly text: string }> {
    await this.settle();
    const request = await (agent ?? this.agent).next("session/prompt"),
      { sessionId, prompt } = objectOr(request.params);
    return {
      request,
      sessionId: stringOr(sessionId, ""),
      text: arrayOr(prompt)
        .map(block => stringOr(objectOr(block).text, ""))
        .join("\n"),
    };
  }

  /** Runs a whole turn: the user's message and the agent's response. Resolves with the session id and the prompt. */
  async turn(chat: SimulatedChat, words: string, answer: string): Promise<string> {
    const requestId = this.ask(chat, words),
      { request, sessionId, text } = await this.prompted();
    this.agent.report(sessionId, answer);
    request.respond({ stopReason: "end_turn" });
    await this.settle();
    this.took(chat, requestId);
    return `${sessionId} ${text}`;
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
    await this.service[Symbol.asyncDispose]();
    await this.pool[Symbol.asyncDispose]();
    await this.settle();
    equal(this.clock.waiting, 0, "a timer was leaked");
    for (const agent of this.agents) ok(agent.received.at(-1) === "closed", "an agent is left");
  }
}

function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the value is undefined");
  return value;
}

export function chatOf(name: string, marks: "all" | "id" | "none" = "all"): SimulatedChat {
  return new SimulatedChat(`conversation ${name}`, name, marks);
}

/** Records of one request. */
export const lines = (fixture: LmFixture, requestId: RequestId): readonly string[] =>
  fixture.notifications.filter(line => new RegExp(`(^| )${requestId}(:|$)`).test(line));
