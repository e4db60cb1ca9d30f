/** The client of one session, as its tools see it: what it offers, and a way to ask it. */
import type { Interceptors, Neighbour } from "../proxies/proxy";
import { isObject, objectOr, type JsonObject } from "../rpc/json";
import { systemPromptSupport, type SystemPromptSupport } from "./system-prompt";
import { ToolFailure } from "./tool";

/** Of `initialize` (schema v1, `ClientCapabilities`), and the version that the agent answered: which one is spoken. */
export interface ClientOffers {
  readonly reads: boolean;
  readonly writes: boolean;
  readonly terminals: boolean;
  readonly version: 1 | 2;
}

const NO_OFFERS: ClientOffers = { reads: false, writes: false, terminals: false, version: 1 };

function offersIn(params: unknown, answer: unknown): ClientOffers {
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
  readonly offers: () => ClientOffers;
  /** Undefined: the agent applies no system prompt of a client. */
  readonly systemPrompt: () => SystemPromptSupport | undefined;
  /** For `fromClient.requests`. */
  readonly requests: NonNullable<Interceptors["requests"]>;
}

/** Reads the handshake as it passes. */
export function offerTracker(): OfferTracker {
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
  /** Rejects with `RpcError`; with the reason of `signal` as soon as that aborts, and the client hears so. */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<unknown>;
  /** An update of the session. */
  tell(update: JsonObject): void;
}

/** `sessionId`: as soon as it is known. */
export function sessionClient(client: Neighbour, sessionId: () => string | undefined): SessionClient {
  return {
    async request(method, params, signal) {
      const id = sessionId();
      if (id === undefined) throw new ToolFailure("The session is still being set up. Try again when it has begun.");
      return until(client.request(method, { sessionId: id, ...params }, { signal }), signal);
    },
    tell(update) {
      const id = sessionId();
      if (id !== undefined) client.notify("session/update", { sessionId: id, update });
    },
  };
}

/** What comes of it, or the reason of the signal when that aborts first. */
export async function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => undefined); // who waits for nothing any more is told nothing
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

/** The option that was chosen; `undefined`: none. Of the answer to `session/request_permission`. */
export function chosenIn(answer: unknown): string | undefined {
  const { outcome } = objectOr(answer);
  return isObject(outcome) && outcome.outcome === "selected" && typeof outcome.optionId === "string"
    ? outcome.optionId
    : undefined;
}
