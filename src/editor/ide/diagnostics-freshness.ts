/**
 * Whether what VS Code says is wrong in a file is of its text as it is now: language services tell when they are
 * through with it, or do not. Pure; times are milliseconds.
 */

/** Many say the syntax first, then the rest. */
export const QUIET_MS = 700;
/** Where nothing became different, some say nothing. */
export const NO_NEWS_MS = 3_000;
/** Of a file that they have just been shown; a project may have to be loaded. */
export const FIRST_NEWS_MS = 10_000;
const MOST_FILES = 500;

export class Freshness {
  readonly #files = new Map<
    string,
    { readonly changedAt: number; readonly isNew: boolean; readonly diagnosedAt?: number }
  >();

  /** What was before `since` nobody has seen. */
  constructor(private readonly since: number) {}

  changed(uri: string, now: number): void {
    this.#keep(uri, { changedAt: now, isNew: false });
  }
  shown(uri: string, now: number): void {
    this.#keep(uri, { changedAt: now, isNew: true });
  }
  diagnosed(uri: string, now: number): void {
    const { changedAt = this.since, isNew = false } = this.#files.get(uri) ?? {};
    this.#keep(uri, { changedAt, isNew, diagnosedAt: now });
  }

  /** 0: it is of now, or nothing more is to be expected. Else look again after so many milliseconds. */
  settledIn(uri: string, now: number): number {
    const { changedAt = this.since, isNew = false, diagnosedAt } = this.#files.get(uri) ?? {};
    if (diagnosedAt !== undefined && diagnosedAt >= changedAt) return Math.max(0, diagnosedAt + QUIET_MS - now);
    return Math.max(0, changedAt + (isNew ? FIRST_NEWS_MS : NO_NEWS_MS) - now);
  }

  /** Something was said of it since it changed. */
  hasNews(uri: string): boolean {
    const { changedAt = this.since, diagnosedAt } = this.#files.get(uri) ?? {};
    return diagnosedAt !== undefined && diagnosedAt >= changedAt;
  }

  #keep(
    uri: string,
    file: { readonly changedAt: number; readonly isNew: boolean; readonly diagnosedAt?: number },
  ): void {
    this.#files.delete(uri);
    this.#files.set(uri, file);
    const [oldest] = this.#files.keys();
    if (this.#files.size > MOST_FILES && oldest !== undefined) this.#files.delete(oldest);
  }
}
