/**
 * Shares one agent process between all sessions with the same configuration. The key contains all values that affect
 * the process. Concurrent requests for the same key share one promise, so only one process starts.
 *
 * Invariants:
 * - A process runs while at least one lease is held, and is stopped when the last lease is released.
 * - A process that has exited, failed to start or is being restarted gets no new leases.
 */
import * as l10n from "@vscode/l10n";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import type { ExtensionConfig } from "../../src/protocol/agents/extensions";
import { AgentError } from "../errors";
import type { Closed } from "../rpc/channel";
import type { AcpVersion, AgentConnection, AgentRole } from "../acp/connection";

/** Determines the process that serves a session. */
export interface AgentKey {
  readonly agent: AgentConfig;
  readonly cwd: string;
  /** The highest ACP version offered to the agent. */
  readonly protocol: AcpVersion;
  /** Extensions before the agent, in order from the client. Absent: none. */
  readonly extensions?: readonly ExtensionConfig[];
  /** Client of the agent. Default: Symposium's own chat. Clients advertise different capabilities. */
  readonly role?: AgentRole;
}

export interface Lease {
  readonly connection: AgentConnection;
  /** Releases the lease. Idempotent. */
  release(): void;
}

interface Shared {
  readonly key: string;
  readonly agentId: string;
  readonly connection: Promise<AgentConnection>;
  /** The resolved value of `connection`. */
  connected?: AgentConnection;
  /** Aborts a start in progress. */
  readonly starting: AbortController;
  users: number;
}

export class AgentPool implements AsyncDisposable {
  readonly #shared = new Map<string, Shared>();
  /** Processes that keep their sessions and accept no new sessions. */
  readonly #retired = new Set<Shared>();
  readonly #stopping = new Set<Promise<void>>();

  /**
   * `connect` starts an agent and rejects with the signal's reason when `signal` aborts. `failed` receives errors that
   * occur while an agent stops.
   */
  constructor(
    private readonly connect: (key: AgentKey, signal: AbortSignal) => Promise<AgentConnection>,
    private readonly failed: (error: unknown) => void,
  ) {}

  /**
   * Rejects with the reason if the agent cannot be started. When `signal` aborts, the lease is released, whether
   * acquired or pending.
   */
  async acquire(key: AgentKey, signal: AbortSignal): Promise<Lease> {
    const shared = this.#join(key);
    shared.users++;
    let held = true;
    const release = (): void => {
      if (held) this.#release(shared);
      held = false;
    };
    signal.addEventListener("abort", release, { once: true });
    try {
      return { connection: await shared.connection, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Stops the process of `key`, if any, and notifies its users of the reason. The next `acquire` starts another
   * process. If `connection` is given, stops its process instead, even if retired. Does nothing if that process has
   * ended.
   */
  restart(key: AgentKey, reason: Closed, connection?: AgentConnection): void {
    const shared =
      connection === undefined
        ? this.#shared.get(keyOf(key))
        : [...this.#shared.values(), ...this.#retired].find(({ connected }) => connected === connection);
    if (shared) this.#stop(shared, reason);
  }

  /** Returns any connected process of this agent. */
  connected(agentId: string): AgentConnection | undefined {
    return [...this.#shared.values()].find(shared => shared.agentId === agentId && shared.connected)?.connected;
  }

  /** Stops all processes of this agent and notifies their users of the reason. */
  endAll(agentId: string, reason: Closed): void {
    for (const shared of [...this.#shared.values(), ...this.#retired])
      if (shared.agentId === agentId) this.#stop(shared, reason);
  }

  /** Existing sessions of this agent keep their process. The next `acquire` starts another process. */
  retire(agentId: string): void {
    for (const shared of [...this.#shared.values()]) {
      if (shared.agentId !== agentId) continue;
      this.#shared.delete(shared.key);
      this.#retired.add(shared);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const shared of [...this.#shared.values(), ...this.#retired]) this.#stop(shared, UNUSED);
    await Promise.all(this.#stopping);
  }

  #join(key: AgentKey): Shared {
    const name = keyOf(key);
    const existing = this.#shared.get(name);
    if (existing) return existing;
    const starting = new AbortController();
    const connection = this.connect(key, starting.signal);
    const shared: Shared = { key: name, agentId: key.agent.id, connection, starting, users: 0 };
    this.#shared.set(name, shared);
    connection
      .then(connected => {
        shared.connected = connected;
        return connected.closed;
      })
      .then(
        () => this.#forget(shared),
        () => this.#forget(shared),
      );
    return shared;
  }

  #release(shared: Shared): void {
    shared.users--;
    if (shared.users === 0) this.#stop(shared, UNUSED);
  }

  #stop(shared: Shared, reason: Closed): void {
    this.#forget(shared);
    shared.starting.abort(new AgentError("closed", reason.message));
    const stopping = shared.connection
      .then(
        connection => connection.end(reason),
        () => undefined,
      )
      .catch((error: unknown) => this.failed(error))
      .finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
  }

  #forget(shared: Shared): void {
    this.#retired.delete(shared);
    if (this.#shared.get(shared.key) === shared) this.#shared.delete(shared.key);
  }
}

const UNUSED: Closed = { message: l10n.t("The agent was stopped because no tab uses it.") };

/** Equal configurations yield equal keys, regardless of property order. Display names are excluded. */
function keyOf({ agent: { id, distribution }, cwd, protocol, role, extensions = [] }: AgentKey): string {
  const before = extensions.map(extension => ({
    id: extension.id,
    kind: extension.kind,
    distribution: extension.distribution,
    settings: extension.settings,
  }));
  return JSON.stringify({ id, distribution, cwd, protocol, role, before }, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
