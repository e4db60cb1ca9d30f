/** A request of the other side, until it is answered: once, by whichever of `respond` and `fail` comes first. */
import { Frame } from "./frame";
import { RpcCode, RpcError, type Id, type Request } from "./message";

export interface IncomingRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: unknown;
  /** Aborted when the other side cancels the request or is gone: then the reason is a `ConnectionClosed`. */
  readonly signal: AbortSignal;
  /** Answers. `undefined` becomes `null`. Ignored after the first answer. */
  respond(result: unknown): void;
  /**
   * Answers with an error: an `RpcError` as it is, another one as an internal error; after a cancellation as
   * "cancelled".
   */
  fail(error: unknown): void;
}

export class Incoming implements IncomingRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: unknown;
  readonly #frame: Frame;
  #send: ((answer: Frame) => void) | undefined;
  #aborting: AbortController | undefined; // made when somebody asks: few do

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

  /** `reason` is undefined when the other side withdrew the request itself. */
  abort(reason?: RpcError): void {
    (this.#aborting ??= new AbortController()).abort(reason);
  }

  respond(result: unknown): void {
    this.#answer(Frame.of({ jsonrpc: "2.0", id: this.id, result: result ?? null }));
  }

  fail(error: unknown): void {
    this.#answer(Frame.of({ jsonrpc: "2.0", id: this.id, error: this.#failure(error).toJSON() }));
  }

  /** An integer beyond 2⁵³ goes back as the bytes that came: as a number it would be another one. */
  #answer(answer: Frame): void {
    this.#send?.(
      typeof this.id === "string" || Number.isSafeInteger(this.id) ? answer : answer.withId(this.#frame.idBytes),
    );
    this.#send = undefined; // last: a result that cannot be sent throws, and the request can still be failed
  }

  #failure(error: unknown): RpcError {
    if (this.#aborting?.signal.aborted && !(error instanceof RpcError && error.code === RpcCode.requestCancelled)) {
      return new RpcError(RpcCode.requestCancelled, "The request was cancelled.");
    }
    if (error instanceof RpcError) return error;
    return new RpcError(RpcCode.internalError, error instanceof Error ? error.message : String(error));
  }
}
