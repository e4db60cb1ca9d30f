/**
 * One MCP server with the tools of all sessions of an agent process (issue 14 item 5). It serves an agent that ignores
 * `mcpServers` and starts the MCP servers of its own configuration. The agent connects once per process or once per
 * session. No message contains the session id.
 *
 * - `tools/list` returns the tools of all sessions, each once, under stable names. It waits for the first session.
 * - `tools/call` is forwarded to the session that `RouteAttached` returns, or refused with an error for the model.
 *
 * Invariants:
 * - A session counts as listed only after its own servers have responded to a list request of the agent.
 * - Tools that the agent has not listed yet are announced (`list_changed`).
 * - Every request is answered, also when a session closes meanwhile.
 */
import { isDeepStrictEqual } from "node:util";
import { memoryChannels } from "../rpc/memory-channel";
import type { Channel } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { methodNotFound } from "../rpc/peer";
import { serveSession } from "./session-adapter";
import { familyOf } from "./delivery/call-route";
import { COUNTS_TOOLS } from "./delivery/delivery";
import { LIST_LIMIT_MS } from "./delivery/delivery-tracker";
import type { OnWarning } from "./acp-link";
import type { DeclaredServer } from "./declared-servers";
import { Meta, STATELESS_REVISION, withMeta, type StatelessOptions, type StatelessServer } from "./revision";
import { MCP_METHODS, STATELESS_METHODS } from "./methods";

/** The name of the server in the agent's configuration. */
export const ATTACHED = "symposium";

/** `server` records its requests as requests of the agent. `unobserved` is the same server without the record. */
export interface AttachedTools {
  readonly name: string;
  readonly server: StatelessServer;
  readonly unobserved: StatelessServer;
}

/** Returns the id of the session that makes this call. */
export type RouteAttached = (
  tool: string,
  args: unknown,
  signal: AbortSignal,
) => Promise<{ readonly id: string } | { readonly refused: string }>;

/** A session, whose id is unknown during its setup. */
export interface AttachedSession extends Disposable {
  /** Call when the agent has responded to the setup. */
  named(id: string): void;
}

interface SessionEntry {
  id: string | undefined;
  readonly servers: ReadonlyMap<string, AttachedTools>;
}
interface Tool {
  readonly name: string;
  readonly definition: JsonObject;
}

/**
 * Time limit in milliseconds for one server to list its tools. Less than `LIST_LIMIT_MS`, the maximum delay of the
 * first prompt.
 */
const SERVER_LIMIT_MS = 3_000;
/** Maximum number of pages of a tool list. */
const MAX_PAGES = 100;
const PARAMS = { _meta: { [Meta.version]: STATELESS_REVISION, [Meta.capabilities]: {} } };

