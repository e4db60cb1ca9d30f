/**
 * The adapter: whoever stands behind it has a client with IDE operations. Where the client is an editor that offers
 * them, what is asked passes through to it; where not, language servers answer, and the client is said to offer them.
 *
 *   client ── initialize ──▶ adapter ── the same, with the capability ──▶ component, agent
 *   client ◀── IDE_OPERATION, if it can ── adapter ◀── IDE_OPERATION ── component, agent
 */
import { IDE_OPERATION, type IdeAnswer, type IdeRequest } from "../../../src/protocol/ide";
import { offeringIde, offersIde, readIdeRequest } from "../../../src/protocol/ide-read";
import type { Chain, PassingRequest, Proxy, ProxyDefinition } from "../../proxies/proxy";
import { numberOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import type { ExtensionSettings, ExtensionDeps } from "../extension";
import { languagesIn } from "./languages";
import { Servers, type Asker } from "./servers";

/** Answers operations; rejects with an `RpcError` whose message is for the model. The answer may be anybody's. */
export type Operate = (request: IdeRequest, asker: Asker) => Promise<unknown>;

const LIMIT_SECONDS = { least: 5, most: 600, default: 60 };

export class IdeAdapter {
  #isClients = false;
  readonly #servers: Servers;

  constructor(
    private readonly chain: Chain,
    settings: ExtensionSettings,
    deps: ExtensionDeps,
  ) {
    const odd = (what: string): void => deps.log("warn", what, {});
    this.#servers = new Servers(deps, {
      languages: languagesIn(settings, odd),
      limitMs: limitIn(settings, odd) * 1000,
    });
  }

  /** Interceptor of `initialize`. */
  readonly initialize = (request: PassingRequest): Promise<unknown> => {
    this.#isClients = offersIde(request.params);
    return this.#isClients ? request.pass() : request.pass(offeringIde(request.params));
  };

  /** Interceptor of `IDE_OPERATION` from behind. Takes its time, so what comes behind goes on. */
  readonly requested = (request: PassingRequest): Promise<unknown> => {
    if (this.#isClients) {
      const answer = request.pass();
      request.release();
      return answer;
    }
    request.release();
    return this.#serve(request.params, request.signal);
  };

  /** For the component, where it is the same proxy. */
  readonly operate: Operate = (request, asker) =>
    this.#isClients
      ? this.chain.client.request(IDE_OPERATION, request, { signal: asker.signal })
      : this.#servers.operate(request, asker);

  close(): Promise<void> {
    return this.#servers.close();
  }

  async #serve(params: unknown, signal: AbortSignal): Promise<IdeAnswer> {
    const read = readIdeRequest(params);
    if ("wrong" in read) throw new RpcError(RpcCode.invalidParams, read.wrong);
    return this.#servers.operate(read.request, { signal, progress: () => undefined });
  }
}

/** Alone, for a component that is another proxy. */
export function ideAdapter(settings: ExtensionSettings, deps: ExtensionDeps): ProxyDefinition {
  return { name: "IDE adapter", make: chain => adapting(new IdeAdapter(chain, settings, deps)) };
}

export function adapting(adapter: IdeAdapter): Required<Proxy> {
  return {
    fromClient: { requests: { initialize: adapter.initialize } },
    fromSuccessor: { requests: { [IDE_OPERATION]: adapter.requested } },
    close: () => adapter.close(),
  };
}

function limitIn({ timeLimitSeconds }: JsonObject, odd: (what: string) => void): number {
  const { least, most, default: usual } = LIMIT_SECONDS,
    given = numberOr(timeLimitSeconds, undefined);
  if (given !== undefined && given >= least && given <= most) return given;
  if (timeLimitSeconds !== undefined) odd(`“timeLimitSeconds” of the settings has to be from ${least} to ${most}.`);
  return usual;
}
