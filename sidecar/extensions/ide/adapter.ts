/**
 * Provides IDE operations to all successors. If the client offers the operations, it receives the requests. Otherwise
 * language servers answer, and the adapter adds the capability to `initialize`.
 *
 *   client ── initialize ──▶ adapter ── the same, with the capability ──▶ component, agent
 *   client ◀── ide_operation, if offered ─ adapter ◀── ide_operation ── component, agent
 */
import { IDE_SETTINGS } from "../../../src/protocol/agents/built-in-settings";
import { ideRequest, type IdeAnswer, type IdeRequest } from "../../../src/protocol/ide/ide";
import { offeringIde, offersIde } from "../../../src/protocol/ide/ide-capability";
import { validated } from "../../../src/protocol/wire/schema";
import type { Chain, InterceptedRequest, Proxy, ProxyDefinition } from "../../proxies/proxy";
import { objectOr } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { readValues, type ExtensionSettings, type ExtensionDeps } from "../extension";
import { sessionTools, type SessionPlace } from "../session-tools";
import { ToolFailure, type ToolCall } from "../tool";
import { refused } from "./documents";
import { languagesIn } from "./languages";
import { ServerConsents } from "./server-consent";
import { Servers } from "./servers";
import { EXTENSION_METHODS } from "../../acp/methods";

/**
 * Runs an operation. Rejects with an `RpcError` whose message is for the model. A client may send the result, which is
 * not validated.
 */
export type Operate = (request: IdeRequest, call: ToolCall, place: SessionPlace) => Promise<unknown>;

export class IdeAdapter {
  #isClientOffering = false;
  #version: 1 | 2 = 1;
  readonly #servers: Servers;
  readonly consents: ServerConsents;

  constructor(
    private readonly chain: Chain,
    settings: ExtensionSettings,
    deps: ExtensionDeps,
  ) {
    const { timeLimitSeconds, approve } = readValues("ide", IDE_SETTINGS, settings, deps);
    this.#servers = new Servers(deps, {
      languages: languagesIn(settings, what => deps.log("warn", what, {})),
      limitMs: timeLimitSeconds * 1000,
    });
    this.consents = new ServerConsents({
      client: chain.client,
      approve,
      version: () => this.#version,
    });
  }

  /** Interceptor of `initialize`. */
  readonly initialize = async (request: InterceptedRequest): Promise<unknown> => {
    this.#isClientOffering = offersIde(request.params);
    const answer = await (this.#isClientOffering ? request.pass() : request.pass(offeringIde(request.params)));
    this.#version = objectOr(answer).protocolVersion === 2 ? 2 : 1;
    return answer;
  };

  /**
   * Interceptor of `ide_operation` requests from the successor. Releases the queue at once, because an operation can be
   * slow.
   */
  readonly requested = (request: InterceptedRequest): Promise<unknown> => {
    if (this.#isClientOffering) {
      const answer = request.pass();
      request.release();
      return answer;
    }
    request.release();
    return this.#serve(request.params, request.signal);
  };

  /** For a component in the same proxy. */
  readonly operate: Operate = (request, call, place) =>
    this.#isClientOffering
      ? this.chain.client.request(EXTENSION_METHODS.ide_operation, request, { signal: call.signal })
      : this.#servers.operate(request, { ...call, permit: start => this.consents.of(place).permit(start, call) });

  close(): Promise<void> {
    return this.#servers.close();
  }

  async #serve(params: unknown, signal: AbortSignal): Promise<IdeAnswer> {
    const parsed = validated(ideRequest, params);
    if (!parsed.ok) throw new RpcError(RpcCode.invalidParams, parsed.why);
    const { message: request } = parsed,
      call: ToolCall = { signal, progress: () => undefined };
    try {
      return await this.#servers.operate(request, {
        ...call,
        permit: async start => this.consents.in(request.folders).permit(start, call),
      });
    } catch (error) {
      throw error instanceof ToolFailure ? refused(error.message) : error;
    }
  }
}

/** The adapter as a separate proxy, for a component in another proxy. */
export function ideAdapter(settings: ExtensionSettings, deps: ExtensionDeps): ProxyDefinition {
  return {
    name: "IDE adapter",
    create: chain => {
      const adapter = new IdeAdapter(chain, settings, deps),
        { fromClient, fromSuccessor, close } = adapterInterceptors(adapter),
        { consents } = adapter;
      const sessions = sessionTools(chain, {
        name: "ide-adapter",
        server: () => undefined,
        opened: (place, id) => consents.opened(place, id),
        closed: id => consents.closed(id),
      });
      return {
        fromClient: { requests: { ...fromClient.requests, ...sessions.requests } },
        fromSuccessor,
        close: async () => {
          sessions.close();
          await close();
        },
      };
    },
  };
}

export function adapterInterceptors(adapter: IdeAdapter): Required<Proxy> {
  return {
    fromClient: { requests: { initialize: adapter.initialize } },
    fromSuccessor: { requests: { [EXTENSION_METHODS.ide_operation]: adapter.requested } },
    close: () => adapter.close(),
  };
}
