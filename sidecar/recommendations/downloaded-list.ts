/**
 * A list of recommendations at an https URL, with a copy on disk.
 *
 * Invariants:
 * - `read` never rejects. Without a download, it returns the stored copy.
 * - A failed download or an invalid list never replaces the stored copy.
 * - Automatic downloads are at least a day apart, or an hour after a failure.
 */
import * as l10n from "@vscode/l10n";
import type { FetchMode } from "../../src/protocol/agents/recommendations";
import { readStored, writeStored } from "../agents/registry/stored-document";
import { fetchBytes, RegistryError, type FetchDeps } from "../http/fetch-document";

export interface DownloadDeps extends Pick<FetchDeps, "clock" | "fetch" | "version"> {
  /** `~/.symposium/cache`. */
  readonly cache: string;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly log: (level: "info" | "warn", message: string, detail: Readonly<Record<string, unknown>>) => void;
}

export interface DownloadedText {
  /** The newest copy; undefined if none exists. */
  readonly text?: string;
  /** Why the last download failed, as a sentence. */
  readonly problem?: string;
}

const HOUR = 60 * 60 * 1_000,
  DAY = 24 * HOUR,
  LIMITS = { maxBytes: 512 * 1024, timeoutMs: 10_000, accept: "application/toml, text/plain" };
const NEVER = new AbortController().signal;

export class DownloadedList {
  /** The last download, if it failed. */
  #failure: { readonly at: number; readonly problem: string } | undefined;
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
    if (!this.#isDue(mode, stored?.fetchedAt)) return this.#result(stored?.text);
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
    return mode === "refresh" || (mode === "ifOld" && isOver(fetchedAt, DAY) && isOver(this.#failure?.at, HOUR));
  }

  async #download(
    stored: { readonly text: string; readonly etag?: string | undefined } | undefined,
  ): Promise<DownloadedText> {
    const { deps, url } = this;
    try {
      const answer = await fetchBytes(url, { ...deps, etag: stored?.etag, signal: NEVER }, LIMITS);
      const received =
        answer.kind === "fresh" ? { text: new TextDecoder().decode(answer.content), etag: answer.etag } : stored;
      if (!received || !this.isValid(received.text))
        throw new RegistryError("wrong", l10n.t("It is not a list of recommendations."));
      const { text, etag } = received;
      await writeStored(deps.cache, { url: this.key, text, etag, fetchedAt: deps.date() }).catch((error: unknown) =>
        deps.log("warn", "A list of recommendations could not be stored", { url, error: String(error) }),
      );
      this.#failure = undefined;
      return { text };
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      this.#failure = {
        at: deps.date(),
        problem: l10n.t`The list at ${new URL(url).host} could not be downloaded. ${error.message}`,
      };
      deps.log("info", "A list of recommendations could not be downloaded", {
        url,
        code: error.code,
        error: error.message,
      });
      return this.#result(stored?.text);
    }
  }

  #result(text: string | undefined): DownloadedText {
    return {
      ...(text === undefined ? {} : { text }),
      ...(this.#failure ? { problem: this.#failure.problem } : {}),
    };
  }
}
