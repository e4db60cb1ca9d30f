/**
 * The proxy that adds VS Code's tools to an agent's sessions, as an MCP server over ACP. The server is added to each
 * setup request with the key of an offer in `_meta`. All other sessions are forwarded unchanged.
 *
 * Invariants:
 * - The key is not forwarded.
 * - A server is withdrawn when its session ends or its offer is closed.
 * - Two open servers of an agent's process have different names. No server gets the known name of another program's
 *   server.
 */
import type { ProxyComponent } from "../../conductor/component";
import { serveProxy } from "../../proxies/serve-proxy";
import type { Chain, InterceptedRequest, Proxy, ProxyDefinition } from "../../proxies/proxy";
import { CLOSINGS, SessionServers, SETUPS, type OfferedServer } from "../../proxies/session-servers";
import { arrayOr, isObject, objectOr, type JsonObject } from "../../rpc/json";
import { freeServerName } from "./tool-names";
import type { ToolOffer, ToolOffers } from "./tool-offer";
import { connectTools, type ToolsServerOptions } from "./tools-server";

/** Key of an offer, in `_meta` of `session/new`, `load`, `resume` and `fork`. */
export const TOOLS_KEY = "symposium.dev/tools";
const NAME = "VS Code's tools";

export interface ToolsProxyOptions extends Pick<ToolsServerOptions, "clock" | "version"> {}

/** `_meta` for the request that sets up a session. */
export function offering({ key }: ToolOffer): JsonObject {
  return { [TOOLS_KEY]: key };
}

/** The proxy as the first component of a chain. `onWarning`: logs unexpected events. */
export function toolsComponent(
  offers: ToolOffers,
  options: ToolsProxyOptions,
  onWarning: (what: string, detail: unknown) => void,
): ProxyComponent {
  return {
    kind: "internal",
    name: NAME,
    serve: (client, successor, ids) => serveProxy(vscodeTools(offers, options), client, successor, ids, { onWarning }),
  };
}

export function vscodeTools(offers: ToolOffers, options: ToolsProxyOptions): ProxyDefinition {
  return { name: NAME, create: chain => proxy(new SessionTools(chain, offers, options)) };
}

function proxy(tools: SessionTools): Proxy {
  const handlersFor = (methods: readonly string[], intercept: (request: InterceptedRequest) => unknown) =>
    Object.fromEntries(methods.map(method => [method, intercept]));
  return {
    fromClient: {
      requests: {
        ...handlersFor(SETUPS, request => tools.setup(request)),
        ...handlersFor(CLOSINGS, request => tools.servers.closing(request)),
      },
    },
    close: () => tools.servers.close(),
  };
}

class SessionTools {
  readonly servers: SessionServers;
  /** Names of the servers in this chain. */
  readonly #names = new Set<string>();

  constructor(
    private readonly chain: Chain,
    private readonly offers: ToolOffers,
    private readonly options: ToolsProxyOptions,
  ) {
    this.servers = new SessionServers(chain);
  }

  async setup(request: InterceptedRequest): Promise<unknown> {
    const { key, params } = withoutKey(request.params);
    if (key === undefined) return request.pass();
    const offer = this.offers.find(key);
    if (!offer) {
      this.chain.onWarning("a session requires tools that no server offers", request.method);
      return request.pass(params);
    }
    for (const { name } of arrayOr(params.mcpServers).map(objectOr))
      if (typeof name === "string") this.offers.addForeign(name);
    return this.servers.setup(request, [this.#session(offer)], params);
  }

  #session(offer: ToolOffer): OfferedServer {
    const name = freeServerName(used => this.#names.has(used) || this.offers.isForeign(used), offer.server);
    offer.nameServer(name);
    this.#names.add(name);
    const watching = offer.watch({ closed: () => hosted.withdraw() });
    const hosted = this.servers.offer(
      name,
      connectTools(offer, { ...this.options, onWarning: this.chain.onWarning }),
      () => {
        watching[Symbol.dispose]();
        this.#names.delete(name);
      },
    );
    return hosted;
  }
}

function withoutKey(given: unknown): { readonly key: string | undefined; readonly params: JsonObject } {
  const params = objectOr(given);
  if (!isObject(params._meta) || typeof params._meta[TOOLS_KEY] !== "string") return { key: undefined, params };
  const { [TOOLS_KEY]: key, ..._meta } = params._meta,
    { _meta: _, ...rest } = params;
  return { key: String(key), params: Object.keys(_meta).length === 0 ? rest : { ...rest, _meta } };
}
