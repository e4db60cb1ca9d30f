/**
 * Serves the documented `lm/*` protocol to any program over a JSON-RPC channel. A request is identified by its JSON-RPC
 * id. `lm/question` and `lm/decide` are additions. Without `lm/decide`, every permission is rejected, because a tool
 * result is no proof of consent.
 *
 * Invariant: every request is answered, even if the client disconnects. Answers are sent in the order of the decisions.
 */
import type { LmSettings } from "../../src/protocol/lm/lm";
import { decision, type Decision } from "../../src/protocol/lm/lm-schema";
import { NEVER_CANCELLED } from "../../src/protocol/wire/cancel-signal";
import { validated } from "../../src/protocol/wire/schema";
import type { Channel, Closed } from "../rpc/channel";
import { RpcCode, RpcError } from "../rpc/message";
import { methodNotFound, Peer, type IncomingRequest } from "../rpc/peer";
import { LmService, type LmDeps } from "./lm-service";

export interface LmServerDeps extends Omit<LmDeps, "host"> {
  /** Default: `LM_DEFAULTS`. */
  readonly settings?: LmSettings;
  /** Logs an unexpected event. */
  readonly onWarning: (what: string, detail: unknown) => void;
}

export interface LmServer extends AsyncDisposable {
  /** Resolves when the client has disconnected. */
  readonly closed: Promise<Closed>;
}

export function serveLm(channel: Channel, deps: LmServerDeps): LmServer {
  return new StdioServer(channel, deps);
}

class StdioServer implements LmServer {
  readonly #service: LmService;
  readonly #peer: Peer;
  readonly closed: Promise<Closed>;
  /** The channel's send buffer is full. */
  #isCongested = false;

  constructor(channel: Channel, deps: LmServerDeps) {
    let settleClosed: (reason: Closed) => void = () => undefined;
    this.closed = new Promise(resolve => {
      settleClosed = resolve;
    });
    this.#peer = new Peer(
      withCongestion(channel, isCongested => {
        this.#isCongested = isCongested;
      }),
      {
        request: request => this.#request(request),
        notification: (method, params) => this.#notified(method, params),
        closed: settleClosed,
        onWarning: deps.onWarning,
      },
    );
    this.#service = new LmService({
      ...deps,
      host: {
        part: (requestId, part) => this.#peer.notify("lm/responsePart", { requestId, part }),
        complete: requestId => this.#peer.notify("lm/responseComplete", { requestId }),
        isCongested: () => this.#isCongested,
      },
    });
    if (deps.settings) this.#service.handlers["settings/languageModel"](deps.settings);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service[Symbol.asyncDispose]();
    await this.#peer[Symbol.asyncDispose]();
  }

  #request(request: IncomingRequest): void {
    this.#answer(request).then(
      result => request.respond(result),
      (error: unknown) => request.fail(error),
    );
  }

  async #answer({ id, method, params, signal }: IncomingRequest): Promise<unknown> {
    const { handlers } = this.#service;
    switch (method) {
      case "lm/provideLanguageModelChatInformation":
        return handlers[method]({ silent: true }, signal);
      case "lm/provideLanguageModelChatResponse":
        return this.#service.respond(params, id, signal);
      case "lm/provideTokenCount":
        return this.#service.countTokens(params);
      case "lm/question":
        return handlers[method](decisionIn(params), signal);
      case "lm/decide":
        return handlers[method](decisionIn(params), signal);
      default:
        throw methodNotFound(method);
    }
  }

  #notified(method: string, params: unknown): void {
    if (method === "lm/cancel") this.#service.cancel(params);
    // A notification has no response, so the result is dropped.
    else if (method === "lm/decide")
      this.#service.handlers[method](decisionIn(params), NEVER_CANCELLED).catch(() => undefined);
  }
}

/** Throws an `RpcError` that names the invalid member. */
function decisionIn(params: unknown): Decision {
  const read = validated(decision, params);
  if (!read.ok) throw new RpcError(RpcCode.invalidParams, read.why);
  return read.message;
}

/** Wraps the channel to report when its send buffer is full and when it has drained. */
function withCongestion(channel: Channel, onCongestion: (isCongested: boolean) => void): Channel {
  return {
    start: receiver => channel.start(receiver),
    send: frame => {
      const hasCapacity = channel.send(frame);
      if (!hasCapacity) {
        onCongestion(true);
        channel.drained().then(
          () => onCongestion(false),
          () => undefined,
        );
      }
      return hasCapacity;
    },
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}
