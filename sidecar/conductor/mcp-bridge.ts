/**
 * The bridge from MCP over ACP to what agents know: a stage before the agent, which puts an address on 127.0.0.1, or a
 * program that connects to it, in the place of each server that is reached over ACP. An agent that knows MCP over ACP
 * itself gets the declarations as they are (those of sacp excepted, which no agent knows).
 *
 * Invariants: what stands in a request to the agent can be reached before the agent sees it, because some connect
 * before they answer; what was opened for a session is closed with it, when its setup fails, when it is set up anew,
 * and with the chain.
 */
import { ATTACHED, type AttachedServer } from "../mcp/attached-server";
import { NO_ABILITIES, programOf, readMcpAbilities, type McpAbilities } from "../mcp/agent-mcp-capabilities";
import { routedServer } from "../mcp/delivery/routed-server";
import { acpServersIn, withServers, type AcpServer } from "../mcp/declaration";
import { SESSION_TOOLS, type SessionToolsResult } from "../mcp/delivery/delivery";
import { learned, MemoryEvidence, type EvidenceStore } from "../mcp/delivery/delivery-evidence";
import { Delivery, DeliveryTracker, type OfferedServer } from "../mcp/delivery/delivery-tracker";
import { McpEndpoint, type EndpointLimits, type OpenDoor } from "../mcp/http/http-server";
import { observedServer } from "../mcp/delivery/observed-server";
import { Owners, type ServedServer } from "../mcp/declared-servers";
import type { StatelessServer } from "../mcp/revision";
import { ownProgram, shimDeclaration, type ShimProgram } from "../mcp/shim";
import type { Chain, PassingNotification, PassingRequest, Proxy, ProxyDefinition } from "../proxies/proxy";
import type { ToolTransport } from "../../src/protocol/session-details";
import { isSideSession } from "../proxies/side-session";
import type { Clock } from "../rpc/clock";
import { isObject, numberOr, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import { BridgeTurns } from "./bridge-turns";
import { CallRouter } from "./call-router";

export interface McpBridgeOptions {
  readonly clock: Clock;
  /** What the shim is; this program unless given. */
  readonly shim?: ShimProgram;
  readonly limits?: Partial<EndpointLimits>;
  /** Where it reports how far the tools of each session get; nowhere unless given. */
  readonly deliveries?: DeliveryTracker;
  /** What earlier sessions showed of agents; that of this chain unless given. */
  readonly evidence?: EvidenceStore;
  /** Where the tools of all sessions are served for the agent's own configuration; nowhere unless given. */
  readonly attached?: AttachedServer;
}

export function mcpBridge(options: McpBridgeOptions): ProxyDefinition {
  return { name: "the MCP bridge", make: chain => bridge(chain, options) };
}

function bridge(chain: Chain, options: McpBridgeOptions): Proxy {
  const stage = new Bridge(chain, options);
  const setup = (request: PassingRequest) => stage.setup(request),
    closing = (request: PassingRequest) => stage.close(request);
  const asked = (request: PassingRequest) => stage.asked(request),
    told = (notification: PassingNotification) => stage.told(notification);
  return {
    fromClient: {
      requests: {
        initialize: request => stage.initialize(request),
        "session/new": setup,
        "session/load": setup,
        "session/resume": setup,
        "session/fork": setup,
        "session/close": closing,
        "session/delete": closing,
        "session/prompt": request => stage.turns.prompted(request),
        [SESSION_TOOLS]: request => stage.sessionTools(request),
        "mcp/message": asked,
        "_mcp/message": asked,
        "mcp/disconnect": asked,
        "_mcp/disconnect": asked,
      },
      notifications: {
        "session/cancel": notification => stage.turns.cancelled(notification),
        "mcp/message": told,
        "_mcp/message": told,
        "mcp/disconnect": told,
        "_mcp/disconnect": told,
      },
    },
    fromSuccessor: { notifications: { "session/update": notification => stage.turns.updated(notification) } },
    close: () => stage[Symbol.asyncDispose](),
  };
}

class Bridge implements AsyncDisposable {
  readonly #owners: Owners;
  readonly #endpoint: McpEndpoint;
  readonly #shim: ShimProgram;
  readonly #clock: Clock;
  readonly #odd: Chain["odd"];
  #agent: McpAbilities = NO_ABILITIES;
  /** What is open for each session. */
  readonly #sessions = new Map<string, readonly AsyncDisposable[]>();
  readonly #deliveries: DeliveryTracker;
  readonly turns: BridgeTurns;
  readonly #router: CallRouter;
  readonly #attached: AttachedServer | undefined;
  #evidence: EvidenceStore;
  /** Name and version, as the agent answers `initialize`. */
  #program = "";

  constructor(chain: Chain, { clock, shim, limits, deliveries, evidence, attached }: McpBridgeOptions) {
    this.#deliveries = deliveries ?? new DeliveryTracker();
    this.#router = new CallRouter(clock);
    this.#attached = attached;
    attached?.routeBy((tool, args, signal) => this.#router.routeShared(ATTACHED, tool, args, signal));
    this.#evidence = evidence ?? new MemoryEvidence();
    this.turns = new BridgeTurns({
      deliveries: this.#deliveries,
      agent: () => this.#agent,
      onUpdate: notification => this.#router.updated(notification),
      onDecided: delivery => this.#learn(delivery),
    });
    this.#owners = new Owners(chain.client, chain.odd);
    this.#endpoint = new McpEndpoint({ clock, odd: chain.odd, ...(limits ? { limits } : {}) });
    this.#shim = shim ?? ownProgram();
    this.#clock = clock;
    this.#odd = chain.odd;
  }

  /** The client hears that servers over ACP are served: from here on they are. */
  async initialize(request: PassingRequest): Promise<unknown> {
    const answer = await request.pass();
    this.#agent = readMcpAbilities(answer);
    this.#program = programOf(answer);
    // evidence without a name may be about another agent
    if (this.#program === "") this.#evidence = new MemoryEvidence();
    return this.#agent.acp ? answer : withAcp(answer);
  }

  async setup(request: PassingRequest): Promise<unknown> {
    const servers = [...acpServersIn(request.params)].filter(([, { kind }]) => kind === "sacp" || !this.#agent.acp);
    if (servers.length === 0) return request.pass();
    const served = servers.map(([i, server]) => ({ i, server, served: this.#owners.serve(server) }));
    const { http, onDemand } = this.#agent,
      evidence = this.#evidence.of(this.#program);
    const delivery = new Delivery(
      servers.map(([, server]): OfferedServer => ({ server: server.name, stateless: this.#briefly(server) })),
      {
        clock: this.#clock,
        http,
        onDemand,
        evidence,
        odd: this.#odd,
        isAttached: this.#attached?.isAwaited ?? false,
      },
    );
    let sessionId: string | undefined;
    const opened = await Promise.all(
      served.map(async ({ i, server, served: one }) => {
        const routed = routedServer(
          one,
          this.#router.routeFor(() => sessionId, server.name),
        );
        const observed = observedServer(routed, event => {
          if (event.kind === "listFailed")
            this.#odd(`the MCP server “${server.name}” could not list its tools`, event.error);
          delivery.add({ ...event, server: server.name });
        });
        return [i, await this.#open(server, observed, delivery.transport)] as const;
      }),
    );
    // Nothing more for an agent that takes the servers of sessions by itself: it would have each tool twice.
    const isNeeded = evidence?.isListed !== true && !isSideSession(request.params);
    const attached = this.#attached?.add(
      isNeeded
        ? served.map(({ server: { name }, served: one }) => ({
            name,
            unobserved: one.stateless,
            server: observedServer(one, event => delivery.addAttached({ ...event, server: name })).stateless,
          }))
        : [],
    );
    const doors: readonly AsyncDisposable[] = [
      ...opened.map(([, { door }]) => door),
      ...(attached ? [{ [Symbol.asyncDispose]: async () => attached[Symbol.dispose]() }] : []),
    ];
    try {
      const answer = await request.pass(
        withServers(request.params, new Map(opened.map(([i, { entry }]) => [i, entry]))),
      );
      const id = sessionOf(request, answer);
      if (typeof id === "string") sessionId = id;
      this.#bind(id, doors, delivery);
      if (sessionId !== undefined && !isSideSession(request.params)) {
        const routable = served.map(({ server: { name }, served: { stateless } }) => [name, stateless] as const);
        this.#router.set(sessionId, { isRunning: () => delivery.isRunning, servers: routable });
        attached?.named(sessionId);
      }
      return answer;
    } catch (error) {
      closeAll(doors);
      throw error;
    }
  }

  /**
   * `_symposium.dev/session_tools`: how far the tools of this session's servers got. Empty for a session without any.
   */
  async sessionTools(request: PassingRequest): Promise<SessionToolsResult> {
    const { sessionId, wait } = objectOr(request.params),
      delivery = this.#deliveries.of(stringOr(sessionId, ""));
    if (wait === true && delivery) {
      request.release();
      await delivery.ready();
    }
    return { servers: delivery?.servers ?? [] };
  }

  /** A session that the agent does not know is closed, too. */
  async close(request: PassingRequest): Promise<unknown> {
    const id = objectOr(request.params).sessionId;
    await this.turns.sendHeld(id); // the agent receives both in this order
    try {
      const answer = await request.pass();
      this.#bind(id, [], undefined);
      return answer;
    } catch (error) {
      if (error instanceof RpcError && error.code === RpcCode.notFound) this.#bind(id, [], undefined);
      throw error;
    }
  }

  asked(request: PassingRequest): unknown {
    const answer = this.#owners.request(request.method, request.params, request.signal);
    if (answer) request.release(); // a person may have to answer it
    return answer ?? request.pass();
  }

  told(notification: PassingNotification): void {
    if (!this.#owners.notification(notification.method, notification.params)) notification.pass();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // first: with the chain gone, nobody can be told of what the endpoint lets go of
    await this.#owners[Symbol.asyncDispose]();
    await this.#endpoint[Symbol.asyncDispose]();
  }

  /** A list after the decision is learned, too: such an agent's sessions report nothing from then on. */
  #learn(delivery: Delivery): void {
    const { outcome } = delivery;
    if (outcome) this.#evidence.set(this.#program, learned(this.#evidence.of(this.#program), outcome));
    if (delivery.lists === "never") delivery.onLateList(() => this.#learn(delivery));
  }

  /**
   * The server on a connection of its own for each request, closed afterwards: a program of the user's runs once for
   * each connection.
   */
  #briefly(server: AcpServer): StatelessServer {
    return {
      request: async (method, params, options) => {
        await using served = this.#owners.serve(server);
        return await served.stateless.request(method, params, options);
      },
    };
  }

  async #open(
    server: AcpServer,
    served: ServedServer,
    transport: ToolTransport,
  ): Promise<{ readonly door: OpenDoor; readonly entry: JsonObject }> {
    const door = await this.#endpoint.open(served);
    const { _meta } = server.declared,
      kept = { name: server.name, ...(_meta === undefined ? {} : { _meta }) };
    const entry =
      transport === "http"
        ? { type: "http", ...kept, url: door.url, headers: [{ name: "Authorization", value: `Bearer ${door.token}` }] }
        : // v1 has no type there
          { ...(this.#agent.version >= 2 ? { type: "stdio" } : {}), ...kept, ...shimDeclaration(this.#shim, door) };
    return { door, entry };
  }

  /** What the session had before is closed. */
  #bind(sessionId: unknown, doors: readonly AsyncDisposable[], delivery: Delivery | undefined): void {
    if (typeof sessionId !== "string") return; // closed with the chain
    this.#deliveries.set(sessionId, delivery);
    if (!delivery) this.#router.set(sessionId, undefined);
    closeAll(this.#sessions.get(sessionId) ?? []);
    if (doors.length > 0) this.#sessions.set(sessionId, doors);
    else this.#sessions.delete(sessionId);
  }
}

/** `load` and `resume` keep the session that they name, `new` and `fork` make one. */
function sessionOf({ method, params }: PassingRequest, answer: unknown): unknown {
  return method === "session/load" || method === "session/resume"
    ? objectOr(params).sessionId
    : objectOr(answer).sessionId;
}

function closeAll(doors: readonly AsyncDisposable[]): void {
  for (const door of doors) void door[Symbol.asyncDispose]();
}

/** The same answer with `acp` among the MCP capabilities. */
function withAcp(answer: unknown): unknown {
  if (!isObject(answer)) return answer;
  if (numberOr(answer.protocolVersion, 1) < 2) {
    const agent = objectOr(answer.agentCapabilities);
    return {
      ...answer,
      agentCapabilities: { ...agent, mcpCapabilities: { ...objectOr(agent.mcpCapabilities), acp: true } },
    };
  }
  const capabilities = objectOr(answer.capabilities),
    { session } = capabilities;
  if (!isObject(session)) return answer; // an agent without sessions
  return {
    ...answer,
    capabilities: { ...capabilities, session: { ...session, mcp: { ...objectOr(session.mcp), acp: {} } } },
  };
}
