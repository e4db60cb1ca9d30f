/**
 * The bridge from MCP over ACP to the transports that agents support. The bridge is the last stage before the agent. It
 * replaces the declaration of each server over ACP with an address on 127.0.0.1, or with a program that connects to
 * that address. For an agent that supports MCP over ACP, it replaces only the declarations of sacp, which no agent
 * supports.
 *
 * Invariants:
 * - A declared server is reachable before the agent receives the request, because some agents connect before they
 *   respond.
 * - The resources of a session are closed when its setup fails or is repeated, and when the session or the chain
 *   closes.
 */
import { ATTACHED, type AttachedServer } from "../mcp/attached-server";
import { NO_ABILITIES, programOf, readMcpAbilities, type McpCapabilities } from "../mcp/agent-mcp-capabilities";
import { routedServer } from "../mcp/delivery/routed-server";
import { acpServersIn, serverNames, withServers, type AcpServer } from "../mcp/acp-server-declaration";
import { type SessionToolsResult } from "../mcp/delivery/delivery";
import { mergeEvidence, MemoryEvidence, type EvidenceStore } from "../mcp/delivery/delivery-evidence";
import { Delivery, DeliveryTracker, type OfferedServer } from "../mcp/delivery/delivery-tracker";
import { McpEndpoint, type EndpointLimits, type OpenServerHost } from "../mcp/http/http-server";
import { observedServer } from "../mcp/delivery/observed-server";
import { DeclaredServers, type DeclaredServer } from "../mcp/declared-servers";
import type { StatelessServer } from "../mcp/revision";
import { ownProgram, shimDeclaration, type ShimProgram } from "../mcp/shim";
import type { Chain, InterceptedNotification, InterceptedRequest, Proxy, ProxyDefinition } from "../proxies/proxy";
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
  /** Records the tool delivery of each session. */
  readonly deliveries?: DeliveryTracker;
  /** Evidence of earlier sessions about agents. Defaults to the sessions of this chain. */
  readonly evidence?: EvidenceStore;
  /** Serves the tools of all sessions to the agent's own configuration. */
  readonly attached?: AttachedServer;
}

export function mcpBridge(options: McpBridgeOptions): ProxyDefinition {
  return { name: "the MCP bridge", create: chain => bridge(chain, options) };
}