export class AttachedServer implements DeclaredServer {
  readonly #sessions = new Set<SessionEntry>();
  /** Tools by the name that the agent uses. Entries are never removed. */
  readonly #names = new Map<string, { readonly server: string; readonly tool: string }>();
  /** The newest list of each server. */
  readonly #newest = new WeakMap<AttachedTools, readonly JsonObject[]>();
  readonly #clients = new Set<Client>();
  readonly #channels = new Set<AsyncDisposable>();
  #route: RouteAttached = () => Promise.resolve({ refused: "No conversation is open." });
  #resolveFirstSession = (): void => undefined;
  readonly #firstSession = new Promise<void>(resolve => {
    this.#resolveFirstSession = resolve;
  });
  #firstAt: number | undefined;
  #wasConnected = false;
  /** The client of requests without a connection. */
  readonly #shared: Client;

  constructor(
    private readonly clock: Clock,
    private readonly version: string,
    private readonly onWarning: OnWarning,
  ) {
    this.#shared = new Client(this, version);
    this.#clients.add(this.#shared);
  }

  get stateless(): StatelessServer {
    return this.#shared;
  }

  routeBy(route: RouteAttached): void {
    this.#route = route;
  }

  /**
   * Whether a first prompt waits for the list: the agent has connected, or its first session is younger than
   * `LIST_LIMIT_MS`.
   */
  get isAwaited(): boolean {
    return this.#wasConnected || this.clock.now() - (this.#firstAt ?? this.clock.now()) < LIST_LIMIT_MS;
  }

  async connect(): Promise<Channel> {
    this.#wasConnected = true;
    const [near, far] = memoryChannels(),
      client = new Client(this, this.version),
      served = serveSession(client, far, this.onWarning);
    this.#clients.add(client);
    this.#channels.add(served);
    return {
      start: receiver =>
        near.start({ receive: frame => receiver.receive(frame), closed: reason => receiver.closed(reason) }),
      send: frame => near.send(frame),
      drained: () => near.drained(),
      [Symbol.asyncDispose]: async () => {
        this.#clients.delete(client);
        this.#channels.delete(served);
        await near[Symbol.asyncDispose]();
      },
    };
  }

  /** `tools` is empty if the agent uses the servers of its sessions directly. */
  add(tools: readonly AttachedTools[]): AttachedSession {
    const families = tools.map(({ name }) => familyOf(name)),
      isOnly = (family: string): boolean => families.indexOf(family) === families.lastIndexOf(family);
    const servers = new Map(
      tools.map(each => {
        const family = familyOf(each.name);
        return [isOnly(family) ? family : each.name, each] as const;
      }),
    );
    const session: SessionEntry = { id: undefined, servers };
    this.#sessions.add(session);
    this.#firstAt ??= this.clock.now();
    this.#resolveFirstSession();
    return {
      named: id => {
        session.id = id;
        void this.#addLateSession(session);
      },
      [Symbol.dispose]: () => {
        this.#sessions.delete(session);
      },
    };
  }

  /** Lists all tools for the agent, as recorded by the servers. */
  async list(signal: AbortSignal): Promise<readonly JsonObject[]> {
    await this.#sessionOrTimeout(signal);
    const lists = await Promise.all(
      [...this.#sessions].map(session => this.#toolsOf(session, ({ server }) => server, signal)),
    );
    const byName = new Map(lists.flat().map(({ name, definition }) => [name, definition] as const));
    return [...byName.values()];
  }

  async call(params: JsonObject, options: StatelessOptions): Promise<unknown> {
    const name = stringOr(params.name, ""),
      entry = this.#names.get(name);
    if (!entry) return refusal(`Unknown tool “${name}”.`);
    const route = await this.#route(name, params.arguments, options.signal);
    if ("refused" in route) return refusal(route.refused);
    const session = [...this.#sessions].find(({ id }) => id === route.id),
      to = session?.servers.get(entry.server);
    return to
      ? to.server.request(MCP_METHODS.tools_call, { ...params, name: entry.tool }, options)
      : refusal("This tool belongs to another conversation and is not available in this one.");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#channels].map(each => each[Symbol.asyncDispose]()));
  }

  /**
   * Handles a session that starts after the agent has listed tools. Notifies each client that lacks tools of the
   * session.
   */
  async #addLateSession(session: SessionEntry): Promise<void> {
    const clients = [...this.#clients].filter(({ listed }) => listed !== undefined),
      { signal } = new AbortController();
    if (clients.length === 0 || session.servers.size === 0) return;
    const names = (await this.#toolsOf(session, ({ unobserved }) => unobserved, signal, { [COUNTS_TOOLS]: true })).map(
      ({ name }) => name,
    );
    for (const client of clients) if (!names.every(name => client.listed?.has(name))) client.changed();
    if (clients.some(({ listed }) => names.every(name => listed?.has(name))))
      await this.#toolsOf(session, ({ server }) => server, signal);
  }

  /** A server that fails to list its tools contributes none. */
  async #toolsOf(
    { servers }: SessionEntry,
    select: (tools: AttachedTools) => StatelessServer,
    signal: AbortSignal,
    meta: JsonObject = {},
  ): Promise<readonly Tool[]> {
    const lists = await Promise.all(
      [...servers].map(async ([key, tools]) => {
        try {
          return (await this.#withTimeout(tools, pagesOf(select(tools), signal, meta))).map(tool => {
            const name = this.#nameOf(key, stringOr(tool.name, ""));
            return { name, definition: { ...tool, name } };
          });
        } catch (error) {
          this.#reportFailure(tools, error);
          return [];
        }
      }),
    );
    return lists.flat();
  }

  /**
   * Lists the tools of one server. After `SERVER_LIMIT_MS` the result is the server's previous list, so that a slow
   * server does not delay the tools of the others. A late list that differs from the previous one is announced.
   */
  async #withTimeout(server: AttachedTools, listing: Promise<readonly JsonObject[]>): Promise<readonly JsonObject[]> {
    const previous = this.#newest.get(server),
      listed = listing.then(tools => {
        this.#newest.set(server, tools);
        return tools;
      });
    let stopTimer: Disposable | undefined;
    const timeout = new Promise<undefined>(resolve => {
      stopTimer = this.clock.after(SERVER_LIMIT_MS, () => resolve(undefined));
    });
    try {
      const tools = await Promise.race([listed, timeout]);
      if (tools) return tools;
    } finally {
      stopTimer?.[Symbol.dispose]();
    }
    listed.then(
      tools => {
        if (!isDeepStrictEqual(tools, previous)) this.#announce();
      },
      (error: unknown) => this.#reportFailure(server, error),
    );
    if (!previous)
      this.onWarning(`the MCP server “${server.name}” did not list its tools in time`, `${SERVER_LIMIT_MS} ms`);
    return previous ?? [];
  }

  #reportFailure({ name }: AttachedTools, error: unknown): void {
    this.onWarning(`the tools of the MCP server “${name}” could not be listed`, error);
  }

  #announce(): void {
    for (const client of this.#clients) if (client.listed) client.changed();
  }

  /** Returns the name of a tool for the agent. The first server with a tool keeps the original name. */
  #nameOf(server: string, tool: string): string {
    for (let n = 0; ; n++) {
      const name = n === 0 ? tool : n === 1 ? `${server}_${tool}` : `${server}_${tool}_${n}`,
        entry = this.#names.get(name);
      if (entry && (entry.server !== server || entry.tool !== tool)) continue;
      this.#names.set(name, { server, tool });
      return name;
    }
  }

  async #sessionOrTimeout(signal: AbortSignal): Promise<void> {
    if (this.#sessions.size > 0) return;
    await new Promise<void>(resolve => {
      const timer = this.clock.after(LIST_LIMIT_MS, resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      void this.#firstSession.then(() => {
        timer[Symbol.dispose]();
        resolve();
      });
    });
  }
}

