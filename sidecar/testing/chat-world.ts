/** The chat service between agents in memory and a host that applies what it is sent. */
import { equal, ok } from "node:assert/strict";
import { applyEvent, emptyConversation, type Conversation, type Entry } from "../../src/protocol/chat";
import { ErrorCode } from "../../src/protocol/errors";
import type { NewChat, SidecarToHost } from "../../src/protocol/sidecar";
import type { Calls, ParamsOf } from "../../src/protocol/wire";
import { AgentConnection } from "../agents/connection";
import { AgentPool } from "../agents/pool";
import { memoryJournal } from "../journal/journal";
import { BypassPolicy } from "../permissions/policy";
import { RpcError } from "../rpc/message";
import { FakeClock } from "./fake-clock";
import { MemoryAgent } from "./memory-agent";
import { ChatService, type Host } from "../chat/chat-service";
import { BATCH_MS } from "../chat/outbox";

type Sent = { [M in keyof SidecarToHost]: { readonly method: M; readonly params: ParamsOf<SidecarToHost, M> } }[keyof SidecarToHost];
type Asked = { [M in keyof Calls<SidecarToHost>]: { readonly method: M; readonly params: ParamsOf<SidecarToHost, M> } }[keyof Calls<SidecarToHost>];
export const NEVER = { aborted: false, addEventListener: () => undefined };
const ADA: NewChat = { agent: { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } }, cwd: "/w", shown: [] };

export class World implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly agents: MemoryAgent[] = [];
  readonly shown = new Map<string, Conversation>();
  readonly told: string[] = [];
  readonly wants: string[] = [];
  manual: readonly string[] = [];
  /** What the next agent answers to `initialize`. */
  initialized: unknown = undefined;
  readonly policy = new BypassPolicy([]);
  readonly pool = new AgentPool(async () => {
    const agent = new MemoryAgent(this.manual, this.initialized);
    this.agents.push(agent);
    return AgentConnection.connect(agent.channel, { name: "Ada", version: "1", protocol: 1, clock: this.clock, odd: () => undefined, lastWords: () => "", stop: async () => undefined });
  }, error => { throw error; });
  readonly service: ChatService;

  constructor() {
    const host: Host = {
      isCongested: () => false,
      request: async (method, params) => this.#answer({ method, params } as Asked) as never,
      notify: (method, params) => this.#take({ method, params } as Sent),
    };
    this.service = new ChatService({ bootId: "b", clock: this.clock, pool: this.pool, policy: this.policy, journal: memoryJournal, startCommand: () => { throw new Error("no command is started"); }, host,
      log: (level, _, message, detail) => { if (level === "error" && message !== "Agent failed") throw new Error(`${message}: ${JSON.stringify(detail)}`); } });
  }
  #take({ method, params }: Sent): void {
    switch (method) {
      case "chat/event": this.shown.set(params.sessionId, applyEvent(this.shown.get(params.sessionId) ?? emptyConversation({ id: "ada", name: "Ada" }, "/w"), params.event)); return;
      case "chat/snapshot": this.shown.set(params.sessionId, params.conversation); return;
      case "settings/setBypass": this.told.push(`bypass ${params.agentId}`); return;
      case "settings/setControl": this.told.push(`${params.controlId}=${String(params.value)}`); return;
      case "chat/attention": this.wants.push(`${params.wants} ${params.name}`); return;
      case "editor/openPage": this.told.push(`page ${params.url}`); return;
      default: throw new Error(method);
    }
  }
  #answer({ method, params }: Asked): unknown {
    if (params.path.endsWith("missing")) throw new RpcError(ErrorCode.noFile, "There is no such file.");
    if (method === "editor/readTextFile") return { text: `text\nof ${params.path}` };
    this.told.push(`write ${params.path}: ${params.text}`);
    return {};
  }
  open(chat: Partial<NewChat> = {}) { return this.service.handlers["chat/new"]({ ...ADA, ...chat }, NEVER).then(({ sessionId }) => sessionId); }
  prompt(sessionId: string, text: string, messageId = text) { return this.service.handlers["chat/prompt"]({ sessionId, messageId, blocks: [{ type: "text", text }] }, NEVER); }
  /** Lets everything that is under way happen, and the frame end. */
  async settle(): Promise<void> {
    for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve));
    this.clock.advance(BATCH_MS);
  }
  /** For what the file system has to do first. */
  async until(isSo: () => boolean): Promise<void> {
    for (let i = 0; i < 1000 && !isSo(); i++) await this.settle();
    ok(isSo());
  }
  entries(sessionId: string): readonly Entry[] { return this.shown.get(sessionId)?.entries ?? []; }
  story(sessionId: string): readonly string[] {
    return this.entries(sessionId).map(entry => entry.kind === "permission" ? `${entry.kind} ${entry.answered?.kind ?? "open"}` : entry.kind === "tool" ? `tool ${entry.title} ${entry.status}` : "text" in entry ? `${entry.kind} ${entry.text}` : entry.kind);
  }
  async [Symbol.asyncDispose]() {
    await this.service[Symbol.asyncDispose]();
    await this.pool[Symbol.asyncDispose]();
    this.clock.advance(BATCH_MS);
    equal(this.clock.waiting, 0, "a timer was leaked");
  }
}
