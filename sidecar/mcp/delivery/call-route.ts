/**
 * Which session a tool call belongs to, for agents that offer the MCP servers of every session in all sessions of a
 * process (issue 14 item 3): a call at the server of one session may be made by another one. Pure.
 *
 * A session proves that a call is its own by a running turn and an announcement (`tool_call`) that names the very
 * server and tool. If the session has a server of exactly this name itself, the announcement is about that one and
 * proves nothing about another session's server: MCP servers of other programs have the same name in each session.
 *
 * Invariant: a call never goes to a session without a running turn while another session announced it, and never to one
 * of several that announced it.
 */

/**
 * `announces`: it has an announcement of this call that no call has used yet. `canServe`: it has the same extension's
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
  /** An announcement may still be on its way. */
  | { readonly kind: "wait" }
  /** `sentence`: for the model. */
  | { readonly kind: "refuse"; readonly sentence: string };

export interface CallFacts {
  /** The session whose server was called. */
  readonly owner: string;
  /** All sessions of the process, the owner included. */
  readonly sessions: readonly CallCandidate[];
  /** The process was seen to call servers of other sessions. */
  readonly shares: boolean;
  /** No announcement is waited for any more. */
  readonly isFinal: boolean;
}

export function routeCall({ owner, sessions, shares, isFinal }: CallFacts): CallRoute {
  const running = sessions.filter(({ isRunning }) => isRunning),
    announcing = running.filter(({ announces }) => announces);
  const isOwnerRunning = running.some(({ id }) => id === owner),
    [first, second] = announcing;
  if (first && second)
    return refuse("More than one conversation is making this call, and it cannot be told which. Make it again.");
  if (first)
    return first.canServe
      ? { kind: "session", id: first.id }
      : refuse("This tool belongs to another conversation and is not available in this one.");
  if (isOwnerRunning ? running.length === 1 : running.length === 0 && !shares) return { kind: "session", id: owner };
  if (!isFinal) return { kind: "wait" };
  return isOwnerRunning && !shares
    ? { kind: "session", id: owner }
    : refuse("This tool belongs to another conversation. Use the tool of the same name that belongs to this one.");
}

/**
 * The same for a call at a server that all sessions of the process share (`attached-server.ts`). With one running turn
 * it is that session's.
 */
export function routeSharedCall(sessions: readonly Omit<CallCandidate, "canServe">[], isFinal: boolean): CallRoute {
  const running = sessions.filter(({ isRunning }) => isRunning),
    announcing = running.filter(({ announces }) => announces);
  const [only, second] = running,
    [first, other] = announcing;
  if (!only) return refuse("No conversation is waiting for this tool. Call it while you answer a message.");
  if (!second) return { kind: "session", id: only.id };
  if (first && other)
    return refuse("More than one conversation is making this call, and it cannot be told which. Make it again.");
  if (first) return { kind: "session", id: first.id };
  return isFinal
    ? refuse(
        "More than one conversation is running, and it cannot be told which one makes this call. Make it again when the others are done.",
      )
    : { kind: "wait" };
}

function refuse(sentence: string): CallRoute {
  return { kind: "refuse", sentence };
}

/**
 * Servers of one extension have one family: their names differ in a number, or in the four characters of VS Code's
 * servers.
 */
export function familyOf(server: string): string {
  return /^vsc_[a-z0-9]{4}$/.test(server) ? "vsc" : server.replace(/[-_]\d+$/, "");
}

/** A session's servers by family, without families of which it has two servers: another session's call fits both. */
export function byFamily<T>(servers: readonly (readonly [name: string, server: T])[]): ReadonlyMap<string, T> {
  const families = servers.map(([name]) => familyOf(name));
  const isOnly = (family: string): boolean => families.indexOf(family) === families.lastIndexOf(family);
  return new Map(
    servers.map(([name, server]) => [familyOf(name), server] as const).filter(([family]) => isOnly(family)),
  );
}
