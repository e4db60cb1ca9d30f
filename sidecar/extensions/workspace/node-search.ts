/** Implements `search.ts` without ripgrep. */
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "../../../src/protocol/wire/errors";
import type { Clock } from "../../rpc/clock";
import { ToolFailure } from "../tool";
import { LineWorker } from "./line-worker";
import {
  MAX_LINE_LENGTH,
  SEARCH_MS,
  TOOK_TOO_LONG,
  type ContentQuery,
  type FoundLine,
  type Search,
  type SearchEnd,
  type SearchPlace,
} from "./search-backend";
import { filesBelow, MAX_ENTRIES } from "./walk";

/** Maximum file size in bytes. Larger files are skipped, because files written by people are smaller. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Maximum number of matches per file. */
const MAX_PER_FILE = 1_000;

const TOO_MANY = `The search was stopped after ${MAX_ENTRIES} files and folders. Results may be incomplete. Search in a folder.`;

export function nodeSearch(clock: Clock): Search {
  return {
    files: (place, found, signal) =>
      withinTime(clock, signal, until => visitFiles(place, until, async path => found(path))),
    lines: async (place, query, found, signal) => {
      await using worker = new LineWorker(regexOf(query.pattern), MAX_LINE_LENGTH);
      return await withinTime(clock, signal, until =>
        visitFiles(place, until, path => linesOf(place, path, query, worker, found, until)),
      );
    },
  };
}

class TimeLimitReached extends Error {}

async function withinTime(
  clock: Clock,
  signal: AbortSignal,
  search: (until: AbortSignal) => Promise<SearchEnd>,
): Promise<SearchEnd> {
  const over = new AbortController();
  using _timer = clock.after(SEARCH_MS, () => over.abort(new TimeLimitReached()));
  try {
    return await search(AbortSignal.any([signal, over.signal]));
  } catch (error) {
    if (error instanceof TimeLimitReached) return { note: TOOK_TOO_LONG };
    throw error;
  }
}

/** Calls `visit` for each file until it returns true. */
async function visitFiles(
  place: SearchPlace,
  signal: AbortSignal,
  visit: (path: string) => Promise<boolean>,
): Promise<SearchEnd> {
  if (place.isFile) {
    await visit("");
    return {};
  }
  const files = filesBelow(place, signal);
  for (let next = await files.next(); ; next = await files.next()) {
    signal.throwIfAborted();
    if (next.done) return next.value ? {} : { note: TOO_MANY };
    if (await visit(next.value)) return {};
  }
}

async function linesOf(
  place: SearchPlace,
  relative: string,
  { takes }: ContentQuery,
  worker: LineWorker,
  found: FoundLine,
  signal: AbortSignal,
): Promise<boolean> {
  if (!place.isFile && !takes(relative)) return false;
  const text = await textOf(path.join(place.real, relative));
  if (text === undefined) return false;
  return (await worker.matches(text, MAX_PER_FILE, signal)).some(({ line, text: shown }) =>
    found(relative, line, shown),
  );
}

/** `undefined`: unreadable, binary or too large. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    if ((await stat(file)).size > MAX_BYTES) return undefined;
    const bytes = await readFile(file);
    return bytes.includes(0) ? undefined : bytes.toString();
  } catch {
    return undefined;
  }
}

/** Supports a leading `(?i)`, as in ripgrep, and `\p{…}`. */
export function regexOf(pattern: string): RegExp {
  const [whole = "", flags = ""] = /^\(\?([ims]+)\)/.exec(pattern) ?? [],
    source = pattern.slice(whole.length);
  try {
    return new RegExp(source, [...new Set(`${flags}${/\\[pP]\{/.test(source) ? "u" : ""}`)].join(""));
  } catch (error) {
    throw new ToolFailure(
      `The pattern is not a valid regular expression: ${errorMessage(error)}. Escape literal characters with a backslash.`,
    );
  }
}
