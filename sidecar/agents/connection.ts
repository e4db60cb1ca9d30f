/**
 * A connection with one agent process: initialised once, shared by every session with the same configuration, and the
 * only place that speaks ACP's requests to an agent. What the agent says goes to the listener of the session it names.
 *
 * Invariants: a listener hears everything of its session in the order of the wire, also what the agent sent before its
 * answer to `session/new` (agents announce commands early; at most `EARLY_LIMIT` messages are kept); after `closed` a
 * listener hears nothing; nothing that was asked stays unanswered when the agent dies.
 */
import { agentAnswered, agentNeedsSignIn, agentUnresponsive, AgentError } from "../errors";
import type { Channel, Closed } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import { ConnectionClosed, methodNotFound, Peer, type IncomingRequest, type Outcome } from "../rpc/peer";

export interface SessionListener {
  /** The `update` member of `session/update`. */
  update(update: unknown): void;
  /** `session/request_permission`; its signal aborts when the agent withdraws the question. */
  permission(request: IncomingRequest): void;
  closed(reason: Closed): void;
}

export interface ConnectionOptions {
  /** The agent's name, for sentences. */
  readonly name: string;
  readonly version: string;
  readonly clock: Clock;
  /** For the log: garbage, unknown methods, late answers. */
  readonly odd: (what: string, detail: unknown) => void;
  /** Called when the agent has not answered `initialize` after `SLOW_MS`. */
  readonly slow: () => void;
  /** The last words on its stderr. */
  readonly lastWords: () => string;
  /** Ends the process behind the channel; called when the connection is let go of. */
  readonly stop: () => Promise<void>;
  /**
   * Why the chain behind the channel ends, as soon as that is known. From then on error answers are its consequences: the
   * channel closes after them, and that is what is told.
   */
  readonly failure?: () => Closed | undefined;
}

/** First `initialize` in a new home takes up to 10 s with some agents (reference/real-agents, point 13). */
export const SLOW_MS = 10_000;
export const INITIALIZE_LIMIT_MS = 30_000;
/** Some start their MCP servers inside `session/new`. */
export const NEW_SESSION_LIMIT_MS = 60_000;
const EARLY_LIMIT = 1000;

export type PromptOutcome = { readonly kind: "stopped"; readonly reason: string } | { readonly kind: "failed"; readonly error: AgentError };

export class AgentConnection implements AsyncDisposable {
  readonly #peer: Peer;
  readonly #listeners = new Map<string, SessionListener>();
  /** What sessions said whose `session/new` has not been answered, in order; empty when none is open. */
  #early: { readonly sessionId: string; readonly tell: (listener: SessionListener) => void }[] = [];
  #opening = 0;
  /** Sessions that we left: what still comes of them is nothing to write home about. */
  readonly #left = new Set<string>();
  /** Why we ended the connection; else the channel's reason counts. */
  #why: Closed | undefined;
  #capabilities: JsonObject = {};
  readonly closed: Promise<Closed>;

  private constructor(channel: Channel, readonly options: ConnectionOptions) {
    let settleClosed: (reason: Closed) => void = () => undefined;
    this.closed = new Promise(resolve => { settleClosed = resolve; });
    this.#peer = new Peer(channel, {
      request: request => this.#request(request),
      notification: (method, params) => { this.#notification(method, params); },
      closed: reason => {
        const listeners = [...this.#listeners.values()];
        this.#listeners.clear();
        const why = this.#why ?? options.failure?.() ?? reason;
        for (const listener of listeners) listener.closed(why);
        settleClosed(why);
      },
      odd: options.odd,
    });
  }

