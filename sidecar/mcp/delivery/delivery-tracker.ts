/**
 * Tracks the tool deliveries of all sessions of one chain (`delivery.ts`). The MCP bridge reports events, and the
 * chain's client reads the state.
 *
 * Invariants:
 * - A session's record lasts until the session is closed or set up again.
 * - Above `MAX_SESSIONS` the least recently used record without a running turn is dropped.
 * - Listeners are called after the record has changed, once per change.
 */
import { isListed, isMissing, type ToolDelivery, type ToolTransport } from "../../../src/protocol/chat/session-details";
import type { Clock } from "../../rpc/clock";
import { MAX_WAITS_IN_VAIN, retryAfter, transportFor, waitsForList, type DeliveryEvidence } from "./delivery-evidence";
import { COUNTS_TOOLS, missing, offered, step, type DeliveryEvent, type DeliveryState } from "./delivery";
import { toolsIn } from "./observed-server";
import type { Retry, SessionTools } from "./session-tools";
import { Meta, STATELESS_REVISION, type StatelessServer } from "../revision";
import { MCP_METHODS } from "../methods";

const MAX_SESSIONS = 256;
/** Time limit in milliseconds for the first prompt's wait for `tools/list` (issue 14 item 2). */
export const LIST_LIMIT_MS = 5_000;
/**
 * Time limit in milliseconds for a server to list its tools to the bridge at the end of a turn; doubled before the
 * first prompt.
 */
export const COUNT_LIMIT_MS = 1_000;
const COUNT_PARAMS = { _meta: { [Meta.version]: STATELESS_REVISION, [Meta.capabilities]: {}, [COUNTS_TOOLS]: true } };

/** `stateless`: direct access to the server, not the agent's connection. */
export interface OfferedServer {
  readonly server: string;
  readonly stateless: StatelessServer;
}

export interface DeliveryOptions {
  readonly clock: Clock;
  /** From the agent's `initialize` response. */
  readonly http: boolean;
  readonly onDemand: boolean;
  readonly evidence: DeliveryEvidence | undefined;
  /** For the log. */
  readonly onWarning?: (what: string, detail: unknown) => void;
  /**
   * Whether the agent's own configuration may provide the tools (`attached-server.ts`). The first prompt then waits for
   * them too.
   */
  readonly isAttached?: boolean;
  /** Names of further servers of the session, which the agent connects to directly. Nothing is recorded about them. */
  readonly direct?: readonly string[];
}

type ServerDeliveryEvent = Extract<DeliveryEvent, { readonly server: string }>;

/** Record of one session. The session id is unknown until the agent has responded to the setup. */
export class Delivery {
  #state: DeliveryState;
  #onChange: () => void = () => undefined;
  #ready: Promise<void> | undefined;
  #onLateList: () => void = () => undefined;
  #release: () => void = () => undefined;
  /** When the tools of the last server were listed; "never" until then. */
  #lists: DeliveryEvidence["lists"] = "never";
  #isPrompted = false;
  #wait: "none" | "waiting" | "listed" | "inVain" | "stopped" = "none";
  /**
   * Servers whose tools were listed through the agent's own configuration. They provide no evidence about transports.
   */
  readonly #attached = new Set<string>();
  readonly #native = new Set<string>();
  /** Whether the agent had connected to a server when the first prompt was sent. */
  #wasConnected = false;
  /** Clock time at which the agent responded to the setup. */
  #setUpAt: number;

  readonly transport: ToolTransport;
  /** Transport of the agent's next session if tools are missing in this one. */
  readonly retry: Retry;

  constructor(
    private readonly offer: readonly OfferedServer[],
    private readonly options: DeliveryOptions,
  ) {
    const { http, evidence } = options;
    this.transport = transportFor(http, evidence);
    this.retry = retryAfter(http, evidence);
    this.#state = offered(offer, this.transport);
    this.#setUpAt = options.clock.now();
  }

  /** Call when the agent has responded to the setup. */
  answered(): void {
    this.#setUpAt = this.options.clock.now();
  }

  get lists(): DeliveryEvidence["lists"] {
    return this.#lists;
  }

