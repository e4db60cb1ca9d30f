import { deferred, type Deferred } from "../protocol/wire/deferred";
import { SidecarExited } from "../errors";
import type { HostToSidecar } from "../protocol/sidecar";
import type { ParamsOf, ResultOf } from "../protocol/wire/wire";
import type { Notifications, Requests, SidecarClient } from "../sidecar/client";

interface Call {
  readonly method: string;
  readonly params: unknown;
}

/**
 * A fake sidecar that answers immediately, delays or rejects requests as configured, exits and restarts. Session ids
 * are s1, s2…
 */
export class FakeSidecar {
  /** The reason why no sidecar will start. */
  unavailable: Error | undefined;
  /** Calls to the current sidecar. */
  calls: Call[] = [];
  #sessions = 0;
  #held: { readonly methods: Set<string>; release: Deferred<void> } = { methods: new Set(), release: deferred() };
  readonly #refused = new Map<string, Error>();
  readonly #answers = new Map<string, (params: unknown) => object>();
  #next: Deferred<FakeClient> | undefined;
  #client: FakeClient;

  constructor() {
    this.#client = new FakeClient(this);
  }

  current(): Promise<SidecarClient> {
    if (this.unavailable) return Promise.reject(this.unavailable);
    return this.#next?.promise ?? Promise.resolve(this.#client);
  }

  methods(): readonly string[] {
    return this.calls.map(({ method }) => method);
  }
  hold(method: Requests): void {
    this.#held.methods.add(method);
  }
  refuse(method: Requests, error: Error): void {
    this.#refused.set(method, error);
  }
  /** Sets the response to a method; default: an empty object. */
  reply<M extends Requests>(
    method: M,
    answer: (params: ParamsOf<HostToSidecar, M>) => ResultOf<HostToSidecar, M> & object,
  ): void {
    this.#answers.set(method, params => answer(params as ParamsOf<HostToSidecar, M>));
  }

  release(): void {
    const { release } = this.#held;
    this.#held = { methods: new Set(), release: deferred() };
    release.resolve();
  }

  /** Ends the sidecar; the next client is pending. */
  die(why = "It was killed."): void {
    this.#next = deferred();
    this.#client.close(why);
  }

  /** Ends the sidecar; no other is started. */
  fail(error: Error): void {
    this.unavailable = error;
    this.#next?.reject(error);
  }

  restart(): void {
    this.release();
    this.calls = [];
    this.#client = new FakeClient(this);
    this.#next?.resolve(this.#client);
    this.#next = undefined;
  }

  async answer(call: Call): Promise<object> {
    this.calls.push(call);
    const result =
      call.method === "chat/new"
        ? { sessionId: `s${++this.#sessions}` }
        : (this.#answers.get(call.method)?.(call.params) ?? {});
    if (this.#held.methods.has(call.method)) await this.#held.release.promise;
    const refused = this.#refused.get(call.method);
    if (refused) throw refused;
    return result;
  }
}

class FakeClient implements SidecarClient {
  readonly #end = deferred<never>();
  #ended: SidecarExited | undefined;

  constructor(private readonly sidecar: FakeSidecar) {}

  request<M extends Requests>(method: M, params: ParamsOf<HostToSidecar, M>): Promise<ResultOf<HostToSidecar, M>> {
    if (this.#ended) return Promise.reject(this.#ended);
    return Promise.race([
      this.sidecar.answer({ method, params }) as Promise<ResultOf<HostToSidecar, M>>,
      this.#end.promise,
    ]);
  }

  notify<M extends Notifications>(method: M, params: ParamsOf<HostToSidecar, M>): void {
    if (!this.#ended) this.sidecar.calls.push({ method, params });
  }

  close(why: string): void {
    this.#ended = new SidecarExited(why);
    this.#end.reject(this.#ended);
  }
}
