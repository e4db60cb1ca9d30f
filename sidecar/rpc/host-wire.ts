/**
 * The sidecar's end of the connection to the extension host: vscode-jsonrpc over stdio, with the contract's types. The
 * type requires a handler for every method. A thrown `RpcError` keeps its code; any other error becomes an internal
 * error.
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
import { BatchedOutput } from "../../src/protocol/batched-output";
import { redactText } from "../../src/protocol/redaction/redact";
import type { HostToSidecar, SidecarToHost } from "../../src/protocol/sidecar";
import type { Calls, CancelSignal, Handlers, Notes, ParamsOf, ResultOf } from "../../src/protocol/wire";
import { RpcCode, RpcError } from "./message";

/** Bytes that may wait in the pipe before the host counts as slow. */
const CONGESTED_BYTES = 1024 * 1024;

export class HostWire {
  readonly #connection: MessageConnection;
  /** Resolves when the connection to the host has ended. */
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
    this.#connection.onError(() => undefined); // a broken pipe, which `closed` already reports
  }

  serve(handlers: Handlers<HostToSidecar>): void {
    // Host messages follow the contract: `hello` has compared the builds of both programs.
    for (const [method, handler] of Object.entries<(params: never, signal: CancelSignal) => unknown>(handlers)) {
      this.#connection.onRequest(method, (params: unknown, token: CancellationToken) =>
        settle(() => handler(params as never, signalOf(token))),
      );
      this.#connection.onNotification(method, (params: unknown) => {
        handler(params as never, NEVER);
      });
    }
    this.#connection.listen();
  }

  /**
   * Rejects with an `RpcError`: the host's error, or an internal one when the connection has ended. An aborted signal
   * asks the host to stop; its answer is still awaited.
   */
  async request<M extends keyof Calls<SidecarToHost>>(
    method: M,
    params: ParamsOf<SidecarToHost, M>,
    signal: CancelSignal = NEVER,
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
    // Throws or rejects when the connection has ended, which `closed` already reports: cleanup may still log then.
    const send = async (): Promise<void> => this.#connection.sendNotification(name, params);
    send().catch(() => undefined);
  }

  isCongested(): boolean {
    return this.output.writableLength > CONGESTED_BYTES;
  }
}

const NEVER: CancelSignal = { aborted: false, addEventListener: () => undefined };

async function settle(answer: () => unknown): Promise<unknown> {
  try {
    return await answer();
  } catch (error) {
    throw error instanceof RpcError ? new ResponseError(error.code, redactText(error.message), error.data) : error;
  }
}

function signalOf(token: CancellationToken): CancelSignal {
  return {
    get aborted() {
      return token.isCancellationRequested;
    },
    addEventListener: (_, listener) => {
      token.onCancellationRequested(() => listener());
    },
  };
}
