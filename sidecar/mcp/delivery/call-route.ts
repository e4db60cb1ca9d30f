/**
 * Selects the session of a tool call. Some agents offer the MCP servers of every session in all sessions of a process
 * (issue 14 item 3). One session can then call the server of another session. Pure.
 *
 * A running turn and a matching announcement (`tool_call` with this server and tool) prove that a session made the
 * call. If the session has a server with exactly this name, the announcement refers to that server. It is no evidence
 * of a call to another session's server, because MCP servers of other programs have the same name in each session.
 *
 * Invariants:
 * - A call is never routed to a session without a running turn while another session announced it.
 * - A call that only sessions without a turn announced is never routed to another session.
 * - A call is never routed to one of several sessions that announced it.
 */

/**
 * `announces`: the session has an unused announcement of this call. `canServe`: the session has the same extension's
 * server.
 */
export interface CallCandidate {
  readonly id: string;
  readonly isRunning: boolean;
  readonly announces: boolean;
  readonly canServe: boolean;
}

export type CallRoute =
  | { readonly kind: "session"; readonly id: string }
  /** The announcement may still arrive. */
  | { readonly kind: "wait" }
  /** `sentence`: error text for the model. */
  | { readonly kind: "refuse"; readonly sentence: string };

export interface CallFacts {
  /** Session whose server received the call. */
  readonly owner: string;
  /** All sessions of the process, including the owner. */
  readonly sessions: readonly CallCandidate[];
  /** Whether the process has called servers of other sessions before. */
  readonly shares: boolean;
  /** Whether the time limit for an announcement has expired. */
  readonly isFinal: boolean;
}

export function routeCall({ owner, sessions, shares, isFinal }: CallFacts): CallRoute {
  const running = sessions.filter(({ isRunning }) => isRunning),
    announcing = running.filter(({ announces }) => announces);
  const isOwnerRunning = running.some(({ id }) => id === owner),
    [first, second] = announcing;
  if (first && second)
    return refuse(
      "More than one conversation is making this call, and Symposium cannot determine which one. Make it again.",
    );
  if (first)
    return first.canServe
      ? { kind: "session", id: first.id }
      : refuse("This tool belongs to another conversation and is not available in this one.");
  const isOfIdle = sessions.some(({ id, isRunning, announces }) => id !== owner && !isRunning && announces);
  if (!isOfIdle && (isOwnerRunning ? running.length === 1 : running.length === 0 && !shares))
    return { kind: "session", id: owner };
  if (!isFinal) return { kind: "wait" };
  return isOwnerRunning && !shares && !isOfIdle
    ? { kind: "session", id: owner }
    : refuse("This tool belongs to another conversation. Use the tool of the same name that belongs to this one.");
}

/**
 * Routes a call to a server that all sessions of the process share (`attached-server.ts`). If only one turn is running,
 * the call belongs to its session, unless only a session without a turn announced it. Some agents call tools after the
 * end of a turn.
 */
export function routeSharedCall(sessions: readonly Omit<CallCandidate, "canServe">[], isFinal: boolean): CallRoute {
  const running = sessions.filter(({ isRunning }) => isRunning),
    announcing = running.filter(({ announces }) => announces);
  const [only, second] = running,
    [first, other] = announcing;
  if (!only) return refuse("No conversation is waiting for this tool. Call it while you answer a message.");
  if (first && other)
    return refuse(
      "More than one conversation is making this call, and Symposium cannot determine which one. Make it again.",
    );
  if (first) return { kind: "session", id: first.id };
  const isOfIdle = sessions.some(({ isRunning, announces }) => !isRunning && announces);
  if (!second && !isOfIdle) return { kind: "session", id: only.id };
  if (!isFinal) return { kind: "wait" };
  return refuse(
    second
      ? "More than one conversation is running, and Symposium cannot determine which one makes this call. Make it again after the others have finished."
      : "The conversation that makes this call no longer waits for it. Call it while you answer a message.",
  );
}

function refuse(sentence: string): CallRoute {
  return { kind: "refuse", sentence };
}

/**
 * Family of a server name. The servers of one extension share a family: their names differ in a number. The number of
 * VS Code's servers follows without a separator (`tool-names.ts`).
 */
export function familyOf(server: string): string {
  return server.replace(/(?:[-_]|(?<=^vsctools))\d+$/, "");
}

/**
 * Servers of a session by family. A family with two servers is omitted, because a call of another session matches both.
 */
export function byFamily<T>(servers: readonly (readonly [name: string, server: T])[]): ReadonlyMap<string, T> {
  const families = servers.map(([name]) => familyOf(name));
  const isOnly = (family: string): boolean => families.indexOf(family) === families.lastIndexOf(family);
  return new Map(
    servers.map(([name, server]) => [familyOf(name), server] as const).filter(([family]) => isOnly(family)),
  );
}
