/**
 * A list of recommendations at an https URL, with a copy on disk.
 *
 * Invariants:
 * - `read` never rejects. Without a download, it returns the stored copy.
 * - A failed download or an invalid list never replaces the stored copy.
 * - Automatic downloads are at least a day apart, or an hour after a failure.
 */
import * as l10n from "@vscode/l10n";
import { readStored, writeStored } from "../agents/registry/stored-document";
import { fetchBytes, RegistryError, type FetchDeps } from "../http/fetch-document";

export interface DownloadDeps extends Pick<FetchDeps, "clock" | "fetch" | "version"> {
  /** `~/.symposium/cache`. */
  readonly cache: string;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly log: (level: "info" | "warn", message: string, detail: Readonly<Record<string, unknown>>) => void;
}

/** "ifOld": downloads a copy that is older than a day. "now": always downloads. */
export type FetchMode = "no" | "ifOld" | "now";

export interface DownloadedText {
  /** The newest copy; undefined if none exists. */
  readonly text?: string;
  /** Why the download failed, as a sentence. */
  readonly problem?: string;
}

const HOUR = 60 * 60 * 1_000,
  DAY = 24 * HOUR,
  LIMITS = { maxBytes: 512 * 1024, timeoutMs: 10_000, accept: "application/toml, text/plain" };
const NEVER = new AbortController().signal;

export class DownloadedList {
  #failedAt: number | undefined;
  #running: Promise<DownloadedText> | undefined;

  /** `isValid`: whether a downloaded text is a list. `key`: distinguishes copies of the same URL. */
  constructor(
    private readonly url: string,
    private readonly isValid: (text: string) => boolean,
    private readonly deps: DownloadDeps,
    private readonly key: string = url,
  ) {}

  async read(mode: FetchMode): Promise<DownloadedText> {
    const stored = await readStored(this.deps.cache, this.key);
    if (!this.#isDue(mode, stored?.fetchedAt)) return stored ? { text: stored.text } : {};
    this.#running ??= this.#download(stored).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** If the clock was set back, the wait is at most a day. */
  #isDue(mode: FetchMode, fetchedAt: number | undefined): boolean {
    const now = this.deps.date();
    const isOver = (since: number | undefined, ms: number): boolean =>
      since === undefined || Math.abs(now - since) >= ms;
    return mode === "now" || (mode === "ifOld" && isOver(fetchedAt, DAY) && isOver(this.#failedAt, HOUR));
  }

  async #download(
    stored: { readonly text: string; readonly etag?: string | undefined } | undefined,
  ): Promise<DownloadedText> {
    const { deps, url } = this;
    try {
      const answer = await fetchBytes(url, { ...deps, etag: stored?.etag, signal: NEVER }, LIMITS);
      const { text, etag } =
        answer.kind === "fresh"
          ? { text: new TextDecoder().decode(answer.content), etag: answer.etag }
          : (stored ?? { text: "", etag: undefined });
      if (!this.isValid(text)) throw new RegistryError("wrong", l10n.t("It is not a list of recommendations."));
      await writeStored(deps.cache, { url: this.key, text, etag, fetchedAt: deps.date() }).catch((error: unknown) =>
        deps.log("warn", "A list of recommendations could not be stored", { url, error: String(error) }),
      );
      this.#failedAt = undefined;
      return { text };
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      this.#failedAt = deps.date();
      deps.log("info", "A list of recommendations could not be downloaded", {
        url,
        code: error.code,
        error: error.message,
      });
      return {
        ...(stored ? { text: stored.text } : {}),
        problem: l10n.t`The list at ${new URL(url).host} could not be downloaded. ${error.message}`,
      };
    }
  }
}