function bridge(chain: Chain, options: McpBridgeOptions): Proxy {
  const stage = new Bridge(chain, options);
  const setup = (request: InterceptedRequest) => stage.setup(request),
    closing = (request: InterceptedRequest) => stage.close(request);
  const onRequest = (request: InterceptedRequest) => stage.onRequest(request),
    onNotification = (notification: InterceptedNotification) => stage.onNotification(notification);
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
  readonly #owners: DeclaredServers;
  readonly #endpoint: McpEndpoint;
  readonly #shim: ShimProgram;
  readonly #clock: Clock;
  readonly #onWarning: Chain["onWarning"];
  #agent: McpCapabilities = NO_ABILITIES;
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
      onDecided: delivery => this.#recordEvidence(delivery),
      onCompleted: sessionId => {
        const tools = this.#deliveries.tools(sessionId);
        if (tools) this.#evidence.setTools(this.#program, tools);
      },
    });
    this.#owners = new DeclaredServers(chain.client, chain.onWarning);
    this.#endpoint = new McpEndpoint({ clock, onWarning: chain.onWarning, ...(limits ? { limits } : {}) });
    this.#shim = shim ?? ownProgram();
    this.#clock = clock;
    this.#onWarning = chain.onWarning;
  }

  /** Adds MCP over ACP to the capabilities in the response, because the bridge supports it. */
  async initialize(request: InterceptedRequest): Promise<unknown> {
    const answer = await request.pass();
    this.#agent = readMcpAbilities(answer);
    this.#program = programOf(answer);
    // without a program name, stored evidence may be about another agent
    if (this.#program === "") this.#evidence = new MemoryEvidence();
    return this.#agent.acp ? answer : withAcp(answer);
  }

  async setup(request: InterceptedRequest): Promise<unknown> {
    const servers = [...acpServersIn(request.params)].filter(([, { kind }]) => kind === "sacp" || !this.#agent.acp);
    const direct = serverNames(request.params, new Set(servers.map(([i]) => i)));
    // With an attached server, sessions without servers are registered, so that their calls are refused, not misrouted.
    if (servers.length === 0 && direct.length === 0 && !this.#attached) return request.pass();
    const served = servers.map(([i, server]) => ({ i, server, served: this.#owners.serve(server) }));
    const { http, onDemand } = this.#agent,
      evidence = this.#evidence.of(this.#program);
    const delivery = new Delivery(
      servers.map(([, server]): OfferedServer => ({ server: server.name, stateless: this.#perRequest(server) })),
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
      served.map(async ({ i, server, served: target }) => {
        const routed = routedServer(
          target,
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
    // An agent that lists the servers of its sessions would have each tool of the attached server twice.
    const isSide = isSideSession(request.params),
      isNeeded = evidence?.isListed !== true && !isSide;
    const attached = this.#attached?.add(
      isNeeded
        ? served.map(({ server: { name }, served: target }) => ({
            name,
            unobserved: target.stateless,
            server: observedServer(target, event => delivery.addAttached({ ...event, server: name })).stateless,
          }))
        : [],
    );
    const resources: readonly AsyncDisposable[] = [
      ...opened.map(([, { host }]) => host),
      ...(attached ? [{ [Symbol.asyncDispose]: async () => attached[Symbol.dispose]() }] : []),
    ];
    try {
      const entries = new Map(opened.map(([i, { entry }]) => [i, entry])),
        answer = await (entries.size === 0 ? request.pass() : request.pass(withServers(request.params, entries)));
      const id = sessionOf(request, answer);
      if (typeof id === "string") sessionId = id;
      this.#bind(id, resources, delivery);
      if (sessionId !== undefined) {
        const routable = served.map(({ server: { name }, served: { stateless } }) => [name, stateless] as const);
        this.#router.set(sessionId, { isRunning: () => delivery.isRunning, isSide, servers: routable });
        if (!isSide) attached?.named(sessionId);
      }
      return answer;
    } catch (error) {
      closeAll(resources);
      throw error;
    }
  }

  /**
   * Handles `_symposium.dev/session_tools`: returns the tool delivery of the session's servers. Empty for a session
   * without servers.
   */
  async sessionTools(request: InterceptedRequest): Promise<SessionToolsResult> {
    const { sessionId, wait } = objectOr(request.params),
      delivery = this.#deliveries.of(stringOr(sessionId, ""));
    if (wait === true && delivery) {
      request.release();
      await delivery.ready();
    }
    return { servers: delivery?.servers ?? [] };
  }

  /** Closes the session's resources, also when the agent returns "not found" for the session. */
  async close(request: InterceptedRequest): Promise<unknown> {
    const id = objectOr(request.params).sessionId;
    await this.turns.sendHeld(id); // so that the agent receives the prompt first
    try {
      const answer = await request.pass();
      this.#bind(id, [], undefined);
      return answer;
    } catch (error) {
      if (error instanceof RpcError && error.code === RpcCode.notFound) this.#bind(id, [], undefined);
      throw error;
    }
  }

  onRequest(request: InterceptedRequest): unknown {
    const answer = this.#owners.request(request.method, request.params, request.signal);
    if (answer) request.release(); // the response may require the user
    return answer ?? request.pass();
  }

  onNotification(notification: InterceptedNotification): void {
    if (!this.#owners.notification(notification.method, notification.params)) notification.pass();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // first, because the owners of the servers can no longer be notified of connections that the endpoint closes
    await this.#owners[Symbol.asyncDispose]();
    await this.#endpoint[Symbol.asyncDispose]();
  }

  /** Also records a list after the decision. Later sessions of such an agent report no missing tools. */
  #recordEvidence(delivery: Delivery): void {
    const { outcome } = delivery;
    if (outcome) this.#evidence.set(this.#program, mergeEvidence(this.#evidence.of(this.#program), outcome));
    if (delivery.lists === "never") delivery.onLateList(() => this.#recordEvidence(delivery));
  }

  /** Opens a connection for each request and closes it afterwards. A user's program is started for each connection. */
  #perRequest(server: AcpServer): StatelessServer {
    return {
      request: async (method, params, options) => {
        await using served = this.#owners.serve(server);
        return await served.stateless.request(method, params, options);
      },
    };
  }

  async #open(
    server: AcpServer,
    served: DeclaredServer,
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
        : // ACP v1 has no type here
          { ...(this.#agent.version >= 2 ? { type: "stdio" } : {}), ...declared, ...shimDeclaration(this.#shim, host) };
    return { host, entry };
  }

  /** Replaces the resources of the session and closes the previous ones. */
  #bind(sessionId: unknown, resources: readonly AsyncDisposable[], delivery: Delivery | undefined): void {
    if (typeof sessionId !== "string") return; // closed with the chain
    this.#deliveries.set(sessionId, delivery);
    if (!delivery) this.#router.set(sessionId, undefined);
    closeAll(this.#sessions.get(sessionId) ?? []);
    if (resources.length > 0) this.#sessions.set(sessionId, resources);
    else this.#sessions.delete(sessionId);
  }
}

/** The session id is in the params of `load` and `resume`, and in the response to `new` and `fork`. */
function sessionOf({ method, params }: InterceptedRequest, answer: unknown): unknown {
  return method === AGENT_METHODS.session_load || method === AGENT_METHODS.session_resume
    ? objectOr(params).sessionId
    : objectOr(answer).sessionId;
}

function closeAll(resources: readonly AsyncDisposable[]): void {
  for (const resource of resources) void resource[Symbol.asyncDispose]();
}

/** Adds `acp` to the MCP capabilities in the `initialize` result. */
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
