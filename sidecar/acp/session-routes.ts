/**
 * Routes an agent's messages to the listeners of its sessions, including sessions whose `session/new` is pending.
 *
 * Invariants:
 * - A listener receives all messages of its session in wire order. Messages that precede the response to `session/new`
 *   are buffered, up to `EARLY_LIMIT`.
 * - A listener of a released session receives nothing.
 * - The listener of the top-level session receives the messages of its subagents' sessions.
 * - A session with a listener never becomes a subagent.
 */
export interface EarlyMessage<L> {
  readonly sessionId: string;
  readonly notify: (listener: L) => void;
}

const EARLY_LIMIT = 1000;
/** Maximum number of subagents per connection. */
const MAX_SUBAGENTS = 10_000;

export class SessionRoutes<L> {
  readonly #listeners = new Map<string, L>();
  /** Buffered messages of sessions whose `session/new` is pending, in order. */
  #early: EarlyMessage<L>[] = [];
  #opening = 0;
  /** The listeners of pending requests, the newest last. */
  #waiting: readonly L[] = [];
  /** Released sessions, whose late messages are not reported. */
  readonly #released = new Set<string>();
  /** Subagent session → top-level session. */
  readonly #tops = new Map<string, string>();

  get listeners(): readonly L[] {
    return [...this.#listeners.values()];
  }

  /** The listener of the newest pending request. It receives requests of the agent that name no session. */
  get newestWaiting(): L | undefined {
    return this.#waiting.at(-1);
  }

  has(sessionId: string): boolean {
    return this.#listeners.has(sessionId);
  }
  listenerOf(sessionId: string): L | undefined {
    return this.#listeners.get(sessionId);
  }
  wasLeft(sessionId: unknown): boolean {
    return typeof sessionId === "string" && this.#released.has(this.topOf(sessionId));
  }

  /**
   * The session whose listener receives the messages of `sessionId`: itself, or the top-level session of a subagent.
   */
  topOf(sessionId: string): string {
    return this.#tops.get(sessionId) ?? sessionId;
  }

  /**
   * Makes `subagent` a child of `parent`, a session or another subagent. Returns `false` if that is impossible.
   * Repetitions have no effect.
   */
  adopt(subagent: string, parent: string): boolean {
    const top = this.topOf(parent),
      known = this.#tops.get(subagent);
    if (known !== undefined) return known === top;
    if (
      subagent === top ||
      this.#listeners.has(subagent) ||
      this.#released.has(subagent) ||
      this.#tops.size >= MAX_SUBAGENTS
    )
      return false;
    this.#tops.set(subagent, top);
    return true;
  }

  /**
   * Starts to buffer messages, because a session is being opened. Call the returned function when its request has
   * ended. When no other session is being opened, the function passes the remaining messages to `undelivered`.
   */
  opens(): (undelivered: (message: EarlyMessage<L>) => void) => void {
    this.#opening++;
    return undelivered => {
      this.#opening--;
      if (this.#opening === 0) for (const each of this.#early.splice(0)) undelivered(each);
    };
  }

  /** Adds an open session. Its listener receives the buffered messages immediately. */
  add(sessionId: string, listener: L): void {
    this.#released.delete(sessionId);
    this.#tops.delete(sessionId);
    this.#listeners.set(sessionId, listener);
    const early = this.#early;
    this.#early = early.filter(each => each.sessionId !== sessionId);
    for (const each of early) if (each.sessionId === sessionId) each.notify(listener);
  }

  /** Returns `false` if the session had no listener. */
  leave(sessionId: string): boolean {
    const listener = this.#listeners.get(sessionId);
    this.#released.add(sessionId);
    this.#waiting = this.#waiting.filter(each => each !== listener);
    for (const [subagent, top] of this.#tops)
      if (top === sessionId) {
        this.#tops.delete(subagent);
        this.#released.add(subagent);
      }
    return this.#listeners.delete(sessionId);
  }

  /**
   * Delivers to the listener now, or as soon as the session is open. Drops messages of released sessions. Returns
   * `false` if the session is unknown or the buffer is full.
   */
  notify(named: unknown, notify: (listener: L) => void): boolean {
    if (typeof named !== "string") return false;
    const sessionId = this.topOf(named);
    const listener = this.#listeners.get(sessionId);
    if (listener) notify(listener);
    else if (this.#opening === 0 || this.#released.has(sessionId) || this.#early.length >= EARLY_LIMIT)
      return this.#released.has(sessionId);
    else this.#early.push({ sessionId, notify });
    return true;
  }

  /** Marks a request of this listener as pending until the returned function is called. */
  waits(listener: L | undefined): () => void {
    if (listener === undefined) return () => undefined;
    this.#waiting = [...this.#waiting, listener];
    return () => {
      const at = this.#waiting.lastIndexOf(listener);
      if (at !== -1) this.#waiting = this.#waiting.toSpliced(at, 1);
    };
  }

  clear(): readonly L[] {
    const all = this.listeners;
    this.#listeners.clear();
    return all;
  }
}
