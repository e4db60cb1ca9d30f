/**
 * What the sidecar wants to know of its conversations when it is started again, kept in the workspace. Opaque here; the sidecar limits it,
 * and so does this, for what another version left.
 */
import { isObject } from "../protocol/json";
import type { Log } from "../log";
import type { Memory } from "../settings/chosen-controls";

const KEY = "symposium.lmSessions";
const MOST = 200;

export class KeptSessions {
  constructor(private readonly memory: Memory, private readonly log: Log) {}

  /** In the order in which they were kept. */
  all(): readonly unknown[] { return Object.values(this.#sessions()); }

  keep(id: string, session: unknown): void {
    const { [id]: _before, ...others } = this.#sessions();
    this.#write(Object.fromEntries([...Object.entries(others), [id, session] as const].slice(-MOST)));
  }

  forget(ids: readonly string[]): void {
    this.#write(Object.fromEntries(Object.entries(this.#sessions()).filter(([id]) => !ids.includes(id))));
  }

  #sessions(): Readonly<Record<string, unknown>> {
    const kept = this.memory.get(KEY);
    return isObject(kept) ? kept : {};
  }

  #write(sessions: Readonly<Record<string, unknown>>): void {
    this.memory.update(KEY, sessions).then(undefined, (error: unknown) => this.log.warn("lm", "A conversation could not be kept for the next start", { error }));
  }
}
