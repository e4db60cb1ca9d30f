/**
 * The bridge from MCP over ACP to the transports that agents support. It is a stage before the agent. It replaces each
 * server that is reached over ACP with an address on 127.0.0.1, or with a program that connects to one. An agent that
 * supports MCP over ACP gets the declarations unchanged, except those of sacp, which no agent supports.
 *
 * Invariants:
 * - A server in a request to the agent is reachable before the agent receives the request, because some agents connect
 *   before they answer.
 * - Resources of a session are closed with it, when its setup fails, when it is set up again, and with the chain.
 */
import { ATTACHED, type AttachedServer } from "../mcp/attached-server";
import { NO_ABILITIES, programOf, readMcpAbilities, type McpAbilities } from "../mcp/agent-mcp-capabilities";
import { routedServer } from "../mcp/delivery/routed-server";
import { acpServersIn, serverNames, withServers, type AcpServer } from "../mcp/declaration";
import { type SessionToolsResult } from "../mcp/delivery/delivery";
import { mergeEvidence, MemoryEvidence, type EvidenceStore } from "../mcp/delivery/delivery-evidence";
import { Delivery, DeliveryTracker, type OfferedServer } from "../mcp/delivery/delivery-tracker";
import { McpEndpoint, type EndpointLimits, type OpenServerHost } from "../mcp/http/http-server";
import { observedServer } from "../mcp/delivery/observed-server";
import { Owners, type ServedServer } from "../mcp/declared-servers";
import type { StatelessServer } from "../mcp/revision";
import { ownProgram, shimDeclaration, type ShimProgram } from "../mcp/shim";
import type { Chain, PassingNotification, PassingRequest, Proxy, ProxyDefinition } from "../proxies/proxy";
import type { ToolTransport } from "../../src/protocol/chat/session-details";
import { isSideSession } from "../proxies/side-session";
import type { Clock } from "../rpc/clock";
import { isObject, numberOr, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import { BridgeTurns } from "./bridge-turns";
import { CallRouter } from "./call-router";
import { AGENT_METHODS, CLIENT_METHODS, EXTENSION_METHODS, MCP_OVER_ACP } from "../acp/methods";

export interface McpBridgeOptions {
  readonly clock: Clock;
  /** The shim program. Defaults to this program. */
  readonly shim?: ShimProgram;
  readonly limits?: Partial<EndpointLimits>;
  /** Records how far the tools of each session are delivered. Optional. */
  readonly deliveries?: DeliveryTracker;
  /** The evidence that earlier sessions gave about agents. Defaults to that of this chain. */
  readonly evidence?: EvidenceStore;
  /** Serves the tools of all sessions for the agent's own configuration. Optional. */
  readonly attached?: AttachedServer;
}

export function mcpBridge(options: McpBridgeOptions): ProxyDefinition {
  return { name: "the MCP bridge", create: chain => bridge(chain, options) };
}

function bridge(chain: Chain, options: McpBridgeOptions): Proxy {
  const stage = new Bridge(chain, options);
  const setup = (request: PassingRequest) => stage.setup(request),
    closing = (request: PassingRequest) => stage.close(request);
  const onRequest = (request: PassingRequest) => stage.onRequest(request),
    onNotification = (notification: PassingNotification) => stage.onNotification(notification);
  return {
    fromClient: {
      requests: {
        initialize: request => stage.initialize(request),
        [AGENT_METHODS.session_new]: setup,
        [AGENT_METHODS.session_load]: setup,
        [AGENT_METHODS.session_resume]: setup,
        [AGENT_METHODS.session_fork]: setup,
        [AGENT_METHODS.session_close]: closing,
        [AGENT_METHODS.session_delete]: closing,
        [AGENT_METHODS.session_prompt]: request => stage.turns.prompted(request),
        [EXTENSION_METHODS.session_tools]: request => stage.sessionTools(request),
        [AGENT_METHODS.mcp_message]: onRequest,
        [MCP_OVER_ACP._mcp.message]: onRequest,
        [MCP_OVER_ACP.mcp.disconnect]: onRequest,
        [MCP_OVER_ACP._mcp.disconnect]: onRequest,
      },
      notifications: {
        [AGENT_METHODS.session_cancel]: notification => stage.turns.cancelled(notification),
        [AGENT_METHODS.mcp_message]: onNotification,
        [MCP_OVER_ACP._mcp.message]: onNotification,
        [MCP_OVER_ACP.mcp.disconnect]: onNotification,
        [MCP_OVER_ACP._mcp.disconnect]: onNotification,
      },
    },
    fromSuccessor: {
      notifications: { [CLIENT_METHODS.session_update]: notification => stage.turns.updated(notification) },
    },
    close: () => stage[Symbol.asyncDispose](),
  };
}

class Bridge implements AsyncDisposable {
  readonly #owners: Owners;
  readonly #endpoint: McpEndpoint;
  readonly #shim: ShimProgram;
  readonly #clock: Clock;
  readonly #onWarning: Chain["onWarning"];
  #agent: McpAbilities = NO_ABILITIES;
  /** The open resources of each session. */
  readonly #sessions = new Map<string, readonly AsyncDisposable[]>();
  readonly #deliveries: DeliveryTracker;
  readonly turns: BridgeTurns;
  readonly #router: CallRouter;
  readonly #attached: AttachedServer | undefined;
  #evidence: EvidenceStore;
  /** Name and version from the agent's `initialize` result. */
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
      onCompleted: sessionId => {
        const tools = this.#deliveries.tools(sessionId);
        if (tools) this.#evidence.setTools(this.#program, tools);
      },
    });
    this.#owners = new Owners(chain.client, chain.onWarning);
    this.#endpoint = new McpEndpoint({ clock, onWarning: chain.onWarning, ...(limits ? { limits } : {}) });
    this.#shim = shim ?? ownProgram();
    this.#clock = clock;
    this.#onWarning = chain.onWarning;
  }

  /** Reports support for servers over ACP to the client, because the bridge serves them from here on. */
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
    const direct = serverNames(request.params, new Set(servers.map(([i]) => i)));
    // A session without servers can call the shared server too. Such a call is refused, not routed to another session.
    if (servers.length === 0 && direct.length === 0 && !this.#attached) return request.pass();
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
        onWarning: this.#onWarning,
        isAttached: this.#attached?.isAwaited ?? false,
        direct,
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
            this.#onWarning(`the MCP server “${server.name}” could not list its tools`, event.error);
          delivery.add({ ...event, server: server.name });
        });
        return [i, await this.#open(server, observed, delivery.transport)] as const;
      }),
    );
    // An agent that lists the servers of sessions by itself needs no attached server: it would have each tool twice.
    const isSide = isSideSession(request.params),
      isNeeded = evidence?.isListed !== true && !isSide;
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
      ...opened.map(([, { host }]) => host),
      ...(attached ? [{ [Symbol.asyncDispose]: async () => attached[Symbol.dispose]() }] : []),
    ];
    try {
      const entries = new Map(opened.map(([i, { entry }]) => [i, entry])),
        answer = await (entries.size === 0 ? request.pass() : request.pass(withServers(request.params, entries)));
      const id = sessionOf(request, answer);
      if (typeof id === "string") sessionId = id;
      this.#bind(id, doors, delivery);
      if (sessionId !== undefined) {
        const routable = served.map(({ server: { name }, served: { stateless } }) => [name, stateless] as const);
        this.#router.set(sessionId, { isRunning: () => delivery.isRunning, isSide, servers: routable });
        if (!isSide) attached?.named(sessionId);
      }
      return answer;
    } catch (error) {
      closeAll(doors);
      throw error;
    }
  }

  /**
   * `_symposium.dev/session_tools`: how far the tools of this session's servers are delivered. Empty for a session
   * without servers.
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

  /** Closes the session's resources, also when the agent returns "not found" for the session. */
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

  onRequest(request: PassingRequest): unknown {
    const answer = this.#owners.request(request.method, request.params, request.signal);
    if (answer) request.release(); // the user may have to answer it
    return answer ?? request.pass();
  }

  onNotification(notification: PassingNotification): void {
    if (!this.#owners.notification(notification.method, notification.params)) notification.pass();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // first: the chain has ended, so the servers' owners cannot be notified of connections that the endpoint closes
    await this.#owners[Symbol.asyncDispose]();
    await this.#endpoint[Symbol.asyncDispose]();
  }

  /** Also records a list after the decision: from then on, sessions with such an agent report nothing. */
  #learn(delivery: Delivery): void {
    const { outcome } = delivery;
    if (outcome) this.#evidence.set(this.#program, mergeEvidence(this.#evidence.of(this.#program), outcome));
    if (delivery.lists === "never") delivery.onLateList(() => this.#learn(delivery));
  }

  /**
   * Requests on a separate connection for each request, closed afterwards. A user's program runs once for each
   * connection.
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
  ): Promise<{ readonly host: OpenServerHost; readonly entry: JsonObject }> {
    const host = await this.#endpoint.open(served);
    const { _meta } = server.declared,
      declared = { name: server.name, ...(_meta === undefined ? {} : { _meta }) };
    const entry =
      transport === "http"
        ? {
            type: "http",
            ...declared,
            url: host.url,
            headers: [{ name: "Authorization", value: `Bearer ${host.token}` }],
          }
        : // v1 has no type here
          { ...(this.#agent.version >= 2 ? { type: "stdio" } : {}), ...declared, ...shimDeclaration(this.#shim, host) };
    return { host, entry };
  }

  /** Closes the previous resources of the session. */
  #bind(sessionId: unknown, doors: readonly AsyncDisposable[], delivery: Delivery | undefined): void {
    if (typeof sessionId !== "string") return; // closed with the chain
    this.#deliveries.set(sessionId, delivery);
    if (!delivery) this.#router.set(sessionId, undefined);
    closeAll(this.#sessions.get(sessionId) ?? []);
    if (doors.length > 0) this.#sessions.set(sessionId, doors);
    else this.#sessions.delete(sessionId);
  }
}

/** `load` and `resume` keep the session in their params; `new` and `fork` create one. */
function sessionOf({ method, params }: PassingRequest, answer: unknown): unknown {
  return method === AGENT_METHODS.session_load || method === AGENT_METHODS.session_resume
    ? objectOr(params).sessionId
    : objectOr(answer).sessionId;
}

function closeAll(doors: readonly AsyncDisposable[]): void {
  for (const host of doors) void host[Symbol.asyncDispose]();
}

/** Adds `acp` to the MCP capabilities of the answer. */
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
