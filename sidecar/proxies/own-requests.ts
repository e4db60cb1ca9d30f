/**
 * The requests and notifications that a proxy itself sends to one of its neighbours, out of order.
 *
 * Invariants:
 * - Every request is settled exactly once, by its response or by the close of the connection.
 * - The response is delivered to no other component.
 * - A request releases the hold in the direction from which its response arrives.
 */
import type { Closed } from "../rpc/channel";
import { Frame, FrameError } from "../rpc/frame";
import type { Ids } from "../rpc/hop";
import { RpcCode, RpcError, type Id } from "../rpc/message";
import { ConnectionClosed, type Outcome } from "../rpc/peer";
import type { Neighbour } from "./proxy";
import { PROTOCOL_METHODS } from "../acp/methods";

export interface RequestSink {
  /** Sends a frame to the neighbour. */
  send(frame: Frame): void;
  /** Releases the hold in the direction of the responses. */
  overrule(): void;
}

const CANCEL = PROTOCOL_METHODS.cancel_request;

export class OwnRequests implements Neighbour {
  readonly #ids: Ids;
  readonly #road: RequestSink;
  readonly #pending = new Map<Id, (outcome: Outcome) => void>();
  #closed: Closed | undefined;

  constructor(ids: Ids, road: RequestSink) {
    this.#ids = ids;
    this.#road = road;
  }

  /** Whether a response is pending. */
  get areOpen(): boolean {
    return this.#pending.size > 0;
  }

  /**
   * `settle` is called in response order, never before `call` returns. Returns a function that cancels the request; the
   * response is still awaited.
   */
  call(method: string, params: unknown, settle: (outcome: Outcome) => void): () => void {
    const closed = this.#closed;
    if (closed) {
      queueMicrotask(() => settle({ ok: false, error: new ConnectionClosed(closed) }));
      return () => {};
    }
    const id = this.#ids.next();
    this.#pending.set(id, settle);
    this.#road.send(Frame.of({ jsonrpc: "2.0", id, method, ...paramsOr(params) }));
    this.#road.overrule();
    return () => {
      if (this.#pending.has(id)) this.notify(CANCEL, { requestId: id });
    };
  }

  request(method: string, params: unknown, options: { readonly signal?: AbortSignal } = {}): Promise<unknown> {
    return this.ask(method, params, cancel => cancel(), options.signal);
  }

  /** Like `request`, but calls `whenAborted` to send the cancellation. */
  ask(
    method: string,
    params: unknown,
    whenAborted: (cancel: () => void) => void,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const answer = new Promise((resolve, reject) => {
      if (signal?.aborted)
        return reject(new RpcError(RpcCode.requestCancelled, "The request was cancelled before it was sent."));
      const cancel = this.call(method, params, outcome => {
        signal?.removeEventListener("abort", aborted);
        if (outcome.ok) resolve(outcome.result);
        else reject(outcome.error);
      });
      const aborted = () => whenAborted(cancel);
      signal?.addEventListener("abort", aborted, { once: true });
    });
    answer.catch(() => {}); // a caller that ignores the result must not cause an unhandled rejection
    return answer;
  }

  notify(method: string, params: unknown): void {
    if (!this.#closed) this.#road.send(Frame.of({ jsonrpc: "2.0", method, ...paramsOr(params) }));
  }

  /** Settles the request of this response. Returns false if the request belongs to another component. */
  answered(id: Id, answer: Frame): boolean {
    const settle = this.#pending.get(id);
    if (!settle) return false;
    this.#pending.delete(id);
    settle(outcomeOf(answer));
    return true;
  }

  /** Fails pending requests. Later messages are dropped. */
  close(reason: Closed): void {
    this.#closed ??= reason;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const settle of pending) settle({ ok: false, error: new ConnectionClosed(reason) });
  }
}

function paramsOr(params: unknown): { params?: unknown } {
  return params === undefined ? {} : { params };
}

/** Returns the outcome of a response. An invalid response is an error. */
export function outcomeOf(answer: Frame): Outcome {
  try {
    const { message } = answer;
    if (!("error" in message) || message.error === null)
      return { ok: true, result: "result" in message ? message.result : undefined };
    const { code, message: text, data } = message.error;
    return { ok: false, error: new RpcError(code, text, data) };
  } catch (cause) {
    if (!(cause instanceof FrameError)) throw cause;
    return {
      ok: false,
      error: new RpcError(RpcCode.internalError, `The response could not be read: ${cause.message}.`, undefined, {
        cause,
      }),
    };
  }
}
