/** The MCP servers that a proxy offers over ACP. Messages for other servers are forwarded. */
import { OfferedMcpServer } from "../mcp/offered-server";
import type { Envelope, Frame } from "../rpc/frame";
import { paramsOr, type Claimant, type Router } from "./router";
import type { ConnectMcp, McpOffer, Neighbour } from "./proxy";
import { AGENT_METHODS, MCP_OVER_ACP } from "../acp/methods";

/** The methods of both generations. Those of the older generation start with an underscore. */
const METHODS: ReadonlySet<string> = new Set([
  AGENT_METHODS.mcp_message,
  MCP_OVER_ACP.mcp.connect,
  MCP_OVER_ACP.mcp.disconnect,
  MCP_OVER_ACP._mcp.message,
  MCP_OVER_ACP._mcp.connect,
  MCP_OVER_ACP._mcp.disconnect,
]);

export class McpOffers implements Claimant, AsyncDisposable {
  readonly #agent: Neighbour;
  readonly #onWarning: (what: string, detail: unknown) => void;
  readonly #providers = new Set<OfferedMcpServer>();

  constructor(agent: Neighbour, onWarning: (what: string, detail: unknown) => void) {
    this.#agent = agent;
    this.#onWarning = onWarning;
  }

  get areMade(): boolean {
    return this.#providers.size > 0;
  }

  offer(name: string, connect: ConnectMcp): McpOffer {
    const provider = new OfferedMcpServer(name, connect, this.#agent, this.#onWarning);
    this.#providers.add(provider);
    return {
      declaration: provider.declaration,
      [Symbol.asyncDispose]: () => this.#withdraw(provider),
    };
  }

  claim(frame: Frame, envelope: Envelope, direction: Router): boolean {
    if (envelope.kind === "response" || !METHODS.has(envelope.method)) return false;
    const params = paramsOr(frame);
    for (const provider of this.#providers) {
      if (
        envelope.kind === "notification"
          ? provider.notification(envelope.method, params)
          : this.#serveRequest(provider, frame, params, envelope, direction)
      )
        return true;
    }
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#providers].map(provider => this.#withdraw(provider)));
  }

  #serveRequest(
    provider: OfferedMcpServer,
    frame: Frame,
    params: unknown,
    envelope: Envelope & { kind: "request" },
    direction: Router,
  ): boolean {
    const request = direction.inspect(frame, envelope);
    const answer = provider.request(envelope.method, params, request.signal);
    if (!answer) return false;
    direction.serve(request, () => answer);
    return true;
  }

  async #withdraw(provider: OfferedMcpServer): Promise<void> {
    this.#providers.delete(provider);
    await provider[Symbol.asyncDispose]();
  }
}
