/**
 * One agent process for all sessions with the same configuration. Everything that affects the process is in its key;
 * two sessions that open at the same moment get the same promise, so they never start two.
 *
 * Invariants: a process runs as long as somebody holds a lease on it, and is stopped when the last one lets go; one
 * that died, could not start, or is being restarted is no longer handed out.
 */
import type { AgentConfig } from "../../src/protocol/agents";
import type { ExtensionConfig } from "../../src/protocol/extensions";
import { AgentError } from "../errors";
import type { Closed } from "../rpc/channel";
import type { AcpVersion, AgentConnection, AgentRole } from "../acp/connection";

/** What decides which process serves a session. */
export interface AgentKey {
  readonly agent: AgentConfig;
  readonly cwd: string;
  /** The highest version of ACP that it is offered. */
  readonly protocol: AcpVersion;
  /** Those before it, from the client on; absent: none. */
  readonly extensions?: readonly ExtensionConfig[];
  /** Whom it serves: VS Code's own chat, or, where there is none, ours. They promise an agent different things. */
  readonly role?: AgentRole;
}

export interface Lease {
  readonly connection: AgentConnection;
  /** Lets go; idempotent. */
  release(): void;
}

interface Shared {
  readonly key: string;
  readonly agentId: string;
  readonly connection: Promise<AgentConnection>;
  /** What `connection` came to. */
  connected?: AgentConnection;
  /** Ends it while it is still being started. */
  readonly starting: AbortController;
  users: number;
}

export class AgentPool implements AsyncDisposable {
  readonly #shared = new Map<string, Shared>();
  /** Those that serve their sessions to the end and no new ones. */
  readonly #retired = new Set<Shared>();
  readonly #stopping = new Set<Promise<void>>();

  /**
   * `connect` starts an agent, and gives up when `signal` aborts, with the signal's reason. `failed` hears what goes
   * wrong while one is stopped.
   */
  constructor(
    private readonly connect: (key: AgentKey, signal: AbortSignal) => Promise<AgentConnection>,
    private readonly failed: (error: unknown) => void,
  ) {}

  /**
   * Rejects with the reason why the agent could not be started. When `signal` aborts, the lease is let go of, had or
   * still waited for.
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
   * Stops the process that serves `key`, if any, and tells all who use it why; the next `acquire` starts another. `of`:
   * the process of this connection instead, also when it is retired; nothing when it has ended.
   */
  restart(key: AgentKey, why: Closed, of?: AgentConnection): void {
    const shared =
      of === undefined
        ? this.#shared.get(nameOf(key))
        : [...this.#shared.values(), ...this.#retired].find(({ connected }) => connected === of);
    if (shared) this.#stop(shared, why);
  }

  /** A process of this agent that is there, whoever it serves. */
  connected(agentId: string): AgentConnection | undefined {
    return [...this.#shared.values()].find(shared => shared.agentId === agentId && shared.connected)?.connected;
  }

  /** Stops all processes of this agent, and tells all who use one why. */
  endAll(agentId: string, why: Closed): void {
    for (const shared of [...this.#shared.values(), ...this.#retired])
      if (shared.agentId === agentId) this.#stop(shared, why);
  }

  /** The sessions of this agent keep their process; the next `acquire` starts another. */
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
    const name = nameOf(key);
    const known = this.#shared.get(name);
    if (known) return known;
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

  #stop(shared: Shared, why: Closed): void {
    this.#forget(shared);
    shared.starting.abort(new AgentError("closed", why.message));
    const stopping = shared.connection
      .then(
        connection => connection.end(why),
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

const UNUSED: Closed = { message: "The agent was stopped because no tab uses it." };

/**
 * Equal configurations give equal names, whatever the order of their keys. The names shown to people are not part of
 * it.
 */
function nameOf({ agent: { id, distribution }, cwd, protocol, role, extensions = [] }: AgentKey): string {
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
