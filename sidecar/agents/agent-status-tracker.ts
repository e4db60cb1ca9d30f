/**
 * Tracks the agents and extensions of this window: the number of processes, the sign-in state and the last failure.
 *
 * Invariants:
 * - `running` counts processes that have started and not ended.
 * - A failure is reported until the next start.
 * - `notify` is called at most once per microtask for each changed item, never re-entrantly.
 */
import type { AgentState, Installable } from "../../src/protocol/agents/agent-service";
import { assertNever } from "../../src/protocol/wire/wire";
import { errorMessage } from "../../src/protocol/wire/errors";
import { AgentError } from "../errors";
import type { AgentConnection } from "../acp/connection";
import { InstallError } from "./install/store/install-error";
import type { AgentKey } from "./pool";

export type StatusEvent =
  | { readonly kind: "started"; readonly canLogOut?: boolean }
  /** `why`: the reason as a sentence, if the process ended unexpectedly. */
  | { readonly kind: "ended"; readonly why?: string }
  /** The start failed. `why`: the reason as a sentence. */
  | { readonly kind: "failed"; readonly why: string }
  /** Result of a session request: signed in, or sign-in needed. */
  | { readonly kind: "session"; readonly signIn: "in" | "needed" }
  /** An examination started the agent successfully. */
  | { readonly kind: "well" };

/** `canLogOut`: as advertised at the last start. */
export interface AgentStatus extends Pick<AgentState, "running" | "signIn" | "lastError"> {
  readonly canLogOut?: boolean;
}

export const INITIAL_STATUS: AgentStatus = { running: 0 };

/** Pure. `at`: milliseconds since 1970. Returns the same object if nothing changes. */
export function withEvent(before: AgentStatus, status: StatusEvent, at: number): AgentStatus {
  switch (status.kind) {
    case "started":
      return {
        ...withoutError(before),
        running: before.running + 1,
        ...(status.canLogOut === undefined ? {} : { canLogOut: status.canLogOut }),
      };
    case "ended":
      return {
        ...before,
        running: Math.max(0, before.running - 1),
        ...(status.why === undefined ? {} : { lastError: { sentence: status.why, at } }),
      };
    case "failed":
      return { ...before, lastError: { sentence: status.why, at } };
    case "session":
      return before.signIn === status.signIn ? before : { ...before, signIn: status.signIn };
    case "well":
      return before.lastError ? withoutError(before) : before;
    default:
      return assertNever(status, "status event");
  }
}

function withoutError({ lastError: _, ...rest }: AgentStatus): AgentStatus {
  return rest;
}

export class AgentStatusTracker {
  readonly #statuses: Readonly<Record<Installable, Map<string, AgentStatus>>> = {
    agent: new Map(),
    extension: new Map(),
  };
  readonly #pending: Readonly<Record<Installable, Set<string>>> = { agent: new Set(), extension: new Set() };

  /** `date`: milliseconds since 1970. */
  constructor(
    private readonly notify: (kind: Installable, id: string) => void,
    private readonly date: () => number,
  ) {}

  of(kind: Installable, id: string): AgentStatus {
    return this.#statuses[kind].get(id) ?? INITIAL_STATUS;
  }

  onStatus(kind: Installable, id: string, status: StatusEvent): void {
    const before = this.of(kind, id),
      now = withEvent(before, status, this.date());
    if (now === before) return;
    this.#statuses[kind].set(id, now);
    this.changed(kind, id);
  }

  /** Schedules a notification about state that this tracker does not hold. */
  changed(kind: Installable, id: string): void {
    const notifications = this.#pending[kind];
    if (notifications.has(id)) return;
    notifications.add(id);
    queueMicrotask(() => {
      notifications.delete(id);
      this.notify(kind, id);
    });
  }
}

type Connect = (key: AgentKey, signal: AbortSignal) => Promise<AgentConnection>;

/**
 * Wraps `connect` and reports events to `statusTracker`. If an extension ended the agent, only the extension's failure
 * is reported, by `extension-chain.ts`.
 */
export function trackedConnect(connect: Connect, statusTracker: AgentStatusTracker): Connect {
  return async (key, signal) => {
    const onStatus = (status: StatusEvent): void => statusTracker.onStatus("agent", key.agent.id, status);
    let connection: AgentConnection;
    try {
      connection = await connect(key, signal);
    } catch (error) {
      if (!signal.aborted && !isCausedByExtension(error) && !isCancelled(error))
        onStatus({ kind: "failed", why: errorMessage(error) });
      throw error;
    }
    onStatus({ kind: "started", canLogOut: connection.canLogOut });
    connection.onSignIn(signIn => onStatus({ kind: "session", signIn }));
    void connection.closed.then(reason =>
      onStatus({
        kind: "ended",
        ...(connection.isEnded || isCausedByExtension(reason) ? {} : { why: reason.message }),
      }),
    );
    return connection;
  };
}

/** A cancellation by the user is not a failure. */
function isCancelled(error: unknown): boolean {
  return error instanceof InstallError && error.code === "cancelled";
}

function isCausedByExtension(reason: unknown): boolean {
  return reason instanceof AgentError && reason.code === "extension";
}
