/**
 * One end of a JSON-RPC connection whose two ends are programs of one build: the extension host and its sidecar. It
 * costs a fraction of vscode-jsonrpc, which takes an event-loop turn for each message that it queues.
 *
 * Invariants: messages are handled in the order of their arrival, and what one handler has set going in microtasks is
 * done before the next message. A request is settled by its answer or by `close`, and answered exactly once. After
 * `close` nothing is handled and nothing is sent.
 */
import type { MessageInput, MessageOutput } from "./message-stream";
import type { CancelSignal } from "./wire";

/** An error answer. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  constructor(readonly code: number, message: string, readonly data?: unknown) { super(message); }
}

/** The connection was closed before the answer. */
export class CallCut extends Error { override readonly name = "CallCut"; }

/** Codes of JSON-RPC. */
const METHOD_NOT_FOUND = -32601, INTERNAL_ERROR = -32603;
const CANCEL = "$/cancelRequest";

type Id = number | string;

/** Any of JSON-RPC's messages: the members tell which. */
export interface WireMessage {
  readonly id?: Id | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface ConnectionHandlers {
  /** `undefined`: there is no such method. What it rejects with is the answer; its code, if it is a `CallFailure`. */
  request(method: string, params: unknown, signal: CancelSignal): Promise<unknown> | undefined;
  /** `false`: there is no such method. */
  notification(method: string, params: unknown): void | false;
  /** A message came to nothing: an unknown method, a handler that threw. */
  report(problem: string): void;
}

export interface MessageStreams {
  readonly input: MessageInput<WireMessage>;
  readonly output: MessageOutput;
  /** Calls back when the microtasks of now are done. */
  readonly next: (run: () => void) => void;
}

interface Pending { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }

export class MessageConnection {
  #pending = new Map<Id, Pending>();
  /** Requests of the other end that are not answered yet. */
  readonly #open = new Map<Id, Cancellation>();
  #lastId = 0;
  /** Messages behind the one that is being handled. */
  #waiting: WireMessage[] = [];
  #isBusy = false;
  #isClosed = false;

  constructor(private readonly streams: MessageStreams, private readonly handlers: ConnectionHandlers) {}

  /** Messages that arrive before are kept by the stream. */
  listen(): void { this.streams.input.listen(message => this.#arrived(message)); }

  /**
   * Rejects with a `CallFailure`, or a `CallCut`. An aborted signal asks the other end to stop; its answer is still
   * awaited.
   */
  request(method: string, params: unknown, signal?: CancelSignal): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new CallCut("The connection is closed."));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send({ id, method, params });
      const cancel = (): void => { if (this.#pending.has(id)) this.notify(CANCEL, { id }); };
      if (signal?.aborted) cancel();
      else signal?.addEventListener("abort", cancel);
    });
  }

  notify(method: string, params: unknown): void { if (!this.#isClosed) this.#send({ method, params }); }

  close(): void {
    this.#isClosed = true;
    const pending = this.#pending;
    this.#pending = new Map();
    this.#waiting = [];
    for (const { reject } of pending.values()) reject(new CallCut("The connection was closed."));
    for (const cancellation of this.#open.values()) cancellation.abort();
  }

  #send(message: WireMessage): void { this.streams.output.write({ jsonrpc: "2.0", ...message }); }

  #arrived(message: WireMessage): void {
    if (this.#isClosed) return;
    if (this.#isBusy) this.#waiting.push(message);
    else this.#take(message);
  }

  #take(message: WireMessage): void {
    this.#isBusy = true;
    this.streams.next(() => {
      const following = this.#waiting.shift();
      if (following) this.#take(following);
      else this.#isBusy = false;
    });
    this.#handle(message);
  }

  #handle({ id, method, params, result, error }: WireMessage): void {
    if (method === undefined) return this.#answered(id, result, error);
    if (id !== undefined && id !== null) return this.#requested(id, method, params);
    if (method === CANCEL) return this.#open.get(idIn(params))?.abort();
    try { if (this.handlers.notification(method, params) === false) this.handlers.report(`There is no handler of ${method}.`); }
    catch (failure) { this.handlers.report(`The handler of ${method} failed: ${sentenceOf(failure)}`); }
  }

  #answered(id: Id | null | undefined, result: unknown, error: WireMessage["error"]): void {
    const call = id === undefined || id === null ? undefined : this.#pending.get(id);
    if (!call || id === undefined || id === null) return this.handlers.report(`An answer belongs to no request: ${error?.message ?? String(id)}`);
    this.#pending.delete(id);
    if (error) call.reject(new CallFailure(error.code, error.message, error.data));
    else call.resolve(result);
  }

  #requested(id: Id, method: string, params: unknown): void {
    const cancellation = new Cancellation();
    const settle = (answer: WireMessage): void => {
      this.#open.delete(id);
      if (!this.#isClosed) this.#send(answer);
    };
    const failed = (failure: unknown): void => settle({ id, error: errorOf(method, failure) });
    this.#open.set(id, cancellation);
    let answer: Promise<unknown> | undefined;
    try { answer = this.handlers.request(method, params, cancellation); }
    catch (failure) { return failed(failure); }
    if (!answer) return failed(new CallFailure(METHOD_NOT_FOUND, `Unhandled method ${method}`));
    // An answer that is no JSON is a failure, too.
    answer.then(result => settle({ id, result: result ?? null })).catch(failed);
  }
}

class Cancellation implements CancelSignal {
  #listeners: (() => void)[] = [];
  #aborted = false;

  get aborted(): boolean { return this.#aborted; }

  addEventListener(_: "abort", listener: () => void): void { this.#listeners.push(listener); }

  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

function errorOf(method: string, failure: unknown): NonNullable<WireMessage["error"]> {
  if (!(failure instanceof CallFailure)) return { code: INTERNAL_ERROR, message: `Request ${method} failed with message: ${sentenceOf(failure)}` };
  const { code, message, data } = failure;
  return { code, message, ...(data === undefined ? {} : { data }) };
}

function idIn(params: unknown): Id {
  const id: unknown = typeof params === "object" && params !== null && "id" in params ? params.id : undefined;
  return typeof id === "number" || typeof id === "string" ? id : "";
}

function sentenceOf(failure: unknown): string { return failure instanceof Error ? failure.message : String(failure); }
