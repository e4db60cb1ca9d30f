/**
 * The host's end of the connection to the sidecar: the protocol's types over vscode-jsonrpc.
 *
 * Invariants:
 * - Every request is settled, by the response or by `close`.
 * - A failed connection is reported through `broken` and settles no request. The owner of the process then calls
 *   `close` with the reason.
 */
import * as l10n from "@vscode/l10n";
import type { Readable, Writable } from "node:stream";
import {
  createMessageConnection,
  ErrorCodes,
  ResponseError,
  StreamMessageReader,
  WriteableStreamMessageWriter,
  type CancellationToken,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import { deferred, type Deferred } from "../protocol/wire/deferred";
import { EditorRequestError, SidecarExited, SidecarRefused } from "../errors";
import { BatchedOutput } from "../protocol/wire/batched-output";
import { cancelSignalOf, NEVER_CANCELLED } from "../protocol/wire/cancel-signal";
import type { HostToSidecar, SidecarToHost } from "../protocol/sidecar";
import {
  handlerOf,
  type Calls,
  type Handler,
  type Handlers,
  type Notes,
  type ParamsOf,
  type ResultOf,
} from "../protocol/wire/wire";
import { errorMessage } from "../protocol/wire/errors";

export type Requests = keyof Calls<HostToSidecar>;
export type Notifications = keyof Notes<HostToSidecar>;

export interface SidecarClient {
  /** Rejects with `SidecarRefused` (an error response) or `SidecarExited` (the sidecar exited first). */
  request<M extends Requests>(method: M, params: ParamsOf<HostToSidecar, M>): Promise<ResultOf<HostToSidecar, M>>;
  /** Dropped silently if the sidecar has exited. */
  notify<M extends Notifications>(method: M, params: ParamsOf<HostToSidecar, M>): void;
  /** Call it when the sidecar has exited, with the reason. Rejects later requests with the same reason. */
  close(why: string): void;
}

export interface WireFailureListener {
  /** A stream ended, failed or contained an invalid message. The connection is unusable. */
  broken(what: string): void;
  /** One message failed, such as an unknown method or a throwing handler. The connection remains usable. */
  report(what: string): void;
}

/** Failures of the transport, not of the sidecar. */
const TRANSPORT: ReadonlySet<number> = new Set([
  ErrorCodes.MessageWriteError,
  ErrorCodes.MessageReadError,
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive,
]);

export class StreamClient implements SidecarClient {
  readonly #connection: MessageConnection;
  readonly #pending = new Set<Deferred<never>>();
  #gone: SidecarExited | undefined;

  constructor(
    fromSidecar: Readable,
    toSidecar: Writable,
    handlers: Handlers<SidecarToHost>,
    { broken, report }: WireFailureListener,
  ) {
    const connection = createMessageConnection(
      new StreamMessageReader(fromSidecar),
      new WriteableStreamMessageWriter(new BatchedOutput(toSidecar, flush => process.nextTick(flush))),
      { error: report, warn: report, info: report, log: report },
    );
    connection.onError(([error]) => broken(error.message));
    connection.onClose(() => broken("it was closed"));
    connection.onRequest((method: string, params: unknown, token: CancellationToken) => {
      const handler = handlerOf(handlers, method);
      return handler
        ? runHandler(handler, params, token)
        : new ResponseError(ErrorCodes.MethodNotFound, l10n.t`“${method}” is not a method of this side.`);
    });
    connection.onNotification((method: string, params: unknown) => {
      const handler = handlerOf(handlers, method);
      if (handler) handler(params as never, NEVER_CANCELLED);
      else report(l10n.t`Unknown method ${method}`);
    });
    connection.listen();
    this.#connection = connection;
  }

  request<M extends Requests>(method: M, params: ParamsOf<HostToSidecar, M>): Promise<ResultOf<HostToSidecar, M>> {
    if (this.#gone) return Promise.reject(this.#gone);
    const closed = deferred<never>();
    this.#pending.add(closed);
    const answer = this.#send(() => this.#connection.sendRequest<ResultOf<HostToSidecar, M>>(method, params)).catch(
      (error: unknown) =>
        isRefusal(error) ? Promise.reject(new SidecarRefused(error.code, error.message)) : closed.promise,
    );
    return Promise.race([answer, closed.promise]).finally(() => this.#pending.delete(closed));
  }

  notify<M extends Notifications>(method: M, params: ParamsOf<HostToSidecar, M>): void {
    if (this.#gone) return;
    this.#send(() => this.#connection.sendNotification(method, params)).catch(() => undefined);
  }

  /**
   * Converts a throw into a rejection: a connection throws after the end of its stream, and rejects if writing fails.
   */
  async #send<T>(send: () => Promise<T>): Promise<T> {
    return send();
  }

  close(why: string): void {
    if (this.#gone) return;
    this.#gone = new SidecarExited(why);
    for (const closed of this.#pending) closed.reject(this.#gone);
    this.#connection.dispose();
  }
}

/** Runs the handler. `EditorRequestError` keeps its code on the wire; other errors keep their message. */
async function runHandler(handler: Handler, params: unknown, token: CancellationToken): Promise<unknown> {
  try {
    return await handler(params as never, cancelSignalOf(token));
  } catch (error) {
    return new ResponseError(
      error instanceof EditorRequestError ? error.code : ErrorCodes.InternalError,
      errorMessage(error),
    );
  }
}

function isRefusal(error: unknown): error is ResponseError<unknown> {
  return error instanceof ResponseError && !TRANSPORT.has(error.code);
}
