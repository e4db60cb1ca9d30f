/**
 * The sessions that agents store themselves, for example those of their own command lines (issue 17 item 1). Requests
 * them with `session/list` from agents that offer it.
 *
 *   idle ──refresh──▶ listing ──answer──▶ idle
 *                        └──── failure ──▶ failed ──pause is over──▶ idle
 *
 * Invariants:
 * - A request never installs an agent. An agent is started only if it is installed.
 * - A process that was started for a list is released one minute after the last request.
 * - An agent that fails affects no other, and is not asked again for a minute. An agent that does not offer the list is
 *   asked once.
 */
import * as l10n from "@vscode/l10n";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import type { SessionRef, SessionSummary } from "../../src/protocol/sessions/sessions";
import { ErrorCode } from "../../src/protocol/wire/errors";
import { AGENT_METHODS } from "../acp/methods";
import type { AgentCapabilities, AgentConnection } from "../acp/connection";
import type { ListedSession } from "../acp/session-page";
import type { AgentPool, Lease } from "../agents/pool";
import { AgentError } from "../errors";
import type { Clock } from "../rpc/clock";
import { RpcError } from "../rpc/message";
import type { HiddenSessions } from "./hidden-sessions";

export type AgentRef = Extract<SessionRef, { readonly kind: "agent" }>;
export type AgentSessionSummary = SessionSummary & { readonly ref: AgentRef };

export interface AgentSessionsDeps {
  readonly pool: Pick<AgentPool, "acquire" | "connected">;
  readonly clock: Clock;
  /** The sessions that are no chats. */
  readonly hidden: Pick<HiddenSessions, "add" | "has" | "refresh">;
  /** Whether the agent can be started without an installation. */
  readonly isInstalled: (agent: AgentConfig) => Promise<boolean>;
  readonly log: (message: string, detail: Readonly<Record<string, unknown>>) => void;
}

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "listing"; readonly result: Promise<void> }
  | { readonly kind: "failed"; readonly until: number };

interface Agent {
  config: AgentConfig;
  cwd: string;
  state: State;
  sessions: readonly AgentSessionSummary[];
  lease?: Lease;
  release?: Disposable;
}

const IDLE: State = { kind: "idle" };
const KEEP_MS = 60_000,
  FAILURE_MS = 60_000;
/** Limits for agents that return pages without end. */
const MAX_PAGES = 20,
  MAX_SESSIONS = 2_000;

export class AgentSessions implements AsyncDisposable {
  readonly #agents = new Map<string, Agent>();
  readonly #disposed = new AbortController();

  constructor(private readonly deps: AgentSessionsDeps) {}

