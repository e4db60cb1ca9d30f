/**
 * What is seen of agents and extensions in this window: how many run, whether they know their user, why they last
 * failed.
 *
 * Invariants: `running` counts what was started and has not ended; a failure is told until the next start; `changed` is
 * called once a turn for each of whom something is another now, and never from inside of who tells it.
 */
import type { AgentState, Installable } from "../../src/protocol/agent-service";
import { assertNever } from "../../src/protocol/wire";
import { AgentError } from "../errors";
import type { AgentConnection } from "../acp/connection";
import { InstallError } from "./install/install-error";
import type { AgentKey } from "./pool";

export type StatusEvent =
  | { readonly kind: "started"; readonly canLogOut?: boolean }
  /** `why`: a sentence, when it ended by itself. */
  | { readonly kind: "ended"; readonly why?: string }
  /** It did not start; `why` is a sentence. */
  | { readonly kind: "failed"; readonly why: string }
  /** It was asked for a session, and has users. */
  | { readonly kind: "session"; readonly signIn: "in" | "needed" }
  /** It starts, as an examination has shown. */
  | { readonly kind: "well" };

/** `canLogOut`: as it said when it was last started. */
export interface AgentStatus extends Pick<AgentState, "running" | "signIn" | "lastError"> {
  readonly canLogOut?: boolean;
}

export const UNSEEN: AgentStatus = { running: 0 };

/** Pure. `at`: milliseconds since 1970. The same object when nothing is another. */
export function seen(before: AgentStatus, sight: StatusEvent, at: number): AgentStatus {
  switch (sight.kind) {
    case "started":
      return {
        ...withoutError(before),
        running: before.running + 1,
        ...(sight.canLogOut === undefined ? {} : { canLogOut: sight.canLogOut }),
      };
    case "ended":
      return {
        ...before,
        running: Math.max(0, before.running - 1),
        ...(sight.why === undefined ? {} : { lastError: { sentence: sight.why, at } }),
      };
    case "failed":
      return { ...before, lastError: { sentence: sight.why, at } };
    case "session":
      return before.signIn === sight.signIn ? before : { ...before, signIn: sight.signIn };
    case "well":
      return before.lastError ? withoutError(before) : before;
    default:
      return assertNever(sight, "sight");
  }
}

function withoutError({ lastError: _, ...rest }: AgentStatus): AgentStatus {
  return rest;
}

export class AgentStatusTracker {
  readonly #seen: Readonly<Record<Installable, Map<string, AgentStatus>>> = { agent: new Map(), extension: new Map() };
  readonly #told: Readonly<Record<Installable, Set<string>>> = { agent: new Set(), extension: new Set() };

  /** `date`: milliseconds since 1970. */
  constructor(
    private readonly tell: (of: Installable, id: string) => void,
    private readonly date: () => number,
  ) {}

  of(of: Installable, id: string): AgentStatus {
    return this.#seen[of].get(id) ?? UNSEEN;
  }

  saw(of: Installable, id: string, sight: StatusEvent): void {
    const before = this.of(of, id),
      now = seen(before, sight, this.date());
    if (now === before) return;
    this.#seen[of].set(id, now);
    this.changed(of, id);
  }

  /** Something else that its state says is another now. */
  changed(of: Installable, id: string): void {
    const told = this.#told[of];
    if (told.has(id)) return;
    told.add(id);
    queueMicrotask(() => {
      told.delete(id);
      this.tell(of, id);
    });
  }
}

type Connect = (key: AgentKey, signal: AbortSignal) => Promise<AgentConnection>;

/**
 * The same, with `witness` looking on. What an extension's end takes along did not fail itself (`extension-chain.ts`
 * tells of it).
 */
export function witnessed(connect: Connect, witness: AgentStatusTracker): Connect {
  return async (key, signal) => {
    const saw = (sight: StatusEvent): void => witness.saw("agent", key.agent.id, sight);
    let connection: AgentConnection;
    try {
      connection = await connect(key, signal);
    } catch (error) {
      if (!signal.aborted && !isTakenAlong(error) && !isCancelled(error))
        saw({ kind: "failed", why: error instanceof Error ? error.message : String(error) });
      throw error;
    }
    saw({ kind: "started", canLogOut: connection.canLogOut });
    connection.hearSignIn(signIn => saw({ kind: "session", signIn }));
    void connection.closed.then(reason =>
      saw({ kind: "ended", ...(connection.isEnded || isTakenAlong(reason) ? {} : { why: reason.message }) }),
    );
    return connection;
  };
}

/** By its user: nothing failed. */
function isCancelled(error: unknown): boolean {
  return error instanceof InstallError && error.code === "cancelled";
}

function isTakenAlong(reason: unknown): boolean {
  return reason instanceof AgentError && reason.code === "extension";
}
