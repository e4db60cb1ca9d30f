/**
 * A request from the other side. The first call of `respond` or `fail` settles the request; later calls are ignored.
 */
import { errorMessage } from "../../src/protocol/wire/errors";
import { Frame } from "./frame";
import { RpcCode, RpcError, type Id, type Request } from "./message";

export interface IncomingRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: unknown;
  /**
   * Aborted when the other side cancels the request, or when the connection closes (with a `ConnectionClosed` as the
   * reason).
   */
  readonly signal: AbortSignal;
  /** Sends the result; `undefined` becomes `null`. */
  respond(result: unknown): void;
  /**
   * Sends an error. An `RpcError` is sent unchanged, any other error as an internal error. After a cancellation, the
   * code is `requestCancelled`.
   */
  fail(error: unknown): void;
}

export class Incoming implements IncomingRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: unknown;
  readonly #frame: Frame;
  #send: ((answer: Frame) => void) | undefined;
  #aborting: AbortController | undefined; // created on first use, because few handlers use it

  constructor(request: Request, frame: Frame, send: (answer: Frame) => void) {
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.#frame = frame;
    this.#send = send;
  }

  get signal(): AbortSignal {
    return (this.#aborting ??= new AbortController()).signal;
  }

  /** `reason` is undefined when the other side cancelled the request. */
  abort(reason?: RpcError): void {
    (this.#aborting ??= new AbortController()).abort(reason);
  }

  respond(result: unknown): void {
    this.#sendOnce(Frame.of({ jsonrpc: "2.0", id: this.id, result: result ?? null }));
  }

  fail(error: unknown): void {
    this.#sendOnce(Frame.of({ jsonrpc: "2.0", id: this.id, error: this.#failure(error).toJSON() }));
  }

  /** An id beyond 2⁵³ is returned as the received bytes, because a number would lose precision. */
  #sendOnce(answer: Frame): void {
    this.#send?.(
      typeof this.id === "string" || Number.isSafeInteger(this.id) ? answer : answer.withId(this.#frame.idBytes),
    );
    this.#send = undefined; // last, so that `fail` still works if the result is not serialisable
  }

  #failure(error: unknown): RpcError {
    if (this.#aborting?.signal.aborted && !(error instanceof RpcError && error.code === RpcCode.requestCancelled)) {
      return new RpcError(RpcCode.requestCancelled, "The request was cancelled.");
    }
    if (error instanceof RpcError) return error;
    return new RpcError(RpcCode.internalError, errorMessage(error));
  }
}
