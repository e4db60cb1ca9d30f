/**
 * When a language server can be believed: whether it has loaded what it must, and whether its diagnostics are of now.
 * Pure; times are milliseconds.
 */

/** What it says of its own work. */
export interface Work {
  /** It was initialised, or a piece of its work ended. */
  readonly idleSince: number;
  /** What it is at (`$/progress`), by token: words for people. */
  readonly running: ReadonlyMap<string, string>;
  /** `experimental/serverStatus` of rust-analyzer: false until everything is loaded. */
  readonly isQuiescent?: boolean;
}

export const IDLE: Work = { idleSince: 0, running: new Map() };
/** Servers begin one piece of work after the other, with pauses, and what a change begins a little later. */
export const BETWEEN_MS = 300;

/** 0: it is ready. Else look again after so many milliseconds; `Infinity`: it will tell. */
export function readyIn({ idleSince, running, isQuiescent }: Work, now: number): number {
  if (running.size > 0 || isQuiescent === false) return Infinity;
  return isQuiescent === true ? 0 : Math.max(0, idleSince + BETWEEN_MS - now);
}

/** What it is at, for a sentence; empty: nothing that it speaks of. */
export function workOf({ running, isQuiescent }: Work): string {
  return running.size > 0 ? [...running.values()].slice(0, 2).join(", ") : isQuiescent === false ? "loading" : "";
}

/** Diagnostics that a server publishes by itself, of one file. */
export interface Publishing {
  /** The text it has is from then. */
  readonly changedAt: number;
  /** It has just been opened: then every server says something. */
  readonly isNew: boolean;
  readonly publishedAt?: number;
}

/** Syntax first, then the rest: it is through when it says no more. */
export const QUIET_MS = 800;
/** Where nothing became different, some say nothing. */
export const NO_NEWS_MS = 3_000;
/** Of a file that it has just been shown. */
export const FIRST_NEWS_MS = 15_000;

/** As `readyIn`. */
export function publishedIn({ changedAt, isNew, publishedAt }: Publishing, now: number): number {
  if (publishedAt !== undefined && publishedAt >= changedAt) return Math.max(0, publishedAt + QUIET_MS - now);
  return Math.max(0, changedAt + (isNew ? FIRST_NEWS_MS : NO_NEWS_MS) - now);
}
