/**
 * Who hears what an agent says: the listeners of its sessions, also of those whose `session/new` it has yet to answer.
 *
 * Invariants: a listener hears everything of its session in the order of the wire, what came before the answer first
 * (agents announce commands early; at most `EARLY_LIMIT` messages are kept); one that was left hears nothing. The
 * traffic of a subagent's session goes to the listener of the session at the top; no session that has a listener
 * becomes a subagent.
 */
export interface Heard<L> {
  readonly sessionId: string;
  readonly tell: (listener: L) => void;
}

const EARLY_LIMIT = 1000;
/** Subagents of one connection. */
const MAX_SUBAGENTS = 10_000;

export class SessionRoutes<L> {
  readonly #listeners = new Map<string, L>();
  /** What sessions said whose `session/new` has not been answered, in order; empty when none is open. */
  #early: Heard<L>[] = [];
  #opening = 0;
  /** Whose request the agent has yet to answer, the newest last. */
  #waiting: readonly L[] = [];
  /** Sessions that we left: what still comes of them is nothing to write home about. */
  readonly #left = new Set<string>();
  /** Session of a subagent → session at the top. */
  readonly #tops = new Map<string, string>();

  get listeners(): readonly L[] {
    return [...this.#listeners.values()];
  }

  /** Who made the newest request that has no answer: a question of the agent that names no session is theirs. */
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
    return typeof sessionId === "string" && this.#left.has(this.topOf(sessionId));
  }

  /** The session whose listener has the traffic of `sessionId`: the session itself, unless it is a subagent's. */
  topOf(sessionId: string): string {
    return this.#tops.get(sessionId) ?? sessionId;
  }

  /** `subagent` belongs to `parent`, a session or another subagent. `false`: it cannot. Repeats change nothing. */
  adopt(subagent: string, parent: string): boolean {
    const top = this.topOf(parent),
      known = this.#tops.get(subagent);
    if (known !== undefined) return known === top;
    if (
      subagent === top ||
      this.#listeners.has(subagent) ||
      this.#left.has(subagent) ||
      this.#tops.size >= MAX_SUBAGENTS
    )
      return false;
    this.#tops.set(subagent, top);
    return true;
  }

  /**
   * A session is being opened; call what is returned when its request is over, and tell what nobody wanted to whoever
   * is given.
   */
  opens(): (forgotten: (heard: Heard<L>) => void) => void {
    this.#opening++;
    return forgotten => {
      this.#opening--;
      if (this.#opening === 0) for (const each of this.#early.splice(0)) forgotten(each);
    };
  }

  /** The session is there; its listener hears at once what came early. */
  add(sessionId: string, listener: L): void {
    this.#left.delete(sessionId);
    this.#tops.delete(sessionId);
    this.#listeners.set(sessionId, listener);
    const early = this.#early;
    this.#early = early.filter(each => each.sessionId !== sessionId);
    for (const each of early) if (each.sessionId === sessionId) each.tell(listener);
  }

  /** `false`: nobody listened to it. */
  leave(sessionId: string): boolean {
    const listener = this.#listeners.get(sessionId);
    this.#left.add(sessionId);
    this.#waiting = this.#waiting.filter(each => each !== listener);
    for (const [subagent, top] of this.#tops)
      if (top === sessionId) {
        this.#tops.delete(subagent);
        this.#left.add(subagent);
      }
    return this.#listeners.delete(sessionId);
  }

  /** For the listener now, or as soon as the session is there; `false` when there is none and none to come. */
  tell(named: unknown, tell: (listener: L) => void): boolean {
    if (typeof named !== "string") return false;
    const sessionId = this.topOf(named);
    const listener = this.#listeners.get(sessionId);
    if (listener) tell(listener);
    else if (this.#opening === 0 || this.#left.has(sessionId) || this.#early.length >= EARLY_LIMIT)
      return this.#left.has(sessionId);
    else this.#early.push({ sessionId, tell });
    return true;
  }

  /** A request of this listener's waits for its answer until what is returned is called. */
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
