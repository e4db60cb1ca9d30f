/** Access of a session's tools to its client: capabilities, requests and updates. */
import type { Interceptors, Neighbour } from "../proxies/proxy";
import { isObject, objectOr, type JsonObject } from "../rpc/json";
import { systemPromptSupport, type SystemPromptSupport } from "./system-prompt";
import { ToolFailure } from "./tool";
import { CLIENT_METHODS } from "../acp/methods";

/**
 * Client capabilities from `initialize` (schema v1, `ClientCapabilities`) and the protocol version that the agent
 * selected.
 */
export interface ClientCapabilities {
  readonly reads: boolean;
  readonly writes: boolean;
  readonly terminals: boolean;
  readonly version: 1 | 2;
}

const NO_OFFERS: ClientCapabilities = { reads: false, writes: false, terminals: false, version: 1 };

function offersIn(params: unknown, answer: unknown): ClientCapabilities {
  const { fs, terminal } = objectOr(objectOr(params).clientCapabilities),
    { readTextFile, writeTextFile } = objectOr(fs);
  return {
    reads: readTextFile === true,
    writes: writeTextFile === true,
    terminals: terminal === true,
    version: objectOr(answer).protocolVersion === 2 ? 2 : 1,
  };
}

export interface OfferTracker {
  readonly offers: () => ClientCapabilities;
  /** Undefined if the agent does not support a client's system prompt. */
  readonly systemPrompt: () => SystemPromptSupport | undefined;
  /** Merge into `fromClient.requests`. */
  readonly requests: NonNullable<Interceptors["requests"]>;
}

/** Reads the capabilities from the intercepted `initialize` exchange. */
export function capabilityTracker(): OfferTracker {
  let offers = NO_OFFERS,
    systemPrompt: SystemPromptSupport | undefined;
  return {
    offers: () => offers,
    systemPrompt: () => systemPrompt,
    requests: {
      initialize: async request => {
        offers = offersIn(request.params, undefined);
        const answer = await request.pass();
        offers = offersIn(request.params, answer);
        systemPrompt = systemPromptSupport(answer);
        return answer;
      },
    },
  };
}

export interface SessionClient {
  /**
   * Rejects with `RpcError`, or with the reason of `signal` as soon as the signal aborts. The client then receives a
   * cancellation.
   */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<unknown>;
  /** Sends a session update. */
  notify(update: JsonObject): void;
}

/** `sessionId` returns undefined until the agent has answered the setup request. */
export function sessionClient(client: Neighbour, sessionId: () => string | undefined): SessionClient {
  return {
    async request(method, params, signal) {
      const id = sessionId();
      if (id === undefined) throw new ToolFailure("The session is still being set up. Try again after it has started.");
      return until(client.request(method, { sessionId: id, ...params }, { signal }), signal);
    },
    notify(update) {
      const id = sessionId();
      if (id !== undefined) client.notify(CLIENT_METHODS.session_update, { sessionId: id, update });
    },
  };
}

/** Settles like `promise`, or rejects with the reason of `signal` if the signal aborts first. */
export async function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => undefined); // prevents an unhandled rejection after an abort
  signal.throwIfAborted();
  let aborted = (): void => undefined;
  const end = new Promise<never>((_, reject) => {
    aborted = () => reject(signal.reason);
  });
  signal.addEventListener("abort", aborted, { once: true });
  try {
    return await Promise.race([promise, end]);
  } finally {
    signal.removeEventListener("abort", aborted);
  }
}

/** The selected option in the result of `session/request_permission`. Undefined if no option was selected. */
export function selectedOption(answer: unknown): string | undefined {
  const { outcome } = objectOr(answer);
  return isObject(outcome) && outcome.outcome === "selected" && typeof outcome.optionId === "string"
    ? outcome.optionId
    : undefined;
}
