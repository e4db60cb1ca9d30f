/**
 * Serves the `lm/*` requests of the extension host and of clients of `vscodelm`. Validates them and passes them to the
 * history actor. This module does not inspect conversations.
 */
import { ErrorCode } from "../../src/protocol/wire/errors";
import type {
  ChatPart,
  ChatRequest,
  ChatRequestDelta,
  LmHostToSidecar,
  ModelInformation,
  RequestId,
} from "../../src/protocol/lm/lm";
import { cancelRequest, readChatRequest, tokenCountRequest } from "../../src/protocol/lm/lm-schema";
import { validated } from "../../src/protocol/wire/schema";
import type { CancelSignal } from "../../src/protocol/wire/cancel-signal";
import type { Handlers } from "../../src/protocol/wire/wire";
import { RpcError } from "../rpc/message";
import { HistoryActor } from "./history-actor";
import type { HistoryDeps } from "./history-model";
import { RequestCache } from "./history/request-cache";
import type { MessageHistory } from "./history/message-history";
import { PartSender } from "./response/part-sender";

/** The connection back to the client. */
export interface LmHost {
  part(requestId: RequestId, part: ChatPart): void;
  complete(requestId: RequestId): void;
  isCongested(): boolean;
  /** See `part-sender.ts`. */
  readonly soon?: (run: () => void) => Disposable;
}

export interface LmDeps extends HistoryDeps {
  readonly host: LmHost;
}

/** The model that is available without settings. The extension host has a separate list. */
const ELIZA_MODEL: ModelInformation = {
  id: "symposium-eliza",
  name: "Symposium (Eliza)",
  family: "symposium",
  version: "1.0.0",
  maxInputTokens: 1_000_000,
  maxOutputTokens: 64_000,
  capabilities: { imageInput: false, toolCalling: true },
};

export class LmService implements AsyncDisposable {
  readonly #history: HistoryActor;
  readonly #requestCache = new RequestCache();

  constructor(private readonly deps: LmDeps) {
    this.#history = new HistoryActor(deps);
  }

  readonly handlers: Handlers<LmHostToSidecar> = {
    "lm/provideLanguageModelChatInformation": async () => ({ models: [ELIZA_MODEL] }),
    "lm/provideLanguageModelChatResponse": params => this.respond(params, undefined),
    "lm/requestDelta": (delta, signal) => this.respondToDelta(delta, signal),
    "lm/provideTokenCount": async params => this.countTokens(params),
    "lm/cancel": params => this.cancel(params),
    "lm/question": async ({ questionId }) => {
      const question = await this.#history.question(questionId);
      return question === undefined ? {} : { question };
    },
    "lm/decide": async decision => ({ isTaken: await this.#history.decide(decision) }),
    "settings/languageModel": settings => this.#history.settings(settings),
  };

  /** `id`: JSON-RPC id, used for a request without `requestId`. `signal` has the effect of `lm/cancel`. */
  async respond(params: unknown, id: RequestId | undefined, signal?: CancelSignal): Promise<Record<string, never>> {
    const read = readChatRequest(params);
    if (!read.ok) throw refused(read.why);
    const { request, leftOut } = read.message,
      requestId = request.requestId ?? id;
    if (requestId === undefined) throw refused("requestId must be a number or a text.");
    if (leftOut.length > 0)
      this.deps.log("warn", "Parts of a request were omitted", { requestId, leftOut: leftOut.slice(0, 20) });
    const interned = this.#requestCache.intern(request);
    return this.#ask(requestId, interned.request, interned.history, signal);
  }

  /** Handles a request of the extension host. */
  async respondToDelta(delta: ChatRequestDelta, signal: CancelSignal): Promise<{ readonly isUnknown?: true }> {
    const resolved = this.#requestCache.resolve(delta);
    return resolved ? this.#ask(delta.requestId, resolved.request, resolved.history, signal) : { isUnknown: true };
  }

  #ask(
    requestId: RequestId,
    request: ChatRequest,
    history: MessageHistory,
    signal: CancelSignal | undefined,
  ): Promise<Record<string, never>> {
    const { host, clock } = this.deps;
    return new Promise((resolve, reject) => {
      const parts = new PartSender(
        { send: part => host.part(requestId, part), isCongested: () => host.isCongested(), soon: host.soon },
        clock,
      );
      const end = (settle: () => void): void => {
        parts.flush();
        host.complete(requestId);
        settle();
      };
      signal?.addEventListener("abort", () => this.#history.cancel(requestId));
      this.#history.ask(requestId, request, history, {
        part: part => parts.add(part),
        done: () => end(() => resolve({})),
        failed: message => end(() => reject(refused(message))),
      });
    });
  }

  /**
   * Returns a quarter of the number of characters, at least 1. Agents count their own tokens, so this estimate only
   * serves compatibility.
   */
  countTokens(params: unknown): { readonly count: number } {
    const read = validated(tokenCountRequest, params);
    if (!read.ok) throw refused(read.why);
    return { count: Math.max(1, Math.floor(read.message.text.length / 4)) };
  }

  cancel(params: unknown): void {
    const read = validated(cancelRequest, params);
    if (read.ok) this.#history.cancel(read.message.requestId);
    else this.deps.log("warn", "A cancellation was invalid", { why: read.why });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#history[Symbol.asyncDispose]();
  }
}

function refused(sentence: string): RpcError {
  return new RpcError(ErrorCode.refused, sentence);
}
