/**
 * Connection to one agent process, shared by all sessions with the same configuration. Initialised once. Sends all
 * requests of these sessions, and delivers the agent's messages to the listener of the session that they name.
 *
 * Invariants:
 * - A listener receives all messages of its session in wire order, including those sent before the response to
 *   `session/new`.
 * - After `closed` a listener receives nothing.
 * - When the agent exits, every pending request is settled.
 */
import type { Control, ControlValue } from "../../src/protocol/chat/controls";
import { agentReturnedError, AgentError, agentWithoutAcp, agentWithUnsupportedAcp, withLastOutput } from "../errors";
import type { Channel, Closed } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { isObject, objectOr, readable, stringOr, type JsonObject } from "../rpc/json";
import { ConnectionClosed, methodNotFound, Peer, type IncomingRequest } from "../rpc/peer";
import {
  acceptedBy,
  canClose,
  capabilitiesOf,
  initializeParams,
  initializeResultOf,
  type AcpVersion,
  type AgentCapabilities,
  type AgentRole,
  type InitializeResult,
} from "./initialize";
import type { MissingExtension, SessionExtensions } from "./chain-extensions";
import { requestToSet } from "./adapt/controls";
import { LimitedRequests } from "./request-timeouts";
import { mayAsk, noSession, type SessionListener } from "./session-listener";
import { SessionOpenings, type OpenedSession, type SessionSetup } from "./session-openings";
import type { AuthMethod } from "./sign-in-methods";
import { SessionRoutes } from "./session-routes";
import type { ContentBlock, ListSessionsRequest, PromptRequest, SignInRequest } from "./schema";
import { sessionPage, type SessionPage } from "./session-page";
import { Turns, type PromptOutcome } from "./v2-turns";
import { AGENT_METHODS, CLIENT_METHODS, EXTENSION_METHODS, UPDATE_KINDS } from "./methods";

export type { AcpVersion, AgentCapabilities, AgentRole } from "./initialize";
export type { SessionListener } from "./session-listener";
export { NEW_SESSION_LIMIT_MS, type OpenedSession, type SessionSetup } from "./session-openings";
export type { PromptOutcome } from "./v2-turns";

export interface ConnectionOptions {
  /** The agent's display name. */
  readonly name: string;
  readonly version: string;
  /** The highest ACP version to offer. */
  readonly protocol: AcpVersion;
  readonly role?: AgentRole;
  readonly clock: Clock;
  /** Reports protocol violations for the log: unparsable lines, unknown methods, late answers. */
  readonly onWarning: (what: string, detail: unknown) => void;
  /** The agent's last output on stderr. */
  readonly lastWords: () => string;
  /** Agent extensions that are missing in the chain behind the channel. */
  readonly missing?: () => readonly MissingExtension[];
  /** The state of the installed extensions in each session. */
  readonly extensions?: SessionExtensions;
  /**
   * Answers `_symposium.dev/ide_operation` for any session. If absent, the client does not offer this capability.
   * Rejects with an `RpcError`.
   */
  readonly ide?: (params: unknown, signal: AbortSignal) => Promise<unknown>;
  /** Called with the id of each session that the agent creates. */
  readonly onNewSession?: (sessionId: string) => void;
  /** Stops the process behind the channel; called when the connection is disposed. */
  readonly stop: () => Promise<void>;
  /**
   * The reason why the chain behind the channel ends, as soon as it is known. This reason replaces those of the error
   * responses and of the close of the channel that follow.
   */
  readonly failure?: () => Closed | undefined;
}

/**
 * Some agents need up to 10 s for the first `initialize` in a new home directory. An agent that its launcher downloads
 * also needs the time of the download.
 */
export const INITIALIZE_LIMIT_MS = 120_000;
/** The user signs in during this time, for example in a browser. */
const SIGN_IN_LIMIT_MS = 15 * 60_000;
/** Some agents restart their MCP servers when the model changes. */
const REQUEST_LIMIT_MS = 60_000;
/** Maximum characters of an unknown message in the log. */
const LOGGED_CHARACTERS = 2_000;