  /** The sessions of the last requests. */
  get list(): readonly AgentSessionSummary[] {
    return [...this.#agents.values()].flatMap(({ sessions }) => sessions);
  }

  /**
   * Requests the sessions of these agents; other agents are forgotten. `cwd`: folder in which an agent is started.
   * Resolves with whether the list has changed. Never rejects.
   */
  async refresh(configs: readonly AgentConfig[], cwd: string): Promise<boolean> {
    const before = JSON.stringify(this.list);
    for (const [id, agent] of this.#agents)
      if (!configs.some(config => config.id === id)) {
        this.#release(agent);
        this.#agents.delete(id);
      }
    await Promise.all(configs.map(config => this.#refreshAgent(this.#agentOf(config, cwd))));
    return JSON.stringify(this.list) !== before;
  }

  /** Whether the agent can fork its sessions, as far as a running process has reported. */
  canFork(agentId: string): boolean {
    return this.deps.pool.connected(agentId)?.capabilities.fork === true;
  }

  /** Rejects with `ErrorCode.refused` if the agent does not offer it. */
  async rename({ agentId, sessionId }: AgentRef, title: string): Promise<void> {
    const connection = await this.#connectionFor(agentId, "setTitle");
    await connection.request(sessionId, AGENT_METHODS.session_set_title, { title }, () => undefined);
    this.#change(agentId, sessionId, session => [{ ...session, title }]);
  }

  /** Like `rename`. */
  async archive({ agentId, sessionId }: AgentRef, isArchived: boolean): Promise<void> {
    const connection = await this.#connectionFor(agentId, "archive"),
      method = isArchived ? AGENT_METHODS.session_archive : AGENT_METHODS.session_unarchive;
    await connection.request(sessionId, method, {}, () => undefined);
    this.#change(agentId, sessionId, ({ isArchived: _, ...session }) => [
      isArchived ? { ...session, isArchived } : session,
    ]);
  }

  /** Like `rename`. */
  async delete({ agentId, sessionId }: AgentRef): Promise<void> {
    const connection = await this.#connectionFor(agentId, "delete");
    await connection.request(sessionId, AGENT_METHODS.session_delete, {}, () => undefined);
    this.#change(agentId, sessionId, () => []);
  }

  /**
   * Deletes the agent's copy of a session that was deleted here, if the agent is available and offers it. Otherwise the
   * list no longer shows the copy.
   */
  async deleteStored(agentId: string, sessionId: string): Promise<void> {
    try {
      await this.delete({ kind: "agent", agentId, sessionId });
    } catch (error) {
      this.deps.log("The agent did not delete a session", { agentId, error: String(error) });
      this.deps.hidden.add(agentId, sessionId);
      this.#change(agentId, sessionId, () => []);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed.abort();
    for (const agent of this.#agents.values()) this.#release(agent);
    this.#agents.clear();
  }

  #agentOf(config: AgentConfig, cwd: string): Agent {
    const known = this.#agents.get(config.id);
    if (known) {
      if (JSON.stringify(known.config) === JSON.stringify(config)) return Object.assign(known, { cwd });
      this.#release(known);
      return Object.assign(known, { config, cwd, state: known.state.kind === "failed" ? IDLE : known.state });
    }
    const agent: Agent = { config, cwd, state: IDLE, sessions: [] };
    this.#agents.set(config.id, agent);
    return agent;
  }

  async #refreshAgent(agent: Agent): Promise<void> {
    const { state } = agent;
    if (state.kind === "listing") return state.result;
    if (state.kind === "failed" && this.deps.clock.now() < state.until) return;
    const result = this.#request(agent).then(
      () => {
        agent.state = IDLE;
      },
      (error: unknown) => {
        const isFinal = error instanceof AgentError && error.code === "unsupported";
        agent.state = { kind: "failed", until: isFinal ? Infinity : this.deps.clock.now() + FAILURE_MS };
        this.#release(agent);
        this.deps.log("The sessions of an agent could not be listed", {
          agentId: agent.config.id,
          error: String(error),
        });
      },
    );
    agent.state = { kind: "listing", result };
    return result;
  }

  async #request(agent: Agent): Promise<void> {
    const { config } = agent,
      connection = await this.#connect(agent);
    if (!connection.capabilities.list) throw new AgentError("unsupported", "The agent does not offer session/list.");
    const sessions: ListedSession[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && sessions.length < MAX_SESSIONS; page++) {
      const { sessions: more, nextCursor } = await connection.listSessions(cursor);
      sessions.push(...more);
      cursor = nextCursor;
      if (cursor === undefined) break;
    }
    const archived = new Set(agent.sessions.flatMap(({ ref, isArchived }) => (isArchived ? [ref.sessionId] : [])));
    const { hidden } = this.deps;
    hidden.refresh();
    agent.sessions = [...new Map(sessions.map(session => [session.sessionId, session])).values()]
      .filter(({ sessionId }) => !hidden.has(config.id, sessionId))
      .map(({ sessionId, title, cwd, updatedAt }) => ({
        ref: { kind: "agent", agentId: config.id, sessionId },
        agent: { id: config.id, name: config.name },
        title,
        cwd,
        changedAt: updatedAt,
        ...(archived.has(sessionId) ? { isArchived: true } : {}),
      }));
  }

  /** A process of a tab if there is one, otherwise an own one, which is released later. */
  async #connect(agent: Agent): Promise<AgentConnection> {
    const { config, cwd } = agent,
      { pool, clock } = this.deps,
      shared = pool.connected(config.id);
    if (shared !== undefined && !shared.isEnded && agent.lease === undefined) return shared;
    if (agent.lease === undefined || agent.lease.connection.isEnded) {
      this.#release(agent);
      if (!(await this.deps.isInstalled(config)))
        throw new AgentError("notFound", l10n.t("The agent is not installed."));
      const lease = await pool.acquire({ agent: config, cwd, protocol: 1 }, this.#disposed.signal);
      agent.lease = lease;
    }
    agent.release?.[Symbol.dispose]();
    agent.release = clock.after(KEEP_MS, () => this.#release(agent));
    return agent.lease.connection;
  }

  #release(agent: Agent): void {
    agent.release?.[Symbol.dispose]();
    agent.lease?.release();
    delete agent.release;
    delete agent.lease;
  }

  async #connectionFor(agentId: string, capability: "setTitle" | "archive" | "delete"): Promise<AgentConnection> {
    const agent = this.#agents.get(agentId),
      shared = this.deps.pool.connected(agentId);
    const connection = agent ? await this.#connect(agent) : shared;
    if (connection === undefined || !connection.capabilities[capability satisfies keyof AgentCapabilities])
      throw new RpcError(ErrorCode.refused, NOT_OFFERED[capability](agent?.config.name ?? agentId));
    return connection;
  }

  #change(
    agentId: string,
    sessionId: string,
    change: (session: AgentSessionSummary) => readonly AgentSessionSummary[],
  ): void {
    const agent = this.#agents.get(agentId);
    if (agent)
      agent.sessions = agent.sessions.flatMap(each => (each.ref.sessionId === sessionId ? change(each) : [each]));
  }
}

const NOT_OFFERED = {
  setTitle: (agent: string) =>
    l10n.t`${agent} does not offer to rename its sessions. Open the session here, then rename it.`,
  archive: (agent: string) =>
    l10n.t`${agent} does not offer to archive its sessions. Open the session here, then archive it.`,
  delete: (agent: string) => l10n.t`${agent} does not offer to delete its sessions.`,
};
