/**
 * The host's end of the wire to the sidecar: JSON-RPC over its pipes, with the contract's types.
 *
 * Invariants: every request is settled, by the answer or by `close`; what breaks the wire is told once through `broken` and
 * settles nothing by itself, because the owner of the process knows why it broke and then calls `close`.
 */
import type { Readable, Writable } from "node:stream";
import { deferred, type Deferred } from "./deferred";
import { NotServed, SidecarGone, SidecarRefused } from "./errors";
import { CallFailure, MessageConnection, type WireMessage } from "./protocol/message-connection";
import { MessageInput, MessageOutput, type Utf8 } from "./protocol/message-stream";
import type { HostToSidecar, SidecarToHost } from "./protocol/sidecar";
import type { Calls, CancelSignal, Handlers, Notes, ParamsOf, ResultOf } from "./protocol/wire";

export type Requests = keyof Calls<HostToSidecar>;
export type Notifications = keyof Notes<HostToSidecar>;

export interface SidecarClient {
  /** Rejects with `SidecarRefused` (the sidecar said no) or `SidecarGone` (it ended first). */
  request<M extends Requests>(method: M, params: ParamsOf<HostToSidecar, M>): Promise<ResultOf<HostToSidecar, M>>;
  /** Lost without a word when the sidecar is gone. */
  notify<M extends Notifications>(method: M, params: ParamsOf<HostToSidecar, M>): void;
  /** The sidecar is gone, and why. Later requests are refused with the same reason. */
  close(why: string): void;
}

export interface WireTroubles {
  /** A stream ended or failed, or what came is no message: nothing more can be said on this wire. */
  broken(what: string): void;
  /** The wire goes on, but one message came to nothing: an unknown method, a handler that threw. */
  report(what: string): void;
}

const UTF8: Utf8 = {
  length: text => Buffer.byteLength(text),
  decode: ({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length).toString(),
};

export class StreamClient implements SidecarClient {
  readonly #connection: MessageConnection;
  readonly #pending = new Set<Deferred<never>>();
  #gone: SidecarGone | undefined;

  constructor(fromSidecar: Readable, toSidecar: Writable, handlers: Handlers<SidecarToHost>, { broken, report }: WireTroubles) {
    const input = new MessageInput<WireMessage>(fromSidecar, UTF8);
    const output = new MessageOutput(toSidecar, UTF8, flush => process.nextTick(flush));
    for (const stream of [input, output]) {
      stream.onError(error => broken(error.message));
      stream.onClose(() => broken("it was closed"));
    }
    const {
      "editor/readTextFile": read, "editor/writeTextFile": write, "editor/runInTerminal": run, "editor/ideOperation": operate, "secrets/environment": secrets, "secrets/keepEnvironment": keep, "lm/keptSessions": kept, ...notes
    } = handlers;
    // The sidecar sends what the contract says: `hello` has compared the builds of both programs.
    const served = new Map<string, Served>(Object.entries({
      "editor/readTextFile": read, "editor/writeTextFile": write, "editor/runInTerminal": run, "editor/ideOperation": operate,
      "secrets/environment": secrets, "secrets/keepEnvironment": keep, "lm/keptSessions": kept,
    }) as [string, Served][]);
    const noted = new Map<string, Noted>(Object.entries(notes) as [string, Noted][]);
    this.#connection = new MessageConnection({ input, output, next: afterMicrotasks }, {
      request: (method, params, signal) => {
        const handler = served.get(method);
        return handler && refusable(handler(params, signal));
      },
      notification: (method, params) => {
        const handler = noted.get(method);
        return handler ? handler(params) : false;
      },
      report,
    });
    this.#connection.listen();
  }

  request<M extends Requests>(method: M, params: ParamsOf<HostToSidecar, M>): Promise<ResultOf<HostToSidecar, M>> {
    if (this.#gone) return Promise.reject(this.#gone);
    const cut = deferred<never>();
    this.#pending.add(cut);
    const answer = (this.#connection.request(method, params) as Promise<ResultOf<HostToSidecar, M>>)
      .catch((error: unknown) => error instanceof CallFailure ? Promise.reject(new SidecarRefused(error.code, error.message)) : cut.promise);
    return Promise.race([answer, cut.promise]).finally(() => this.#pending.delete(cut));
  }

  notify<M extends Notifications>(method: M, params: ParamsOf<HostToSidecar, M>): void {
    if (!this.#gone) this.#connection.notify(method, params);
  }

  close(why: string): void {
    if (this.#gone) return;
    this.#gone = new SidecarGone(why);
    for (const cut of this.#pending) cut.reject(this.#gone);
    this.#connection.close();
  }
}

type Served = (params: unknown, signal: CancelSignal) => Promise<unknown>;
type Noted = (params: unknown) => void;

/** JSON-RPC's. */
const INTERNAL_ERROR = -32603;

/** Errors cross the wire with their code; others as internal errors, with their message. */
async function refusable(answer: Promise<unknown>): Promise<unknown> {
  try { return await answer; }
  catch (error) { throw new CallFailure(error instanceof NotServed ? error.code : INTERNAL_ERROR, error instanceof Error ? error.message : String(error)); }
}

function afterMicrotasks(run: () => void): void { queueMicrotask(() => process.nextTick(run)); }
