/** Contract of a search in the session's folders: `ripgrep.ts`, or `node-search.ts` without ripgrep. */
import type { Inside } from "./folders";

/** A folder or file to be searched. */
export interface SearchPlace extends Inside {
  /** Search only this file. */
  readonly isFile: boolean;
}

/**
 * Called for each file as it is found. `path`: relative to the place, with `/`; empty for the place itself. Return true
 * to stop the search.
 */
export type FoundFile = (path: string) => boolean;
/** `line`: 1-based. `text`: at most `MAX_LINE_LENGTH` characters. */
export type FoundLine = (path: string, line: number, text: string) => boolean;

/** Result of a search. */
export interface SearchEnd {
  /** A sentence about omitted results. */
  readonly note?: string;
}

export interface ContentQuery {
  /** A regular expression. */
  readonly pattern: string;
  /** Selects the files to search. */
  readonly takes: (path: string) => boolean;
  /** A glob of file names that selects at least the same files. */
  readonly names?: string;
}

/** Both methods reject with a `ToolFailure` for an invalid search, or with the reason of `signal`. */
export interface Search {
  files(place: SearchPlace, found: FoundFile, signal: AbortSignal): Promise<SearchEnd>;
  lines(place: SearchPlace, query: ContentQuery, found: FoundLine, signal: AbortSignal): Promise<SearchEnd>;
}

/** Maximum number of characters returned per line. */
export const MAX_LINE_LENGTH = 300;
/** Time limit of a search, in milliseconds. */
export const SEARCH_MS = 20_000;
export const TOOK_TOO_LONG = `The search was stopped after ${SEARCH_MS / 1000} seconds. Results may be incomplete. Search in a folder, or use a narrower pattern.`;
