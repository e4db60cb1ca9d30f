/**
 * Stores conversation records for the next start of the sidecar, in the workspace's storage. The records are opaque,
 * except for their turns, which are appended. Like the sidecar, this class limits the number of records, because
 * another version may have stored more.
 *
 * Invariant: the storage is written at most once per `WRITE_MS`, because each write covers the whole storage. `dispose`
 * writes pending changes.
 */
import type { Clock } from "../clock";
import { isObject, type Fields } from "../protocol/wire/json";
import type { Log } from "../log";
import type { KeyValueStore } from "../settings/store/persisted-controls";

const KEY = "symposium.lmSessions";
const MAX_SESSIONS = 200;
export const WRITE_MS = 1_000;

/** Turns to append after the first `from` stored turns. */
export interface AddedTurns {
  readonly from: number;
  readonly added: readonly unknown[];
}

export class PersistedSessions {
  /** In the order of `keep` calls. Loaded on first use. */
  #sessions: Map<string, unknown> | undefined;
  #writing: { dispose(): void } | undefined;

  constructor(
    private readonly memory: KeyValueStore,
    private readonly log: Log,
    private readonly clock: Clock,
  ) {}

  all(): readonly unknown[] {
    return [...this.#all().values()];
  }

  /** Drops a record whose first turns are missing: its conversation gets a new session after a restart. */
  keep(id: string, session: Fields, { from, added }: AddedTurns): void {
    const sessions = this.#all(),
      turns = turnsOf(sessions.get(id));
    sessions.delete(id);
    if (turns.length >= from) sessions.set(id, { ...session, turns: [...turns.slice(0, from), ...added] });
    for (const oldest of [...sessions.keys()].slice(0, Math.max(0, sessions.size - MAX_SESSIONS)))
      sessions.delete(oldest);
    this.#changed();
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) this.#all().delete(id);
    this.#changed();
  }

  dispose(): void {
    if (this.#writing) this.#write();
  }

  #all(): Map<string, unknown> {
    if (this.#sessions) return this.#sessions;
    const stored = this.memory.get(KEY);
    return (this.#sessions = new Map(isObject(stored) ? Object.entries(stored) : []));
  }

  #changed(): void {
    this.#writing ??= this.clock.after(WRITE_MS, () => this.#write());
  }

  #write(): void {
    this.#writing?.dispose();
    this.#writing = undefined;
    this.memory
      .update(KEY, Object.fromEntries(this.#all()))
      .then(undefined, (error: unknown) => this.log.warn("lm", "Could not save a conversation", { error }));
  }
}

function turnsOf(session: unknown): readonly unknown[] {
  return isObject(session) && Array.isArray(session["turns"]) ? session["turns"] : [];
}
