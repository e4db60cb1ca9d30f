/**
 * Decides when a language server is reliable: its project is loaded and its diagnostics are current. Pure. All times
 * are milliseconds.
 */

/** Work reported by the server. */
export interface Work {
  /** Time of initialization or of the latest end of a work item. */
  readonly idleSince: number;
  /** Descriptions of the running work items (`$/progress`), by token. */
  readonly running: ReadonlyMap<string, string>;
  /** `experimental/serverStatus` of rust-analyzer: false while the project loads. */
  readonly isQuiescent?: boolean;
}

export const IDLE: Work = { idleSince: 0, running: new Map() };
/** Servers pause between work items, and start the work for a change with a delay. */
export const BETWEEN_MS = 300;

/** Milliseconds until the next check. 0: ready. `Infinity`: wait for a notification. */
export function readyIn({ idleSince, running, isQuiescent }: Work, now: number): number {
  if (running.size > 0 || isQuiescent === false) return Infinity;
  return isQuiescent === true ? 0 : Math.max(0, idleSince + BETWEEN_MS - now);
}

/** Description of the current work. Empty: none reported. */
export function workOf({ running, isQuiescent }: Work): string {
  return running.size > 0 ? [...running.values()].slice(0, 2).join(", ") : isQuiescent === false ? "loading" : "";
}

/** Publication state of one file's diagnostics. */
export interface Publishing {
  /** Time at which the server received the current text. */
  readonly changedAt: number;
  /** The document was just opened. Every server then publishes diagnostics. */
  readonly isNew: boolean;
  readonly publishedAt?: number;
}

/**
 * Servers publish syntax errors first and other diagnostics later. After this time without a publication, the
 * diagnostics count as complete.
 */
export const QUIET_MS = 800;
/** Some servers do not publish unchanged diagnostics. */
export const NO_NEWS_MS = 3_000;
/** Limit for the first diagnostics of a newly opened file. */
export const FIRST_NEWS_MS = 15_000;

/** Return value as for `readyIn`. */
export function publishedIn({ changedAt, isNew, publishedAt }: Publishing, now: number): number {
  if (publishedAt !== undefined && publishedAt >= changedAt) return Math.max(0, publishedAt + QUIET_MS - now);
  return Math.max(0, changedAt + (isNew ? FIRST_NEWS_MS : NO_NEWS_MS) - now);
}