  /**
   * Evidence from this session. Undefined if no server has tools to list, or if the agent's own configuration lists
   * them.
   */
  get outcome(): DeliveryEvidence | undefined {
    if (this.servers.every(server => server.offered === 0 || server.listFailed === true)) return undefined;
    if ([...this.#attached].some(server => !this.#native.has(server))) return undefined;
    const isListed = this.servers.every(server => !isMissing(server) || server.listFailed === true),
      before = this.#waitsBefore;
    const waitsInVain = this.#wait === "inVain" ? before + 1 : this.#wait === "listed" ? 0 : before;
    return { transport: this.transport, isListed, lists: this.#lists, waitsInVain };
  }

  /** Whether the session's first prompt was sent to the agent. */
  get isPrompted(): boolean {
    return this.#isPrompted;
  }
  prompted(): void {
    if (!this.#isPrompted) this.#wasConnected = this.servers.some(({ connections }) => connections > 0);
    this.#isPrompted = true;
  }

  /**
   * Resolves when the first prompt can be sent: the tools of each server were requested, `LIST_LIMIT_MS` has expired
   * since the first call, or `release` was called. Resolves immediately for an agent that does not list tools before a
   * prompt. A server that does not list its tools to the bridge either, such as a program that is still starting, is
   * not awaited. Every call returns the same promise.
   */
  ready(): Promise<void> {
    const { clock, http, onDemand, evidence, isAttached = false } = this.options;
    if (!this.#ready && this.isComplete) this.#wait = "listed";
    return (this.#ready ??=
      onDemand || this.isComplete || !(isAttached || waitsForList(http, evidence))
        ? Promise.resolve()
        : new Promise(resolve => {
            this.#wait = "waiting";
            const timer = clock.after(LIST_LIMIT_MS, () => this.#stopWait("inVain"));
            this.#release = () => {
              timer[Symbol.dispose]();
              resolve();
            };
            void this.countUnlisted(2 * COUNT_LIMIT_MS);
          }));
  }

  /** Resolves `ready`. */
  release(): void {
    this.#stopWait("stopped");
  }

  get direct(): readonly string[] {
    return this.options.direct ?? [];
  }
  get servers(): readonly ToolDelivery[] {
    return this.#state.servers;
  }
  /** Servers with missing tools, for display. Empty for an agent that is known to list tools after its first turn. */
  get missing(): readonly ToolDelivery[] {
    return this.options.evidence?.lists === "later" ? [] : missing(this.#state);
  }
  get isRunning(): boolean {
    return this.#state.runningTurns > 0;
  }
  get isDecided(): boolean {
    return this.#state.isDecided;
  }
  /** Whether the tools of every server were requested. */
  get isComplete(): boolean {
    return this.servers.every(server => isListed(server) || server.listFailed === true);
  }

  /** Registers a listener that is called once, when the tools of the last server are listed after the decision. */
  onLateList(listener: () => void): void {
    this.#onLateList = listener;
  }

  /** A listener replaces the previous one. */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /**
   * Counts the tools of each server that the agent did not list, and marks servers that fail to list them. Never
   * rejects. Takes at most `limit` ms.
   */
  async countUnlisted(limit = COUNT_LIMIT_MS): Promise<void> {
    const unlisted = this.servers.filter(server => !isListed(server) && server.offered === undefined);
    await Promise.all(
      unlisted.map(async ({ server }) => {
        const first = this.offer.find(({ server: name }) => name === server);
        if (!first) return;
        const tools = await countTools(first.stateless, this.options.clock, limit);
        if (typeof tools === "number") return this.add({ kind: "counted", server, tools });
        this.options.onWarning?.(`the MCP server “${server}” did not list its tools`, tools.failure);
        this.add({ kind: "countFailed", server });
      }),
    );
  }

  /** Adds an event that the agent's own configuration caused. */
  addAttached(event: ServerDeliveryEvent): void {
    if (event.kind === "listed") this.#attached.add(event.server);
    this.#apply(event);
  }

  add(event: DeliveryEvent): void {
    if (event.kind === "listed") this.#native.add(event.server);
    this.#apply(event);
  }

  #apply(event: DeliveryEvent): void {
    const before = this.#state;
    this.#state = step(before, event);
    if (this.#lists === "never" && this.isComplete) {
      this.#lists = this.#listsNow(before.isDecided);
      this.#stopWait("listed");
      if (before.isDecided) this.#onLateList();
    }
    if (before.servers !== this.#state.servers || before.isDecided !== this.#state.isDecided) this.#onChange();
  }

  get #waitsBefore(): number {
    return this.options.evidence?.waitsInVain ?? 0;
  }

  #stopWait(end: "listed" | "inVain" | "stopped"): void {
    if (this.#wait === "waiting") this.#wait = end;
    this.#release();
  }

  /**
   * After a prompt that waited in vain, a list proves that the agent lists only after a prompt, unless the agent had
   * connected before. After a prompt that did not wait, a list within the limit counts as "beforePrompt". Both rules
   * apply only until `MAX_WAITS_IN_VAIN` prompts have waited in vain.
   */
  #listsNow(isDecided: boolean): DeliveryEvidence["lists"] {
    if (!this.#isPrompted) return "beforePrompt";
    const hasWaited = this.#wait !== "none",
      isInTime = this.options.clock.now() - this.#setUpAt <= LIST_LIMIT_MS;
    const isSlow = hasWaited ? this.#wait !== "inVain" || this.#wasConnected : isInTime;
    if (isSlow && this.#waitsBefore < MAX_WAITS_IN_VAIN) return "beforePrompt";
    if (isDecided) return "later";
    if (hasWaited) return this.#wait === "inVain" ? "inPrompt" : "beforePrompt";
    return this.options.evidence?.lists === "inPrompt" ? "inPrompt" : "beforePrompt";
  }
}

/** `failure`: the server's error, or a timeout after `limit` ms. */
async function countTools(
  server: StatelessServer,
  clock: Clock,
  limit: number,
): Promise<number | { readonly failure: unknown }> {
  const stops = new AbortController(),
    failure = `no response within ${limit} ms`;
  const timeout = new Promise<{ readonly failure: unknown }>(resolve =>
    stops.signal.addEventListener("abort", () => resolve({ failure }), { once: true }),
  );
  using _ = clock.after(limit, () => stops.abort());
  try {
    const listing = server.request(MCP_METHODS.tools_list, COUNT_PARAMS, {
      signal: stops.signal,
      notification: () => undefined,
    });
    listing.catch(() => undefined);
    return await Promise.race([listing.then(toolsIn), timeout]);
  } catch (error) {
    return { failure: error };
  }
}

export class DeliveryTracker {
  readonly #sessions = new Map<string, Delivery>();
  readonly #listeners = new Map<string, () => void>();

  /**
   * `onDecided` is called once per session, at the end of its first completed turn. `ownerOf` returns the display name
   * of the extension that added a server.
   */
  constructor(
    private readonly onDecided: (sessionId: string, delivery: Delivery) => void = () => undefined,
    private readonly ownerOf: (sessionId: string, server: string) => string | undefined = () => undefined,
  ) {}

  of(sessionId: string): Delivery | undefined {
    return this.#sessions.get(sessionId);
  }

  /** Undefined if the session has no servers or has ended. */
  tools(sessionId: string): SessionTools | undefined {
    const delivery = this.of(sessionId);
    const owned = (server: string): { readonly owner?: string } => {
      const owner = this.ownerOf(sessionId, server);
      return owner === undefined ? {} : { owner };
    };
    return (
      delivery && {
        servers: delivery.servers.map(record => ({
          ...owned(record.server),
          delivery: record,
          isMissing: delivery.missing.includes(record),
        })),
        direct: delivery.direct.map(server => ({ ...owned(server), server })),
        retry: delivery.retry,
      }
    );
  }

  /** `delivery` is undefined if the session has no servers or has ended. */
  set(sessionId: string, delivery: Delivery | undefined): void {
    this.#sessions.delete(sessionId);
    if (!delivery) return;
    const isFull = this.#sessions.size >= MAX_SESSIONS;
    const [oldest] = isFull ? ([...this.#sessions].find(([, { isRunning }]) => !isRunning) ?? []) : [];
    if (oldest !== undefined) this.#sessions.delete(oldest);
    this.#sessions.set(sessionId, delivery);
    delivery.answered();
    let wasDecided = delivery.isDecided;
    delivery.onChange(() => {
      if (this.#sessions.get(sessionId) !== delivery) return;
      if (!wasDecided && delivery.isDecided) this.onDecided(sessionId, delivery);
      wasDecided = delivery.isDecided;
      this.#listeners.get(sessionId)?.();
    });
    this.#listeners.get(sessionId)?.();
  }

  /** Marks the session's record as the most recently used one. Called when a turn starts. */
  used(sessionId: string): void {
    const delivery = this.#sessions.get(sessionId);
    if (delivery && this.#sessions.delete(sessionId)) this.#sessions.set(sessionId, delivery);
  }

  /** A listener replaces the session's previous one. */
  onChange(sessionId: string, listener: () => void): Disposable {
    this.#listeners.set(sessionId, listener);
    return {
      [Symbol.dispose]: () => {
        if (this.#listeners.get(sessionId) === listener) this.#listeners.delete(sessionId);
      },
    };
  }
}
