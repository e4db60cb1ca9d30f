/**
 * A sidecar without a process, as the host's supervisor sees it. The production chat service and its sessions run
 * behind a connection that the test controls. A killed sidecar stops sending immediately.
 */
import type { MemoryJournal } from "../../sidecar/testing/sessions/memory-journal";
import { AgentConnection } from "../../sidecar/acp/connection";
import { commandOf } from "../../sidecar/agents/distributions/agent-command";
import { AgentPool } from "../../sidecar/agents/pool";
import { ChatService } from "../../sidecar/chat/chat-service";
import { BypassPolicy } from "../../sidecar/permissions/bypass-policy";
import { RpcError } from "../../sidecar/rpc/message";
import { deferred, type Deferred } from "../../src/protocol/wire/deferred";
import { SidecarExited, SidecarRefused, StartFailed } from "../../src/errors";
import type { Conversation } from "../../src/protocol/chat/chat";
import type { HostToSidecar, SidecarToHost } from "../../src/protocol/sidecar";
import type { Calls, Handlers, Notes, ParamsOf, ResultOf } from "../../src/protocol/wire/wire";
import type { SidecarClient } from "../../src/sidecar/client";
import type { SidecarProcess } from "../../src/sidecar/supervisor";
import { TestAgent, type Voice } from "./agent";
import { Line } from "./message-queue";
import { drained, mortal, type FakeClock } from "./clock-and-marks";

type Method = keyof Calls<HostToSidecar> | keyof Notes<HostToSidecar>;
/** `answered`: present for requests. */
interface Outgoing {
  readonly method: Method;
  readonly params: unknown;
  readonly answered?: (answer: Answer) => void;
}
type Answer = { readonly result: unknown } | { readonly error: Error };
type Incoming = () => void;

export interface SidecarFixture {
  readonly clock: FakeClock;
  /** On disk, for all sidecars. */
  readonly journal: MemoryJournal;
  readonly handlers: Handlers<SidecarToHost>;
  /** Number of messages waiting for the host at which the sidecar detects congestion. */
  readonly congestedAt: number;
  /** Called when a prompt reached the agent. Returns the prompt's tab. */
  prompted(text: string): string;
  spoke(voice: Voice): void;
  problem(what: string): void;
}

const NEVER = { aborted: false, addEventListener: () => undefined };
let boots = 0;

