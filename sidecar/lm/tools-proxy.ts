/**
 * The proxy that puts VS Code's tools into an agent's sessions, as an MCP server over ACP: into each whose setup carries the key of an offer
 * in its `_meta`. All other sessions pass untouched.
 *
 * Invariants: the key goes no further; a server is withdrawn when its session is closed, could not be set up or is set up anew, and when its
 * offer is closed.
 */
import type { ProxyComponent } from "../conductor/component";
import { serveProxy } from "../proxies/kit";
import type { Chain, PassingRequest, Proxy, ProxyDefinition } from "../proxies/proxy";
import { arrayOr, isObject, objectOr, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import type { ToolOffer, ToolOffers } from "./tool-offer";
import { connectTools, type ToolsServerOptions } from "./tools-server";

/** In `_meta` of `session/new`, `load`, `resume` and `fork`: the key of an offer. */
export const TOOLS_KEY = "symposium.dev/tools";
const NAME = "VS Code's tools";

export interface ToolsProxyOptions extends Pick<ToolsServerOptions, "clock" | "version"> {}

/** `_meta` for the request that sets a session up. */
export function offering({ key }: ToolOffer): JsonObject { return { [TOOLS_KEY]: key }; }

/** As the first component of a chain. `odd`: for the log. */
export function toolsComponent(offers: ToolOffers, options: ToolsProxyOptions, odd: (what: string, detail: unknown) => void): ProxyComponent {
  return { kind: "internal", name: NAME, serve: (client, successor, ids) => serveProxy(vscodeTools(offers, options), client, successor, ids, { odd }) };
}

export function vscodeTools(offers: ToolOffers, options: ToolsProxyOptions): ProxyDefinition {
  return { name: NAME, make: chain => proxy(new Served(chain, offers, options)) };
}

function proxy(served: Served): Proxy {
  const setup = (request: PassingRequest) => served.setup(request), closing = (request: PassingRequest) => served.closing(request);
  return {
    fromClient: { requests: {
      "session/new": setup, "session/load": setup, "session/resume": setup, "session/fork": setup, "session/close": closing, "session/delete": closing,
    } },
    close: () => served.close(),
  };
}

class Served {
  /** How to withdraw what a session is offered. */
  readonly #sessions = new Map<string, () => void>();
  readonly #open = new Set<() => void>();

  constructor(private readonly chain: Chain, private readonly offers: ToolOffers, private readonly options: ToolsProxyOptions) {}

  async setup(request: PassingRequest): Promise<unknown> {
    const { key, params } = withoutKey(request.params);
    if (key === undefined) return request.pass();
    const offer = this.offers.find(key);
    if (!offer) {
      this.chain.odd("a session was to have tools that nobody offers", request.method);
      return request.pass(params);
    }
    const { declaration, withdraw } = this.#offer(offer);
    try {
      const answer = await request.pass({ ...params, mcpServers: [...arrayOr(params.mcpServers), declaration] });
      this.#bind(sessionOf(request, answer), withdraw);
      return answer;
    } catch (error) {
      withdraw();
      throw error;
    }
  }

  /** A session that the agent does not know is closed, too. */
  async closing(request: PassingRequest): Promise<unknown> {
    const { sessionId } = objectOr(request.params);
    try {
      const answer = await request.pass();
      this.#bind(sessionId, undefined);
      return answer;
    } catch (error) {
      if (error instanceof RpcError && error.code === RpcCode.notFound) this.#bind(sessionId, undefined);
      throw error;
    }
  }

  /** The chain has ended, and with it all that was offered in it. */
  close(): void {
    for (const withdraw of [...this.#open]) withdraw();
    this.#sessions.clear();
  }

  #offer(offer: ToolOffer): { readonly declaration: unknown; readonly withdraw: () => void } {
    const { chain } = this, served = chain.offerMcp(offer.server, connectTools(offer, { ...this.options, odd: chain.odd }));
    const watching = offer.watch({ closed: () => withdraw() });
    const withdraw = (): void => {
      if (!this.#open.delete(withdraw)) return;
      watching[Symbol.dispose]();
      served[Symbol.asyncDispose]().then(undefined, (error: unknown) => chain.odd("VS Code's tools could not be withdrawn", error));
    };
    this.#open.add(withdraw);
    return { declaration: served.declaration, withdraw };
  }

  /** What the session had before is withdrawn. */
  #bind(sessionId: unknown, withdraw: (() => void) | undefined): void {
    if (typeof sessionId !== "string") return; // withdrawn with the offer, or the chain
    this.#sessions.get(sessionId)?.();
    if (withdraw) this.#sessions.set(sessionId, withdraw);
    else this.#sessions.delete(sessionId);
  }
}

function withoutKey(given: unknown): { readonly key: string | undefined; readonly params: JsonObject } {
  const params = objectOr(given);
  if (!isObject(params._meta) || typeof params._meta[TOOLS_KEY] !== "string") return { key: undefined, params };
  const { [TOOLS_KEY]: key, ..._meta } = params._meta, { _meta: _, ...rest } = params;
  return { key: String(key), params: Object.keys(_meta).length === 0 ? rest : { ...rest, _meta } };
}

/** `load` and `resume` keep the session that they name, `new` and `fork` make one. */
function sessionOf({ method, params }: PassingRequest, answer: unknown): unknown {
  return objectOr(method === "session/load" || method === "session/resume" ? params : answer).sessionId;
}
