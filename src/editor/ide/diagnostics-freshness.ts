/**
 * Tracks whether VS Code's diagnostics of a file describe its current text. Language services do not reliably report
 * completion. Pure; times are milliseconds.
 */

/** Quiet period after a report: many services report syntax errors first and other errors later. */
export const QUIET_MS = 700;
/** Maximum wait after a change: some services report nothing if the diagnostics are unchanged. */
export const NO_NEWS_MS = 3_000;
/** Maximum wait for a file that was just opened; the service may have to load a project. */
export const FIRST_NEWS_MS = 10_000;
const MAX_FILES = 500;

export class Freshness {
  readonly #files = new Map<
    string,
    { readonly changedAt: number; readonly isNew: boolean; readonly diagnosedAt?: number }
  >();

  /** `since`: start of the observation. */
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

  /** Milliseconds until the next check; 0 if the diagnostics are current or no more are expected. */
  settledIn(uri: string, now: number): number {
    const { changedAt = this.since, isNew = false, diagnosedAt } = this.#files.get(uri) ?? {};
    if (diagnosedAt !== undefined && diagnosedAt >= changedAt) return Math.max(0, diagnosedAt + QUIET_MS - now);
    return Math.max(0, changedAt + (isNew ? FIRST_NEWS_MS : NO_NEWS_MS) - now);
  }

  /** Whether a report arrived since the last change. */
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
    if (this.#files.size > MAX_FILES && oldest !== undefined) this.#files.delete(oldest);
  }
}
