/**
 * Provides IDE operations to all successors. A client that offers them receives the requests itself. Otherwise language
 * servers answer, and the adapter adds the capability to `initialize`.
 *
 *   client ── initialize ──▶ adapter ── the same, with the capability ──▶ component, agent
 *   client ◀── ide_operation, if it can ── adapter ◀── ide_operation ── component, agent
 */
import { ideRequest, type IdeAnswer, type IdeRequest } from "../../../src/protocol/ide/ide";
import { offeringIde, offersIde } from "../../../src/protocol/ide/ide-capability";
import { validated } from "../../../src/protocol/wire/schema";
import type { Chain, PassingRequest, Proxy, ProxyDefinition } from "../../proxies/proxy";
import { numberOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import type { ExtensionSettings, ExtensionDeps } from "../extension";
import { languagesIn } from "./languages";
import { Servers, type Asker } from "./servers";
import { EXTENSION_METHODS } from "../../acp/methods";

/**
 * Runs an operation. Rejects with an `RpcError` whose message is for the model. The result is not validated: a client
 * may have sent it.
 */
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
    const onWarning = (what: string): void => deps.log("warn", what, {});
    this.#servers = new Servers(deps, {
      languages: languagesIn(settings, onWarning),
      limitMs: limitIn(settings, onWarning) * 1000,
    });
  }

  /** Interceptor of `initialize`. */
  readonly initialize = (request: PassingRequest): Promise<unknown> => {
    this.#isClients = offersIde(request.params);
    return this.#isClients ? request.pass() : request.pass(offeringIde(request.params));
  };

  /**
   * Interceptor of `ide_operation` requests from the successor. Releases the queue at once, because an operation can be
   * slow.
   */
  readonly requested = (request: PassingRequest): Promise<unknown> => {
    if (this.#isClients) {
      const answer = request.pass();
      request.release();
      return answer;
    }
    request.release();
    return this.#serve(request.params, request.signal);
  };

  /** For a component in the same proxy. */
  readonly operate: Operate = (request, asker) =>
    this.#isClients
      ? this.chain.client.request(EXTENSION_METHODS.ide_operation, request, { signal: asker.signal })
      : this.#servers.operate(request, asker);

  close(): Promise<void> {
    return this.#servers.close();
  }

  async #serve(params: unknown, signal: AbortSignal): Promise<IdeAnswer> {
    const read = validated(ideRequest, params);
    if (!read.ok) throw new RpcError(RpcCode.invalidParams, read.why);
    return this.#servers.operate(read.message, { signal, progress: () => undefined });
  }
}

/** The adapter as a separate proxy, for a component in another proxy. */
export function ideAdapter(settings: ExtensionSettings, deps: ExtensionDeps): ProxyDefinition {
  return { name: "IDE adapter", create: chain => adapting(new IdeAdapter(chain, settings, deps)) };
}

export function adapting(adapter: IdeAdapter): Required<Proxy> {
  return {
    fromClient: { requests: { initialize: adapter.initialize } },
    fromSuccessor: { requests: { [EXTENSION_METHODS.ide_operation]: adapter.requested } },
    close: () => adapter.close(),
  };
}

function limitIn({ timeLimitSeconds }: JsonObject, onWarning: (what: string) => void): number {
  const { least, most, default: usual } = LIMIT_SECONDS,
    given = numberOr(timeLimitSeconds, undefined);
  if (given !== undefined && given >= least && given <= most) return given;
  if (timeLimitSeconds !== undefined) onWarning(`“timeLimitSeconds” of the settings must be from ${least} to ${most}.`);
  return usual;
}