/** Tracks the tools that one connection of the agent has received. */
class Client implements StatelessServer {
  /** Names in the last list; undefined before the first. */
  listed: ReadonlySet<string> | undefined;
  #changed: (() => void) | undefined;

  constructor(
    private readonly server: AttachedServer,
    private readonly version: string,
  ) {}

  /** Notifies the agent that the list has changed. */
  changed(): void {
    this.#changed?.();
  }

  async request(method: string, params: JsonObject, options: StatelessOptions): Promise<unknown> {
    switch (method) {
      case STATELESS_METHODS.server_discover:
        return {
          resultType: "complete",
          capabilities: { tools: { listChanged: true } },
          _meta: { [Meta.server]: { name: ATTACHED, version: this.version } },
        };
      case MCP_METHODS.tools_list: {
        const tools = await this.server.list(options.signal);
        this.listed = new Set(tools.map(({ name }) => stringOr(name, "")));
        return { resultType: "complete", ttlMs: 0, cacheScope: "private", tools };
      }
      case MCP_METHODS.tools_call:
        return this.server.call(params, options);
      case STATELESS_METHODS.subscriptions_listen:
        return this.#listen(options);
      default:
        throw methodNotFound(method);
    }
  }

  /** Handles a subscription until the client cancels it. */
  #listen({ signal, notification }: StatelessOptions): Promise<unknown> {
    const notify = (): void => notification(MCP_METHODS.notifications_tools_list_changed, {});
    this.#changed = notify;
    return new Promise(resolve => {
      signal.addEventListener(
        "abort",
        () => {
          if (this.#changed === notify) this.#changed = undefined;
          resolve({});
        },
        { once: true },
      );
    });
  }
}

async function pagesOf(server: StatelessServer, signal: AbortSignal, meta: JsonObject): Promise<readonly JsonObject[]> {
  const tools: JsonObject[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = withMeta({ ...(cursor === undefined ? {} : { cursor }), _meta: meta }, PARAMS._meta);
    const result = objectOr(
      await server.request(MCP_METHODS.tools_list, params, { signal, notification: () => undefined }),
    );
    tools.push(...arrayOr(result.tools).filter(isObject));
    cursor = result.nextCursor;
    if (typeof cursor !== "string") break;
  }
  return tools;
}

function refusal(sentence: string): JsonObject {
  return { resultType: "complete", content: [{ type: "text", text: sentence }], isError: true };
}
