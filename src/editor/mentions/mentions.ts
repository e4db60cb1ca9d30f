/**
 * Searches mentions for the text after an `@`. Files are returned immediately. Workspace symbols depend on language
 * servers; if they are slow, they follow in a second result.
 *
 * Invariants:
 * - At most one request to the language servers runs at a time. Obsolete requests are skipped.
 * - A server that does not respond delays the result by at most the time limit.
 */
import type { Clock } from "../../clock";
import type { Log } from "../../log";
import type { Mention } from "../../protocol/chat/attachments";
import type { Listed } from "./file-list";
import { mentionsOf, type Named, type Sources } from "./mention-list";

export interface MentionDeps {
  files(query: string, signal: AbortSignal): Promise<readonly Listed[]>;
  symbols(query: string): Promise<readonly Named[]>;
  now(): Pick<Sources, "offers" | "opened">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Below this length, nearly every symbol matches. */
const MIN_SYMBOL_QUERY = 2;
const FIRST_RESULT_MS = 150;
export const SYMBOLS_MS = 2_000;

export class Mentions {
  #lastRequest: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: MentionDeps) {}

  /** See `Composer.find` in `chat/chat-deps.ts`. */
  async find(query: string, found: (mentions: readonly Mention[]) => void, signal: AbortSignal): Promise<void> {
    const symbols = query.length < MIN_SYMBOL_QUERY ? Promise.resolve([]) : this.#symbols(query, signal);
    const files = await this.deps.files(query, signal);
    const answer = (symbols: readonly Named[]): void => {
      if (!signal.aborted) found(mentionsOf(query, { ...this.deps.now(), files, symbols }));
    };
    const soon = await this.#within(symbols, FIRST_RESULT_MS);
    answer(soon ?? []);
    if (soon !== undefined) return;
    const late = await symbols;
    if (late.length > 0) answer(late);
  }

  #symbols(query: string, signal: AbortSignal): Promise<readonly Named[]> {
    const request = this.#lastRequest
      .then(async () => (signal.aborted ? [] : ((await this.#within(this.deps.symbols(query), SYMBOLS_MS)) ?? [])))
      .catch((error: unknown) => {
        this.deps.log.warn("webview", "Could not find workspace symbols", { error });
        return [];
      });
    this.#lastRequest = request;
    return request;
  }

  /** `undefined`: the time limit expired. */
  async #within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
    const { clock } = this.deps;
    return new Promise((resolve, reject) => {
      const timer = clock.after(ms, () => resolve(undefined));
      work.then(resolve, reject).finally(() => timer.dispose());
    });
  }
}
