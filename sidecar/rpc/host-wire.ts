/**
 * The sidecar's end of the wire to the extension host: JSON-RPC over stdio, with the contract's types. Handlers are
 * complete by type; one that throws an `RpcError` answers with its code, and any other error is an internal one.
 */
import type { Readable, Writable } from "node:stream";
import { CallFailure, MessageConnection, type WireMessage } from "../../src/protocol/message-connection";
import { MessageInput, MessageOutput, type Utf8 } from "../../src/protocol/message-stream";
import { redactText } from "../../src/protocol/redaction/redact";
import type { HostToSidecar, SidecarToHost } from "../../src/protocol/sidecar";
import type { Calls, CancelSignal, Handlers, Notes, ParamsOf, ResultOf } from "../../src/protocol/wire";
import { RpcCode, RpcError } from "./message";

/** Bytes that may wait in the pipe before the host counts as slow. */
const CONGESTED_BYTES = 1024 * 1024;

const UTF8: Utf8 = {
  length: text => Buffer.byteLength(text),
  decode: ({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length).toString(),
};

export class HostWire {
  readonly #connection: MessageConnection;
  #handlers = new Map<string, (params: unknown, signal: CancelSignal) => unknown>();
  /** Resolves when the host is gone. */
  readonly closed: Promise<void>;

  constructor(input: Readable, private readonly output: Writable) {
    const messages = new MessageInput<WireMessage>(input, UTF8), answers = new MessageOutput(output, UTF8, flush => process.nextTick(flush));
    this.#connection = new MessageConnection({ input: messages, output: answers, next: afterMicrotasks }, {
      request: (method, params, signal) => {
        const handler = this.#handlers.get(method);
        return handler && settle(() => handler(params, signal));
      },
      notification: (method, params) => { this.#handlers.get(method)?.(params, NEVER); },
      report: () => undefined,
    });
    this.closed = new Promise(resolve => {
      messages.onClose(() => resolve());
      input.once("end", () => resolve());
      answers.onClose(() => resolve());
      answers.onError(() => resolve());
    });
    messages.onError(() => undefined); // a broken pipe: `closed` says it
  }

  serve(handlers: Handlers<HostToSidecar>): void {
    // What comes from the host is what the contract says: `hello` has compared the builds of both programs.
    const all = Object.entries<(params: never, signal: CancelSignal) => unknown>(handlers);
    this.#handlers = new Map(all.map(([method, handler]) => [method, (params, signal) => handler(params as never, signal)]));
    this.#connection.listen();
  }

  /** Rejects with an `RpcError`: the host's, or an internal one when the host is gone. An aborted signal asks the host to stop; its answer is still awaited. */
  async request<M extends keyof Calls<SidecarToHost>>(method: M, params: ParamsOf<SidecarToHost, M>, signal?: CancelSignal): Promise<ResultOf<SidecarToHost, M>> {
    try { return await this.#connection.request(method, params, signal) as ResultOf<SidecarToHost, M>; }
    catch (error) { throw error instanceof CallFailure ? new RpcError(error.code, error.message) : new RpcError(RpcCode.internalError, "VS Code did not answer."); }
  }

  /** Dropped when the host is gone, which `closed` says: agents are still being stopped then, and log. */
  notify<M extends keyof Notes<SidecarToHost>>(method: M, params: ParamsOf<SidecarToHost, M>): void {
    if (this.output.writable) this.#connection.notify(method, params);
  }

  isCongested(): boolean { return this.output.writableLength > CONGESTED_BYTES; }
}

const NEVER: CancelSignal = { aborted: false, addEventListener: () => undefined };

async function settle(answer: () => unknown): Promise<unknown> {
  try { return await answer(); }
  catch (error) { throw error instanceof RpcError ? new CallFailure(error.code, redactText(error.message), error.data) : error; }
}

function afterMicrotasks(run: () => void): void { queueMicrotask(() => process.nextTick(run)); }