  /** Starts the peer and initialises the agent (protocol version 1). Rejects with an `AgentError`; the channel is closed then. */
  static async connect(channel: Channel, options: ConnectionOptions): Promise<AgentConnection> {
    const connection = new AgentConnection(channel, options);
    const slow = options.clock.after(SLOW_MS, options.slow);
    try {
      const answer = await connection.#limited(INITIALIZE_LIMIT_MS, "initialize", {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: "symposium", title: "Symposium for VS Code", version: options.version },
      }, objectOr);
      const { protocolVersion, agentCapabilities } = answer;
      if (protocolVersion !== 1) throw agentAnswered(options.name, `it speaks ACP version ${String(protocolVersion)}, this needs version 1.`, answer);
      connection.#capabilities = objectOr(agentCapabilities);
      return connection;
    } catch (error) {
      await connection[Symbol.asyncDispose]();
      throw error;
    } finally {
      slow[Symbol.dispose]();
    }
  }

  /** Opens a session in the folder `cwd`; `listener` may be called before this resolves. */
  async newSession(cwd: string, listener: SessionListener): Promise<string> {
    this.#opening++;
    try {
      return await this.#limited(NEW_SESSION_LIMIT_MS, "session/new", { cwd, mcpServers: [] }, result => {
        const { sessionId } = objectOr(result);
        if (typeof sessionId !== "string") throw agentAnswered(this.options.name, "its new session has no id.", result);
        if (this.#listeners.has(sessionId)) throw agentAnswered(this.options.name, "its new session has the id of another one.", result);
        this.#left.delete(sessionId);
        this.#listeners.set(sessionId, listener);
        const early = this.#early;
        this.#early = early.filter(each => each.sessionId !== sessionId);
        for (const each of early) if (each.sessionId === sessionId) each.tell(listener);
        return sessionId;
      }, result => {
        // Given up: nobody wants this session any more.
        const { sessionId } = objectOr(result);
        if (typeof sessionId === "string" && !this.#listeners.has(sessionId)) this.#closeSession(sessionId);
      });
    } finally {
      this.#opening--;
      if (this.#opening === 0) this.#dropEarly();
    }
  }

  /** `settle` is called after every update that the agent sent before its answer; not at all when the agent dies, which the listener's `closed` tells. */
  prompt(sessionId: string, prompt: readonly JsonObject[], settle: (outcome: PromptOutcome) => void): void {
    this.#peer.call("session/prompt", { sessionId, prompt }, outcome => {
      if (outcome.ok) settle({ kind: "stopped", reason: stringOr(objectOr(outcome.result).stopReason, "end_turn") });
      else if (!(outcome.error instanceof ConnectionClosed) && !this.options.failure?.()) settle({ kind: "failed", error: this.#explain(outcome.error) });
    });
  }

  cancel(sessionId: string): void {
    this.#peer.notify("session/cancel", { sessionId });
  }

  /** Lets go of a session: the agent is told where it can be (`sessionCapabilities.close`), the listener hears no more. */
  leave(sessionId: string): void {
    if (this.#listeners.delete(sessionId)) this.#closeSession(sessionId);
  }

  /** Ends the connection and the process; sessions that still use it are told `why`. */
  async end(why: Closed): Promise<void> {
    this.#why ??= why;
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
    await this.options.stop();
  }

  #closeSession(sessionId: string): void {
    this.#left.add(sessionId);
    if (isObject(objectOr(this.#capabilities.sessionCapabilities).close)) this.#peer.call("session/close", { sessionId }, () => undefined);
  }

  /** What came for a session that never was: questions are refused, the rest is forgotten. */
  #dropEarly(): void {
    const nobody: SessionListener = { update: () => undefined, closed: () => undefined, permission: request => request.fail(noSession(request)) };
    for (const { tell } of this.#early.splice(0)) tell(nobody);
  }

  /** For the listener now, or as soon as the session is there; false when there is none and none to come. */
  #tell(sessionId: unknown, tell: (listener: SessionListener) => void): boolean {
    if (typeof sessionId !== "string") return false;
    const listener = this.#listeners.get(sessionId);
    if (listener) tell(listener);
    else if (this.#opening === 0 || this.#left.has(sessionId) || this.#early.length >= EARLY_LIMIT) return this.#left.has(sessionId);
    else this.#early.push({ sessionId, tell });
    return true;
  }

  #notification(method: string, params: unknown): void {
    if (method !== "session/update") return this.options.odd("unknown notification", { method });
    const { sessionId, update } = objectOr(params);
    if (!this.#tell(sessionId, listener => listener.update(update))) this.options.odd("update for an unknown session", { sessionId });
  }

  #request(request: IncomingRequest): void {
    if (request.method !== "session/request_permission") return request.fail(methodNotFound(request.method));
    const { sessionId, options } = objectOr(request.params);
    if (arrayOr(options).length === 0) return request.fail(new RpcError(RpcCode.invalidParams, "options: at least one is needed"));
    const isLeft = typeof sessionId === "string" && this.#left.has(sessionId);
    if (isLeft || !this.#tell(sessionId, listener => listener.permission(request))) request.fail(noSession(request));
  }

  /** A request with a limit; `take` runs in the order of the wire, before anything that came after the answer; `late` in its place after the limit. */
  #limited<T>(ms: number, method: string, params: unknown, take: (result: unknown) => T, late: (result: unknown) => void = () => undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let isLate = false;
      const settle = (outcome: Outcome): void => {
        limit[Symbol.dispose]();
        if (isLate) return outcome.ok ? late(outcome.result) : undefined;
        if (!outcome.ok) return reject(this.#explain(outcome.error));
        try { resolve(take(outcome.result)); } catch (error) { reject(error instanceof Error ? error : new Error(String(error))); }
      };
      const limit = this.options.clock.after(ms, () => {
        isLate = true;
        call.cancel();
        reject(agentUnresponsive(this.options.name, ms / 1000, this.options.lastWords()));
      });
      const call = this.#peer.call(method, params, settle);
    });
  }

  #explain(error: RpcError): AgentError {
    if (this.#why) return new AgentError("closed", this.#why.message, { cause: error });
    const failure = this.options.failure?.();
    if (failure) return failure instanceof AgentError ? failure : new AgentError("exited", failure.message, { cause: failure.cause });
    if (error instanceof ConnectionClosed) return error.reason instanceof AgentError ? error.reason : new AgentError("exited", error.message, { cause: error.cause });
    if (error.code === RpcCode.authRequired) return agentNeedsSignIn(this.options.name);
    const details = objectOr(error.data).details ?? objectOr(error.data).message;
    return agentAnswered(this.options.name, typeof details === "string" && details !== error.message ? `${error.message} (${details})` : error.message, error);
  }
}

function noSession({ params }: IncomingRequest): RpcError {
  const { sessionId } = objectOr(params);
  return new RpcError(RpcCode.notFound, `no session ${String(sessionId)}`, { sessionId });
}
