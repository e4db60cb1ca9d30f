/**
 * Serialises installation work per id and shares it between callers with the same key.
 *
 *   requested ──▶ queued for the id ──▶ running ──▶ ended: all callers are settled, the next work starts
 *                   └─ last caller aborted ─┴──▶ cancelled; running work is awaited
 *
 * Invariants: each caller is settled exactly once, also on disposal. After disposal, no work runs.
 */
import { assertNever } from "../../../src/protocol/wire/wire";
import { Actor } from "../../rpc/actor";
import { cancelled } from "./store/install-error";

export type Work<T> = (signal: AbortSignal) => Promise<T>;

interface Caller<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}
interface Flight<T> {
  readonly id: string;
  readonly key: string;
  readonly work: Work<T>;
  readonly ending: AbortController;
  readonly callers: Set<Caller<T>>;
}

type Outcome<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "failed"; readonly error: unknown };
type Message<T> =
  | {
      readonly kind: "requested";
      readonly id: string;
      readonly key: string;
      readonly work: Work<T>;
      readonly caller: Caller<T>;
    }
  | { readonly kind: "abandoned"; readonly id: string; readonly caller: Caller<T>; readonly reason: unknown }
  | { readonly kind: "ended"; readonly flight: Flight<T>; readonly outcome: Outcome<T> }
  | { readonly kind: "cancelled"; readonly id: string };

export class SingleFlight<T> extends Actor<Message<T>> {
  /** Queue of each id. The first entry is running. */
  readonly #queues = new Map<string, Flight<T>[]>();
  readonly #running = new Set<Promise<void>>();

  constructor() {
    super("installations");
  }

  /** `key`: identifies equal work. Rejects with the reason of `signal` when it aborts. */
  run(id: string, key: string, work: Work<T>, signal: AbortSignal): Promise<T> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise<T>((resolve, reject) => {
      const abandon = (): void => this.post({ kind: "abandoned", id, caller, reason: signal.reason });
      const removeListener = (): void => signal.removeEventListener("abort", abandon);
      const caller: Caller<T> = {
        resolve: value => {
          removeListener();
          resolve(value);
        },
        reject: error => {
          removeListener();
          reject(signal.aborted ? signal.reason : error);
        },
      };
      signal.addEventListener("abort", abandon, { once: true });
      this.post({ kind: "requested", id, key, work, caller });
    });
  }

  /** Cancels all running and queued work of the id. */
  cancel(id: string): void {
    this.post({ kind: "cancelled", id });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    for (const queue of this.#queues.values()) for (const flight of queue) flight.ending.abort(cancelled());
    await Promise.all(this.#running);
    for (const queue of this.#queues.values())
      for (const flight of queue) this.#settle(flight, { kind: "failed", error: cancelled() });
    this.#queues.clear();
  }

  protected override handle(message: Message<T>): void {
    switch (message.kind) {
      case "requested":
        return this.#join(message);
      case "abandoned":
        return this.#abandon(message);
      case "ended":
        return this.#ended(message.flight, message.outcome);
      case "cancelled":
        return this.#cancelled(message.id);
      default:
        return assertNever(message, "message");
    }
  }

  protected override failed(_: Message<T>, error: unknown): void {
    throw error;
  }

  /** After disposal, rejects new callers and settles running work with its outcome. */
  protected override refused(message: Message<T>): void {
    if (message.kind === "requested") message.caller.reject(cancelled());
    if (message.kind === "ended") this.#settle(message.flight, message.outcome);
  }

  #join({ id, key, work, caller }: Extract<Message<T>, { kind: "requested" }>): void {
    const queue = this.#queues.get(id) ?? [],
      same = queue.findLast(flight => flight.key === key && !flight.ending.signal.aborted);
    if (same) return void same.callers.add(caller);
    const flight: Flight<T> = { id, key, work, ending: new AbortController(), callers: new Set([caller]) };
    this.#queues.set(id, [...queue, flight]);
    if (queue.length === 0) this.#start(flight);
  }

  #start(flight: Flight<T>): void {
    const running = flight
      .work(flight.ending.signal)
      .then<Outcome<T>, Outcome<T>>(
        value => ({ kind: "done", value }),
        (error: unknown) => ({ kind: "failed", error }),
      )
      .then(outcome => {
        this.#running.delete(running);
        this.post({ kind: "ended", flight, outcome });
      });
    this.#running.add(running);
  }

  #abandon({ id, caller, reason }: Extract<Message<T>, { kind: "abandoned" }>): void {
    const queue = this.#queues.get(id) ?? [],
      flight = queue.find(item => item.callers.has(caller));
    if (!flight) return; // already settled
    // settled when the running work has ended
    if (flight.callers.size === 1 && flight === queue[0]) return flight.ending.abort(reason);
    flight.callers.delete(caller);
    caller.reject(reason);
    if (flight.callers.size === 0)
      this.#queues.set(
        id,
        queue.filter(item => item !== flight),
      );
  }

  #ended(flight: Flight<T>, outcome: Outcome<T>): void {
    this.#settle(flight, outcome);
    const rest = (this.#queues.get(flight.id) ?? []).filter(item => item !== flight),
      [next] = rest;
    if (!next) return void this.#queues.delete(flight.id);
    this.#queues.set(flight.id, rest);
    this.#start(next);
  }

  #cancelled(id: string): void {
    const [running, ...waiting] = this.#queues.get(id) ?? [];
    if (!running) return;
    running.ending.abort(cancelled());
    for (const flight of waiting) this.#settle(flight, { kind: "failed", error: cancelled() });
    this.#queues.set(id, [running]);
  }

  #settle({ callers }: Flight<T>, outcome: Outcome<T>): void {
    for (const { resolve, reject } of callers) {
      if (outcome.kind === "done") resolve(outcome.value);
      else reject(outcome.error);
    }
    callers.clear();
  }
}