export class TestSidecar implements SidecarProcess {
  readonly bootId = `boot ${++boots}`;
  readonly toSidecar = new Line<Outgoing>(message => this.#serve(message));
  readonly toHost = new Line<Incoming>(arrive => arrive());
  readonly #ready = deferred<SidecarClient>();
  readonly #ended = deferred<string>();
  readonly ready = this.#ready.promise;
  readonly ended = this.#ended.promise;
  readonly agents: TestAgent[] = [];
  readonly voices = new Map<string, Voice>();
  readonly sessions: string[] = [];
  #isAlive = true;
  /** Receives snapshots that the test requested, bypassing the connection. */
  #tap: ((sessionId: string, conversation: Conversation) => void) | undefined;
  readonly #chat: ChatService;

  constructor(private readonly fixture: SidecarFixture) {
    const clock = mortal(fixture.clock, () => this.#isAlive);
    const pool = new AgentPool(
      async () => {
        const agent = new TestAgent(fixture.prompted, voice => {
          this.voices.set(voice.tabId, voice);
          fixture.spoke(voice);
        });
        this.agents.push(agent);
        return AgentConnection.connect(agent.channel, {
          name: "Ada",
          version: "1",
          protocol: 1,
          clock,
          onWarning: what => fixture.problem(what),
          lastWords: () => "",
          stop: async () => undefined,
        });
      },
      error => fixture.problem(String(error)),
    );
    this.#chat = new ChatService({
      journal: {
        lease: (conversation, takesOver) => fixture.journal.lease(conversation, takesOver),
        read: conversation => fixture.journal.read(conversation),
        keep: (conversation, record) => {
          if (this.#isAlive) fixture.journal.keep(conversation, record);
        },
        writer: (conversation, stored, lease) => {
          const write = fixture.journal.writer(conversation, stored, lease);
          return version => {
            if (this.#isAlive) write(version);
          };
        },
      },
      bootId: this.bootId,
      clock,
      pool,
      policy: new BypassPolicy([]),
      command: async agent => commandOf(agent),
      startCommand: () => {
        throw new Error("no command is started");
      },
      host: {
        request: async () => {
          throw new Error("nobody asks the host");
        },
        notify: (method, params) => this.#notify(method, params),
        isCongested: () => this.toHost.length >= fixture.congestedAt,
      },
      log: (level, _, message, detail) => {
        if (
          level === "error" &&
          this.#isAlive &&
          !(message === "Agent failed" && this.agents.some(agent => !agent.isAlive))
        )
          fixture.problem(`${message} ${JSON.stringify(detail)}`);
      },
    });
    const client = new Client(this.toSidecar);
    this.toHost.send(() => this.#ready.resolve(client));
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }
  get openSessions(): number {
    return this.agents.reduce((sum, agent) => sum + agent.openSessions, 0);
  }

  /** SIGKILL. Up to `delivered` messages that were already written still arrive. */
  async kill(delivered: number): Promise<void> {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.toHost.cut(delivered);
    await this.toHost.deliverAll();
    this.toSidecar.cut(0);
    this.#ready.reject(new StartFailed("again", "It was killed."));
    this.#ended.resolve("It was killed.");
    await drained();
  }

  /** Ends the agent's process, which all sessions share. */
  async agentDies(): Promise<void> {
    if (this.#isAlive) await this.agents.at(-1)?.die();
  }

  /** Like a restart by the user: closes the sessions gracefully. */
  async stop(): Promise<void> {
    await this.#chat[Symbol.asyncDispose]();
    await this.kill(Infinity);
  }

  /** The content of each session, bypassing the connection: the expected final state of the page. */
  async conversations(): Promise<readonly Conversation[]> {
    const all = new Map<string, Conversation>();
    this.#tap = (sessionId, conversation) => {
      all.set(sessionId, conversation);
    };
    for (const sessionId of this.sessions) this.#chat.handlers["chat/replay"]({ sessionId, requestNumber: 0 });
    await drained();
    this.#tap = undefined;
    return [...all.values()];
  }

  #notify<M extends keyof SidecarToHost>(method: M, params: ParamsOf<SidecarToHost, M>): void {
    if (!this.#isAlive) return;
    if (this.#tap && method === "chat/snapshot") {
      const { sessionId, conversation } = params as ParamsOf<SidecarToHost, "chat/snapshot">;
      return this.#tap(sessionId, conversation);
    }
    const handler = this.fixture.handlers[method] as (params: unknown) => void;
    this.toHost.send(() => handler(params));
  }

  #serve({ method, params, answered }: Outgoing): void {
    const handlers = this.#chat.handlers as Readonly<
      Record<string, (params: unknown, signal: typeof NEVER) => unknown>
    >;
    const handler = handlers[method];
    if (!handler) return this.fixture.problem(`the sidecar was told ${method}`);
    const serve = async () => handler(params, NEVER);
    serve().then(
      result => {
        if (method === "chat/new") this.sessions.push((result as ResultOf<HostToSidecar, "chat/new">).sessionId);
        return this.#answer(answered, { result });
      },
      (error: unknown) =>
        this.#answer(answered, {
          error: error instanceof RpcError ? new SidecarRefused(error.code, error.message) : new Error(String(error)),
        }),
    );
  }

  #answer(answered: Outgoing["answered"], answer: Answer): void {
    if (this.#isAlive && answered) this.toHost.send(() => answered(answer));
  }
}

/** The host's end: `StreamClient` without streams. */
class Client implements SidecarClient {
  #closeError: SidecarExited | undefined;
  readonly #pending = new Set<Deferred<never>>();

  constructor(private readonly line: Line<Outgoing>) {}

  request<M extends keyof Calls<HostToSidecar>>(
    method: M,
    params: ParamsOf<HostToSidecar, M>,
  ): Promise<ResultOf<HostToSidecar, M>> {
    if (this.#closeError) return Promise.reject(this.#closeError);
    const cut = deferred<never>();
    this.#pending.add(cut);
    const answer = new Promise<ResultOf<HostToSidecar, M>>((resolve, reject) => {
      this.line.send({
        method,
        params,
        answered: answer =>
          "error" in answer ? reject(answer.error) : resolve(answer.result as ResultOf<HostToSidecar, M>),
      });
    });
    return Promise.race([answer, cut.promise]).finally(() => this.#pending.delete(cut));
  }

  notify<M extends keyof Notes<HostToSidecar>>(method: M, params: ParamsOf<HostToSidecar, M>): void {
    if (!this.#closeError) this.line.send({ method, params });
  }

  close(why: string): void {
    this.#closeError = new SidecarExited(why);
    for (const cut of this.#pending) cut.reject(this.#closeError);
  }
}
