/**
 * The sidecar's end of the connection to the extension host: vscode-jsonrpc over stdio, with the contract's types.
 * `dispatcher` requires a handler for every method. A thrown `RpcError` keeps its code; any other error becomes an
 * internal error.
 */
import type { Readable, Writable } from "node:stream";
import {
  CancellationTokenSource,
  createMessageConnection,
  ResponseError,
  StreamMessageReader,
  WriteableStreamMessageWriter,
  type CancellationToken,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import { BatchedOutput } from "../../src/protocol/wire/batched-output";
import { cancelSignalOf, NEVER_CANCELLED, type CancelSignal } from "../../src/protocol/wire/cancel-signal";
import { redactText } from "../../src/protocol/redaction/redact";
import type { SidecarToHost } from "../../src/protocol/sidecar";
import {
  handlerOf,
  type Calls,
  type Handler,
  type Handlers,
  type Notes,
  type ParamsOf,
  type Part,
  type ResultOf,
} from "../../src/protocol/wire/wire";
import { RpcCode, RpcError } from "./message";
import { methodNotFound } from "./peer";

/** Number of unsent bytes above which the connection is congested. */
const CONGESTED_BYTES = 1024 * 1024;

/** Returns the handler of a method; throws or rejects if the method has none. */
export type Dispatch = (method: string) => Handler | Promise<Handler>;

/** Providers of the handlers for each method prefix. A provider may load its handlers on the first message. */
export type Parts<C, P extends string> = {
  readonly [K in P]: () => Handlers<Part<C, K>> | Promise<Handlers<Part<C, K>>>;
};

/**
 * Combines the handlers of a whole contract: the caller's own, and one provider for each prefix of the other methods.
 * Messages with the same prefix are handled in the order of arrival.
 */
export function dispatcher<C, P extends string>(
  own: Handlers<Omit<C, `${P}/${string}`>>,
  parts: Parts<C, P>,
): Dispatch {
  const find = (handlers: object, method: string): Handler => {
    const handler = handlerOf(handlers, method);
    if (!handler) throw methodNotFound(method);
    return handler;
  };
  return method => {
    const prefix = method.slice(0, method.indexOf("/"));
    if (!Object.hasOwn(parts, prefix)) return find(own, method);
    const part: object = parts[prefix as P]();
    return part instanceof Promise ? part.then((handlers: object) => find(handlers, method)) : find(part, method);
  };
}

export class HostWire {
  readonly #connection: MessageConnection;
  /** Resolves when the connection to the host has closed. */
  readonly closed: Promise<void>;

  constructor(
    input: Readable,
    private readonly output: Writable,
  ) {
    this.#connection = createMessageConnection(
      new StreamMessageReader(input),
      new WriteableStreamMessageWriter(new BatchedOutput(output, flush => process.nextTick(flush))),
    );
    this.closed = new Promise(resolve => {
      this.#connection.onClose(() => resolve());
      input.once("end", () => resolve());
      input.once("close", () => resolve());
      output.once("error", () => resolve());
    });
    this.#connection.onError(() => undefined); // a broken pipe, which `closed` reports
  }

  /** Starts handling messages. Notifications without a handler are ignored. */
  serve(dispatch: Dispatch): void {
    // Params are not validated, because `hello` has compared the builds of both programs.
    this.#connection.onRequest((method: string, params: unknown, token: CancellationToken) =>
      settle(() => callHandler(dispatch(method), params, cancelSignalOf(token))),
    );
    this.#connection.onNotification((method: string, params: unknown) => {
      settle(() => callHandler(dispatch(method), params, NEVER_CANCELLED)).catch(() => undefined);
    });
    this.#connection.listen();
  }

  /**
   * Rejects with an `RpcError`: the host's error, or an internal error when the connection has closed. Aborting
   * `signal` sends a cancellation; the response is still awaited.
   */
  async request<M extends keyof Calls<SidecarToHost>>(
    method: M,
    params: ParamsOf<SidecarToHost, M>,
    signal: CancelSignal = NEVER_CANCELLED,
  ): Promise<ResultOf<SidecarToHost, M>> {
    const name: string = method,
      cancelling = new CancellationTokenSource();
    if (signal.aborted) cancelling.cancel();
    else signal.addEventListener("abort", () => cancelling.cancel());
    try {
      return await this.#connection.sendRequest<ResultOf<SidecarToHost, M>>(name, params, cancelling.token);
    } catch (error) {
      throw error instanceof ResponseError
        ? new RpcError(error.code, error.message)
        : new RpcError(RpcCode.internalError, "VS Code did not answer.");
    }
  }

  notify<M extends keyof Notes<SidecarToHost>>(method: M, params: ParamsOf<SidecarToHost, M>): void {
    const name: string = method;
    // Fails when the connection has closed, which `closed` reports. Cleanup may still log at that time.
    const send = async (): Promise<void> => this.#connection.sendNotification(name, params);
    send().catch(() => undefined);
  }

  isCongested(): boolean {
    return this.output.writableLength > CONGESTED_BYTES;
  }
}

/** Calls a loaded handler synchronously. */
function callHandler(handler: Handler | Promise<Handler>, params: unknown, signal: CancelSignal): unknown {
  return handler instanceof Promise
    ? handler.then(loaded => loaded(params as never, signal))
    : handler(params as never, signal);
}

async function settle(answer: () => unknown): Promise<unknown> {
  try {
    return await answer();
  } catch (error) {
    throw error instanceof RpcError ? new ResponseError(error.code, redactText(error.message), error.data) : error;
  }
}
