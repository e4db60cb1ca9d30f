/**
 * Routes tool calls to the sessions behind an MCP bridge (`mcp/delivery/call-route.ts`), by their running turns and the
 * calls that the agent announced.
 *
 * Invariants:
 * - With one session, no update is inspected and no call waits.
 * - An announcement matches at most one call.
 * - A call waits at most `ANNOUNCE_LIMIT_MS`.
 */
import { isDeepStrictEqual } from "node:util";
import { byFamily, familyOf, routeCall, routeSharedCall, type CallRoute } from "../mcp/delivery/call-route";
import type { RouteCall } from "../mcp/delivery/routed-server";
import type { StatelessServer } from "../mcp/revision";
import { AnnouncedCalls } from "../permissions/announced-calls";
import { bridgedClaim, QualifiedNames } from "../permissions/bridged-calls";
import type { Clock } from "../rpc/clock";
import { isObject, objectOr, stringOr } from "../rpc/json";

/** Time limit for an announcement. Announcements arrive on stdout and calls on a separate connection, in any order. */
export const ANNOUNCE_LIMIT_MS = 1_000;

export interface RoutableSession {
  readonly isRunning: () => boolean;
  /**
   * Whether an extension opened the session in the background. Its calls are routed only to its own servers, which
   * receive no other calls.
   */
  readonly isSide: boolean;
  /** The servers by exact name, without routing and observation. */
  readonly servers: readonly (readonly [name: string, server: StatelessServer])[];
}

interface RoutedSession {
  readonly isRunning: () => boolean;
  readonly isSide: boolean;
  readonly announced: AnnouncedCalls;
  readonly names: ReadonlySet<string>;
  readonly families: ReadonlyMap<string, StatelessServer>;
}

export class CallRouter {
  readonly #sessions = new Map<string, RoutedSession>();
  #shares = false;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /**
   * `session` is undefined when the session has ended. A side session is a candidate only at the server that all
   * sessions share.
   */
  set(sessionId: string, session: RoutableSession | undefined): void {
    if (!session) {
      this.#sessions.delete(sessionId);
      return;
    }
    const { isRunning, isSide, servers } = session,
      names = new Set(servers.map(([name]) => name));
    this.#sessions.set(sessionId, {
      isRunning,
      isSide,
      names,
      families: byFamily(servers),
      announced: new AnnouncedCalls(),
    });
  }

  /** Handles `session/update`. With one session, the update is not inspected. */
  updated(notification: { readonly params: unknown }): void {
    if (this.#sessions.size < 2) return;
    const { sessionId, update } = objectOr(notification.params);
    this.#sessions.get(stringOr(sessionId, ""))?.announced.onEvent(update);
    for (const attempt of [...this.#waiting]) attempt();
  }

  /**
   * Returns the route of calls to `server`. `owner` returns the session of that server; undefined until its setup
   * response.
   */
  routeFor(owner: () => string | undefined, server: string): RouteCall {
    return async (tool, args, signal) => {
      const id = owner(),
        sessions = this.#withoutSide();
      if (id === undefined || sessions.length < 2 || !sessions.some(([known]) => known === id)) return undefined;
      const route = await this.#route(id, server, tool, args, signal);
      if (route.kind === "refuse") return { refused: route.sentence };
      if (route.kind === "wait" || route.id === id) return undefined;
      this.#shares = true;
      return this.#sessions.get(route.id)?.families.get(familyOf(server));
    };
  }

  /** Routes a call to the server `name`, which all sessions share. With one session, the call is not inspected. */
  async routeShared(
    name: string,
    tool: string,
    args: unknown,
    signal: AbortSignal,
  ): Promise<{ readonly id: string } | { readonly refused: string }> {
    const [only, ...others] = this.#sessions.keys();
    if (only !== undefined && others.length === 0) return { id: only };
    const route = await this.#waitForRoute(isFinal => {
      const sessions = [...this.#sessions].map(([id, { isRunning, announced }]) =>
        this.#candidate(id, isRunning, announced, announcementOf(announced, name, tool, args)),
      );
      return { sessions, route: routeSharedCall(sessions, isFinal) };
    }, signal);
    if (route.kind === "session") return { id: route.id };
    return { refused: route.kind === "refuse" ? route.sentence : "The call was cancelled." };
  }

  #route(owner: string, server: string, tool: string, args: unknown, signal: AbortSignal): Promise<CallRoute> {
    return this.#waitForRoute(isFinal => {
      const sessions = this.#withoutSide().map(([id, { isRunning, names, families, announced }]) => {
        const isOwnName = id !== owner && names.has(server),
          canServe = id === owner || families.has(familyOf(server));
        return {
          ...this.#candidate(
            id,
            isRunning,
            announced,
            isOwnName ? undefined : announcementOf(announced, server, tool, args),
          ),
          canServe,
        };
      });
      return { sessions, route: routeCall({ owner, sessions, shares: this.#shares, isFinal }) };
    }, signal);
  }

  #withoutSide(): readonly (readonly [id: string, session: RoutedSession])[] {
    return [...this.#sessions].filter(([, { isSide }]) => !isSide);
  }

  #candidate(id: string, isRunning: () => boolean, announced: AnnouncedCalls, callId: string | undefined): Candidate {
    const use = (): void => {
      if (callId !== undefined) announced.used(callId);
    };
    return { id, isRunning: isRunning(), announces: callId !== undefined, use };
  }

  /** Retries after each update until the route is final, the call is cancelled, or `ANNOUNCE_LIMIT_MS` expires. */
  #waitForRoute(
    find: (isFinal: boolean) => { readonly sessions: readonly Candidate[]; readonly route: CallRoute },
    signal: AbortSignal,
  ): Promise<CallRoute> {
    return new Promise(resolve => {
      const attempt = (isFinal: boolean): void => {
        const { sessions, route } = find(isFinal);
        if (route.kind === "wait" && !signal.aborted) return;
        timer[Symbol.dispose]();
        this.#waiting.delete(retry);
        if (route.kind === "session") sessions.find(({ id }) => id === route.id)?.use();
        resolve(route);
      };
      const retry = (): void => attempt(false),
        timer = this.clock.after(ANNOUNCE_LIMIT_MS, () => attempt(true));
      this.#waiting.add(retry);
      signal.addEventListener("abort", retry, { once: true });
      attempt(false);
    });
  }
}

/** `use` marks the announcement as used by this call. */
interface Candidate {
  readonly id: string;
  readonly isRunning: boolean;
  readonly announces: boolean;
  use(): void;
}

/**
 * Returns the id of a live announcement of this server and tool. Announced arguments, if any, must equal those of the
 * call.
 */
function announcementOf(announced: AnnouncedCalls, server: string, tool: string, args: unknown): string | undefined {
  const names = new QualifiedNames(server, { all: [tool] });
  for (const [toolCallId, call] of announced.live()) {
    const claim = bridgedClaim([{ toolCallId, ...call }], names);
    const isTool = claim.kind === "proved" || (claim.kind === "reference" && claim.tool === tool);
    if (
      isTool &&
      (!isObject(claim.args) || Object.keys(claim.args).length === 0 || isDeepStrictEqual(claim.args, args ?? {}))
    )
      return toolCallId;
  }
  return undefined;
}
