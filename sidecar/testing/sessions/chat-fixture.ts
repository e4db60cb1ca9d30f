/** The chat service with agents in memory and a host that applies the messages it receives. */
import { equal } from "node:assert/strict";
import { applyEvent, emptyConversation, type Conversation, type Entry } from "../../../src/protocol/chat/chat";
import { ErrorCode } from "../../../src/protocol/wire/errors";
import type { ExtensionConfig } from "../../../src/protocol/agents/extensions";
import type { ExtensionDetails } from "../../../src/protocol/chat/session-details";
import type { NewChat, SidecarToHost } from "../../../src/protocol/sidecar";
import type { Calls, ParamsOf } from "../../../src/protocol/wire/wire";
import { AgentConnection } from "../../acp/connection";
import { commandOf } from "../../agents/distributions/agent-command";
import type { MissingExtension } from "../../acp/chain-extensions";
import { AgentPool } from "../../agents/pool";
import { BypassPolicy } from "../../permissions/bypass-policy";
import { RpcError } from "../../rpc/message";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { MemoryAgent } from "../memory-agent";
import { MemoryJournal } from "./memory-journal";
import { textIn } from "../../chat/place-finder";
import { ChatService, type Host } from "../../chat/chat-service";
import { BATCH_MS } from "../../chat/outbox";

type Sent = {
  [M in keyof SidecarToHost]: { readonly method: M; readonly params: ParamsOf<SidecarToHost, M> };
}[keyof SidecarToHost];
type Asked = {
  [M in keyof Calls<SidecarToHost>]: { readonly method: M; readonly params: ParamsOf<SidecarToHost, M> };
}[keyof Calls<SidecarToHost>];
export const NEVER = { aborted: false, addEventListener: () => undefined };
const ADA: NewChat = {
  conversation: "one",
  agent: { id: "ada", name: "Ada", distribution: { local: { command: "ada" } } },
  cwd: "/w",
};