export class AgentConnection implements AsyncDisposable {
  readonly #peer: Peer;
  readonly #requests: LimitedRequests;
  readonly #openings: SessionOpenings;
  readonly #routes = new SessionRoutes<SessionListener>();
  /** The reason if Symposium ended the connection; otherwise the channel's reason applies. */
  #why: Closed | undefined;
  readonly #turns = new Turns();
  #agent: InitializeResult = {
    version: 1,
    capabilities: {},
    name: "",
    programVersion: "",
    authMethods: [],
    canLogOut: false,
  };
  #onSignIn = (_: "in" | "needed"): void => undefined;
  readonly closed: Promise<Closed>;

  private constructor(
    channel: Channel,
    readonly options: ConnectionOptions,
  ) {
    let settleClosed: (reason: Closed) => void = () => undefined;
    this.closed = new Promise(resolve => {
      settleClosed = resolve;
    });
    this.#peer = new Peer(channel, {
      request: request => this.#request(request),
      notification: (method, params) => this.#notification(method, params),
      closed: reason => {
        const why = this.#why ?? options.failure?.() ?? reason;
        for (const listener of this.#routes.clear()) listener.closed(why);
        settleClosed(why);
      },
      onWarning: options.onWarning,
    });
    this.#requests = new LimitedRequests(this.#peer, {
      ...options,
      ended: () => this.#why,
      needsSignIn: () => this.#onSignIn("needed"),
    });
    this.#openings = new SessionOpenings({
      name: options.name,
      routes: this.#routes,
      requests: this.#requests,
      close: sessionId => this.#closeSession(sessionId),
      opened: sessionId => {
        options.onNewSession?.(sessionId);
        if (this.authMethods.length > 0) this.#onSignIn("in");
      },
    });
  }

  /** Starts the peer and initialises the agent. Rejects with an `AgentError` after closing the channel. */
  static async connect(channel: Channel, options: ConnectionOptions): Promise<AgentConnection> {
    const connection = new AgentConnection(channel, options);
    try {
      connection.#agent = await connection.#requests.request({
        method: AGENT_METHODS.initialize,
        params: initializeParams(options.protocol, options.version, options.role, options.ide !== undefined),
        limitMs: INITIALIZE_LIMIT_MS,
        take: answer => {
          const agent = initializeResultOf(answer, options.protocol);
          if (agent) return agent;
          const { protocolVersion } = objectOr(answer);
          throw typeof protocolVersion === "number"
            ? agentWithUnsupportedAcp(options.name, protocolVersion, options.protocol, answer)
            : agentWithoutAcp(options.name, answer);
        },
      });
      return connection;
    } catch (error) {
      const lastWords = options.lastWords();
      await connection[Symbol.asyncDispose]();
      throw error instanceof AgentError ? withLastOutput(error, lastWords) : error;
    }
  }

  /** The ACP version that the agent selected. */
  get version(): AcpVersion {
    return this.#agent.version;
  }

  /** The content that the agent accepts in a prompt besides text and links. */
  get accepts(): ReturnType<typeof acceptedBy> {
    return acceptedBy(this.#agent);
  }

  get capabilities(): AgentCapabilities {
    return capabilitiesOf(this.#agent);
  }

  /** The name in the `initialize` result; empty if unknown. */
  get agentName(): string {
    return this.#agent.name;
  }

  /** The version in the `initialize` result; empty if unknown. */
  get agentVersion(): string {
    return this.#agent.programVersion;
  }

  /** Agent extensions that are missing in its sessions. */
  get missing(): readonly MissingExtension[] {
    return this.options.missing?.() ?? [];
  }

  /** The state of the agent extensions in its sessions; absent if there are none. */
  get extensions(): SessionExtensions | undefined {
    return this.options.extensions;
  }

  get authMethods(): readonly AuthMethod[] {
    return this.#agent.authMethods;
  }

  /** Whether the agent supports signing out. */
  get canLogOut(): boolean {
    return this.#agent.canLogOut;
  }

  /** Whether Symposium has ended the connection or is ending it. */
  get isEnded(): boolean {
    return this.#why !== undefined;
  }

  /** Calls `listener` whenever the agent reports its sign-in state. Replaces the previous listener. */
  onSignIn(listener: (signIn: "in" | "needed") => void): void {
    this.#onSignIn = listener;
  }

  /** The agent performs the sign-in itself, for example in a browser. Rejects with an `AgentError`. */
  async authenticate(methodId: string): Promise<void> {
    await this.#requests.request({
      method: this.version === 2 ? AGENT_METHODS.auth_login : AGENT_METHODS.authenticate,
      params: { methodId } satisfies SignInRequest,
      limitMs: SIGN_IN_LIMIT_MS,
      take: () => undefined,
    });
  }

  /** Signs out. Only for agents that support it (`canLogOut`). Rejects with an `AgentError`. */
  async logout(): Promise<void> {
    await this.#requests.request({
      method: this.version === 2 ? AGENT_METHODS.auth_logout : AGENT_METHODS.logout,
      params: {},
      limitMs: REQUEST_LIMIT_MS,
      take: () => undefined,
    });
  }

  /**
   * Opens a session in the folder `cwd`. `listener` may be called before the promise resolves. `result` is the agent's
   * complete response.
   */
  newSession(cwd: string, listener: SessionListener, setup: SessionSetup = {}): Promise<OpenedSession> {
    return this.#openings.open(undefined, cwd, listener, setup);
  }

  /**
   * Opens a session that starts with the conversation of `sessionId`, like `newSession`. Only for agents that support
   * it (`capabilities.fork`).
   */
  fork(sessionId: string, cwd: string, listener: SessionListener, setup: SessionSetup = {}): Promise<OpenedSession> {
    return this.#openings.open(sessionId, cwd, listener, setup);
  }

  /**
   * Reopens a session of an earlier process. Only for agents that support it (`capabilities`). With `load`, the
   * listener receives the whole conversation before `opened`. Until the session is open, the end of the connection
   * rejects the promise and does not notify the listener.
   */
  reopen(
    how: "load" | "resume",
    sessionId: string,
    cwd: string,
    listener: SessionListener,
    setup: SessionSetup = {},
  ): Promise<OpenedSession> {
    return this.#openings.reopen(how, sessionId, cwd, listener, setup);
  }

  /**
   * `settle` is called after every update that the agent sent before its response. An exit of the agent calls only the
   * listener's `closed`.
   */
  prompt(sessionId: string, prompt: readonly ContentBlock[], settle: (outcome: PromptOutcome) => void): void {
    const endWait = this.#routes.waits(this.#routes.listenerOf(sessionId));
    const ended = (outcome: PromptOutcome): void => {
      endWait();
      settle(outcome);
    };
    const turn = this.version === 2 ? this.#turns.begin(sessionId, ended) : undefined;
    this.#peer.call(
      AGENT_METHODS.session_prompt,
      { sessionId, prompt: [...prompt] } satisfies PromptRequest,
      outcome => {
        if (outcome.ok && turn) this.#turns.accepted(sessionId, turn);
        else if (outcome.ok) ended(stoppedBy(outcome.result));
        else if (outcome.error instanceof ConnectionClosed || this.options.failure?.()) endWait();
        else if (!turn || this.#turns.drop(sessionId, turn))
          ended({ kind: "failed", error: this.#requests.explain(outcome.error) });
      },
    );
  }

  /**
   * Sends a request about a session. `take` is called in wire order. Rejects with an `AgentError`, also after a
   * timeout.
   */
  request<T>(sessionId: string, method: string, params: JsonObject, take: (result: unknown) => T): Promise<T> {
    return this.#requests.request({ method, params: { sessionId, ...params }, limitMs: REQUEST_LIMIT_MS, take });
  }

  /**
   * One page of the agent's sessions. Only for agents that support it (`capabilities.list`). Rejects with an
   * `AgentError`.
   */
  listSessions(cursor?: string): Promise<SessionPage> {
    return this.#requests.request({
      method: AGENT_METHODS.session_list,
      params: (cursor === undefined ? {} : { cursor }) satisfies ListSessionsRequest,
      limitMs: REQUEST_LIMIT_MS,
      take: sessionPage,
    });
  }

  /** Sets a mode, a model or an option of a session, in the form of the agent's ACP version. Like `request`. */
  setControl<T>(sessionId: string, control: Control, value: ControlValue, take: (result: unknown) => T): Promise<T> {
    const { method, params } = requestToSet(control, value, this.version);
    return this.request(sessionId, method, params, take);
  }

  cancel(sessionId: string): void {
    this.#peer.notify(AGENT_METHODS.session_cancel, { sessionId });
  }

  /** Closes a session. The listener receives nothing more. An agent with `sessionCapabilities.close` is notified. */
  leave(sessionId: string): void {
    if (this.#routes.has(sessionId)) this.#closeSession(sessionId);
  }

  /** Ends the connection and the process; sessions that still use it receive `why`. */
  async end(why: Closed): Promise<void> {
    this.#why ??= why;
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
    await this.options.stop();
  }

  #closeSession(sessionId: string): void {
    this.#routes.leave(sessionId);
    this.#turns.drop(sessionId);
    if (canClose(this.#agent)) this.#peer.call(AGENT_METHODS.session_close, { sessionId }, () => undefined);
  }

  #notification(method: string, params: unknown): void | Promise<void> {
    const { sessionId, update, elicitationId } = objectOr(params);
    switch (method) {
      case CLIENT_METHODS.session_update: {
        const received: (void | Promise<void>)[] = [],
          subagent = this.#subagentOf(sessionId);
        this.#announced(sessionId, objectOr(update));
        const isNotified = this.#routes.notify(sessionId, listener => {
          received.push(subagent === undefined ? listener.update(update) : listener.subagentUpdate?.(subagent, update));
        });
        if (!isNotified) this.options.onWarning("update for an unknown session", { sessionId });
        if (this.version === 2)
          this.#turns.update(stringOr(sessionId, ""), objectOr(update), error =>
            agentReturnedError(this.options.name, stringOr(objectOr(error).message, "it gives no reason."), error),
          );
        return received[0];
      }
      // The notification names no session. Only the listener that received the id recognises it.
      case CLIENT_METHODS.elicitation_complete:
        for (const listener of this.#routes.listeners) listener.elicitationCompleted(stringOr(elicitationId, ""));
        return;
      default:
        this.options.onWarning("unknown notification", { method, params: readable(params, LOGGED_CHARACTERS) });
    }
  }

  /**
   * A request may name a pending request of Symposium instead of a session, for example during a sign-in. Such a
   * request is routed to the session with the newest pending request.
   */
  #request(request: IncomingRequest): void {
    const { ide } = this.options;
    if (request.method === EXTENSION_METHODS.ide_operation && ide)
      return void ide(request.params, request.signal).then(
        answer => request.respond(answer),
        (error: unknown) => request.fail(error),
      );
    if (!mayAsk(request.method, this.options.role)) return request.fail(methodNotFound(request.method));
    const { sessionId, requestId } = objectOr(request.params);
    const isRequestScoped =
      request.method === CLIENT_METHODS.elicitation_create && sessionId === undefined && requestId !== undefined;
    const listener = isRequestScoped ? this.#routes.newestWaiting : undefined;
    if (listener) return listener.request(request);
    if (isRequestScoped) return request.respond({ action: "cancel" });
    const subagent = this.#subagentOf(sessionId);
    if (this.#routes.wasLeft(sessionId) || !this.#routes.notify(sessionId, each => each.request(request, subagent)))
      request.fail(noSession(request));
  }

  /** `subagent_update` precedes all other messages of the subagent's session (schema v2, `SubagentUpdate`). */
  #announced(parent: unknown, { sessionUpdate, sessionId: subagent }: JsonObject): void {
    if (sessionUpdate !== UPDATE_KINDS.subagent_update || typeof parent !== "string" || typeof subagent !== "string")
      return;
    if (!this.#routes.adopt(subagent, parent))
      this.options.onWarning("a subagent with the id of another session", { parent, subagent });
  }

  #subagentOf(sessionId: unknown): string | undefined {
    return typeof sessionId === "string" && this.#routes.topOf(sessionId) !== sessionId ? sessionId : undefined;
  }
}

function stoppedBy(result: unknown): PromptOutcome {
  const { stopReason, usage } = objectOr(result);
  return { kind: "stopped", reason: stringOr(stopReason, "end_turn"), ...(isObject(usage) ? { usage } : {}) };
}
