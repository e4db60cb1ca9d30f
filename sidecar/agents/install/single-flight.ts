/**
 * Serialises installation work per id and shares it between callers with the same key.
 *
 *   asked ──▶ queued for the id ──▶ runs ──▶ ended: all callers are settled, the next one runs
 *               └─ last caller left ─┴──▶ cancelled; running work is awaited
 *
 * Invariants: each caller is settled exactly once, also on disposal. After disposal no work runs.
 */
import { assertNever } from "../../../src/protocol/wire/wire";
import { Actor } from "../../rpc/actor";
import { cancelled } from "./store/install-error";

export type Work<T> = (signal: AbortSignal) => Promise<T>;

interface Asker<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}
interface Flight<T> {
  readonly id: string;
  readonly key: string;
  readonly work: Work<T>;
  readonly ending: AbortController;
  readonly askers: Set<Asker<T>>;
}

type Outcome<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "failed"; readonly error: unknown };
type Message<T> =
  | {
      readonly kind: "asked";
      readonly id: string;
      readonly key: string;
      readonly work: Work<T>;
      readonly asker: Asker<T>;
    }
  | { readonly kind: "left"; readonly id: string; readonly asker: Asker<T>; readonly reason: unknown }
  | { readonly kind: "ended"; readonly flight: Flight<T>; readonly outcome: Outcome<T> }
  | { readonly kind: "cancelled"; readonly id: string };

export class SingleFlight<T> extends Actor<Message<T>> {
  /** Queues by id. The first entry of each is running. */
  readonly #queues = new Map<string, Flight<T>[]>();
  readonly #running = new Set<Promise<void>>();

  constructor() {
    super("installations");
  }

  /** `key`: identifies equal work. Rejects with the signal's reason when it aborts. */
  run(id: string, key: string, work: Work<T>, signal: AbortSignal): Promise<T> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise<T>((resolve, reject) => {
      const abandon = (): void => this.post({ kind: "left", id, asker, reason: signal.reason });
      const onEvent = (): void => signal.removeEventListener("abort", abandon);
      const asker: Asker<T> = {
        resolve: value => {
          onEvent();
          resolve(value);
        },
        reject: error => {
          onEvent();
          reject(signal.aborted ? signal.reason : error);
        },
      };
      signal.addEventListener("abort", abandon, { once: true });
      this.post({ kind: "asked", id, key, work, asker });
    });
  }

  /** Cancels all running and queued work of the id. */
  cancel(id: string): void {
    this.post({ kind: "cancelled", id });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    for (const line of this.#queues.values()) for (const flight of line) flight.ending.abort(cancelled());
    await Promise.all(this.#running);
    for (const line of this.#queues.values())
      for (const flight of line) this.#settle(flight, { kind: "failed", error: cancelled() });
    this.#queues.clear();
  }

  protected override handle(message: Message<T>): void {
    switch (message.kind) {
      case "asked":
        return this.#join(message);
      case "left":
        return this.#leave(message);
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

  /** After disposal: rejects new callers and settles work that was running with its outcome. */
  protected override refused(message: Message<T>): void {
    if (message.kind === "asked") message.asker.reject(cancelled());
    if (message.kind === "ended") this.#settle(message.flight, message.outcome);
  }

  #join({ id, key, work, asker }: Extract<Message<T>, { kind: "asked" }>): void {
    const line = this.#queues.get(id) ?? [],
      same = line.findLast(flight => flight.key === key && !flight.ending.signal.aborted);
    if (same) return void same.askers.add(asker);
    const flight: Flight<T> = { id, key, work, ending: new AbortController(), askers: new Set([asker]) };
    this.#queues.set(id, [...line, flight]);
    if (line.length === 0) this.#start(flight);
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

  #leave({ id, asker, reason }: Extract<Message<T>, { kind: "left" }>): void {
    const line = this.#queues.get(id) ?? [],
      flight = line.find(item => item.askers.has(asker));
    if (!flight) return; // already settled
    // settled when the running work has ended
    if (flight.askers.size === 1 && flight === line[0]) return flight.ending.abort(reason);
    flight.askers.delete(asker);
    asker.reject(reason);
    if (flight.askers.size === 0)
      this.#queues.set(
        id,
        line.filter(item => item !== flight),
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

  #settle({ askers }: Flight<T>, outcome: Outcome<T>): void {
    for (const { resolve, reject } of askers) {
      if (outcome.kind === "done") resolve(outcome.value);
      else reject(outcome.error);
    }
    askers.clear();
  }
}