export class Fixture implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly agents: MemoryAgent[] = [];
  readonly shown = new Map<string, Conversation>();
  /** Sequence number of each session's latest event. */
  readonly seqs: Record<string, number> = {};
  readonly notifications: string[] = [];
  readonly wants: string[] = [];
  manual: readonly string[] = [];
  /** The next agent's response to `initialize`. */
  initialized: unknown = undefined;
  readonly policy = new BypassPolicy([]);
  /**
   * `extensions`: extensions of new sessions. `behind`: extension ids of each started agent. `missing`: extensions that
   * are missing in the next agent's chain.
   */
  extensions: readonly ExtensionConfig[] = [];
  readonly behind: string[] = [];
  missing: readonly MissingExtension[] = [];
  /** `doing`: extension details that the next agent's sessions report. `hearing`: listeners for their changes. */
  doing: readonly ExtensionDetails[] = [];
  missingTools: string | undefined;
  toolLines: readonly string[] = [];
  canConfigure = false;
  readonly hearing = new Set<() => void>();
  readonly pool = new AgentPool(
    async ({ extensions = [], protocol }) => {
      const { missing } = this;
      this.behind.push(extensions.map(({ id }) => id).join(" "));
      const agent = new MemoryAgent(this.manual, this.initialized);
      this.agents.push(agent);
      return AgentConnection.connect(agent.channel, {
        name: "Ada",
        version: "1",
        protocol,
        clock: this.clock,
        onWarning: () => undefined,
        lastWords: () => "",
        stop: async () => undefined,
        missing: () => missing,
        extensions: {
          of: () => this.doing,
          missingTools: () => this.missingTools,
          toolLines: () => this.toolLines,
          canConfigure: () => this.canConfigure,
          listen: (_, changed) => {
            this.hearing.add(changed);
            return { [Symbol.dispose]: () => this.hearing.delete(changed) };
          },
        },
      });
    },
    error => {
      throw error;
    },
  );
  readonly service: ChatService;
  readonly cancelledInstalls: string[] = [];

  /** `journal`: the journal of an earlier process. */
  constructor(
    readonly journal = new MemoryJournal(),
    { isRestricted = false }: { readonly isRestricted?: boolean } = {},
  ) {
    const host: Host = {
      isCongested: () => false,
      request: async (method, params) => this.#answer({ method, params } as Asked) as never,
      notify: (method, params) => this.#take({ method, params } as Sent),
    };
    this.service = new ChatService({
      bootId: "b",
      clock: this.clock,
      pool: this.pool,
      policy: this.policy,
      startCommand: () => {
        throw new Error("no command is started");
      },
      cancelInstall: (of, id) => this.cancelledInstalls.push(`${of} ${id}`),
      command: async agent => commandOf(agent),
      host,
      extensions: () => this.extensions,
      journal: this.journal,
      isRestricted,
      filesIn: textIn,
      log: (level, _, message, detail) => {
        if (level === "error" && message !== "Agent failed") throw new Error(`${message}: ${JSON.stringify(detail)}`);
      },
    });
  }
  #take({ method, params }: Sent): void {
    switch (method) {
      case "chat/event":
        this.seqs[params.sessionId] = params.seq;
        this.shown.set(
          params.sessionId,
          applyEvent(
            this.shown.get(params.sessionId) ?? emptyConversation({ id: "ada", name: "Ada" }, "/w"),
            params.event,
          ),
        );
        return;
      case "chat/snapshot":
        this.shown.set(params.sessionId, params.conversation);
        return;
      case "settings/setBypass":
        this.notifications.push(`bypass ${params.agentId}`);
        return;
      case "settings/setControl":
        this.notifications.push(`${params.controlId}=${String(params.value)}`);
        return;
      case "chat/attention":
        this.wants.push(`${params.attention} ${params.name}`);
        return;
      case "editor/openPage":
        this.notifications.push(`page ${params.url}`);
        return;
      default:
        throw new Error(method);
    }
  }
  #answer({ method, params }: Asked): unknown {
    switch (method) {
      case "editor/readTextFile":
        return { text: `text\nof ${there(params.path)}` };
      case "editor/writeTextFile":
        this.notifications.push(`write ${there(params.path)}: ${params.text}`);
        return {};
      case "editor/runInTerminal":
        this.notifications.push(`terminal ${[params.command, ...params.args].join(" ")} ${JSON.stringify(params.env)}`);
        return this.terminal();
      case "secrets/keepEnvironment":
        this.notifications.push(`secret ${JSON.stringify(params.env)}`);
        return {};
      default:
        throw new Error(method);
    }
  }
  /** Exit of a program in a terminal. */
  terminal: () => { readonly exitCode?: number } = () => ({ exitCode: 0 });
  open(chat: Partial<NewChat> = {}) {
    return this.service.handlers["chat/new"]({ ...ADA, ...chat }, NEVER).then(({ sessionId }) => sessionId);
  }
  prompt(sessionId: string, text: string, messageId = text) {
    return this.service.handlers["chat/prompt"]({ sessionId, messageId, blocks: [{ type: "text", text }] }, NEVER);
  }
  /** Runs all pending work and ends the frame. */
  async settle(): Promise<void> {
    for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve));
    this.clock.advance(BATCH_MS);
  }
  /**
   * Waits for work that depends on the file system, without a time limit. The fake clock advances by 1 ms per check.
   */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve));
      this.clock.advance(1);
    }
  }
  entries(sessionId: string): readonly Entry[] {
    return this.shown.get(sessionId)?.entries ?? [];
  }
  story(sessionId: string): readonly string[] {
    return this.entries(sessionId).map(entry =>
      entry.kind === "permission"
        ? `${entry.kind} ${entry.answered?.kind ?? "open"}`
        : entry.kind === "tool"
          ? `tool ${entry.title} ${entry.status}`
          : "text" in entry
            ? `${entry.kind} ${entry.text}`
            : entry.kind,
    );
  }
  async [Symbol.asyncDispose]() {
    await this.service[Symbol.asyncDispose]();
    await this.pool[Symbol.asyncDispose]();
    this.clock.advance(BATCH_MS);
    equal(this.clock.waiting, 0, "a timer was leaked");
  }
}

function there(path: string): string {
  if (path.endsWith("missing")) throw new RpcError(ErrorCode.noFile, "There is no such file.");
  return path;
}
