/** Searches in the session's folders, by whatever can do it: ripgrep, or this program itself. */
import type { Inside } from "./folders";

/** Where is searched. */
export interface SearchPlace extends Inside {
  /** A file: that one alone. */
  readonly isFile: boolean;
}

/**
 * Told as they are found. `path`: relative to the place, with `/`; empty for the place itself. True: that is enough.
 */
export type FoundFile = (path: string) => boolean;
/** `line`: from 1. `text`: at most so long as `LONGEST_LINE`. */
export type FoundLine = (path: string, line: number, text: string) => boolean;

/** How it ended. */
export interface SearchEnd {
  /** A sentence on what was left out. */
  readonly note?: string;
}

export interface ContentQuery {
  /** A regular expression. */
  readonly pattern: string;
  /** Which files. */
  readonly takes: (path: string) => boolean;
  /** The same for whoever understands globs: about names. */
  readonly names?: string;
}

/** Both throw a `ToolFailure` for what cannot be searched for, and the reason of `signal`. */
export interface Search {
  files(place: SearchPlace, found: FoundFile, signal: AbortSignal): Promise<SearchEnd>;
  lines(place: SearchPlace, query: ContentQuery, found: FoundLine, signal: AbortSignal): Promise<SearchEnd>;
}

/** Characters of a line that are told. */
export const LONGEST_LINE = 300;
/** A search ends after so long. */
export const SEARCH_MS = 20_000;
export const TOOK_TOO_LONG = `The search was ended after ${SEARCH_MS / 1000} seconds: there may be more. Search in a folder, or for something rarer.`;
