/**
 * Caches the registry in memory and on disk, and downloads it on request.
 *
 * Invariants:
 * - `current` never uses the network.
 * - `current` and `refresh` report an error as a sentence in the snapshot. Only an abort rejects `refresh`.
 * - At most one download runs at a time. All callers share it, and it is aborted when the last caller has cancelled.
 * - A failed download or an invalid document never replaces a valid one.
 */
import * as l10n from "@vscode/l10n";
import type { Clock } from "../../rpc/clock";
import { isFromLoopback } from "../../http/secure-url";
import { NO_REGISTRY, parseRegistry, type ReadOptions, type Registry } from "./document";
import { fetchDocument, RegistryError, type FetchDeps } from "../../http/fetch-document";
import { readStored, writeStored, type Stored } from "./stored-document";

export interface RegistrySnapshot {
  readonly registry: Registry;
  /** Time of the last download or successful revalidation, in milliseconds since 1970. */
  readonly fetchedAt?: number;
  /** Address of the document. Without a document: the first requested address. */
  readonly url: string;
  readonly from: "network" | "disk" | "none";
  /** Why the copy is not current, as a sentence for the user. */
  readonly problem?: string;
}

export interface RegistryDeps {
  /** `~/.symposium/cache`, created on demand. */
  readonly folder: string;
  /** Tried in order until one succeeds. */
  readonly urls: readonly [first: string, ...others: string[]];
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly fetch: FetchDeps["fetch"];
  readonly version: string;
  /** For tests: archives may use http on this computer. */
  readonly httpArchives?: boolean;
  /** Logs failures that reject no call, such as an unwritable cache. */
  readonly onWarning: (what: string, detail: unknown) => void;
}

interface Flight {
  readonly outcome: Promise<RegistrySnapshot>;
  readonly end: AbortController;
  waiting: number;
}

export class RegistryCache {
  readonly #deps: RegistryDeps;
  #memory: RegistrySnapshot | undefined;
  #disk: Promise<RegistrySnapshot> | undefined;
  #flight: Flight | undefined;

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
  }

  async current(): Promise<RegistrySnapshot> {
    return this.#memory ?? (await (this.#disk ??= this.#fromDisk()));
  }

  /**
   * Downloads the registry. On failure, returns the snapshot of `current` with the problem. Rejects only when `signal`
   * aborts, with a `RegistryError`.
   */
  async refresh(signal: AbortSignal): Promise<RegistrySnapshot> {
    const flight = (this.#flight ??= this.#begin());
    flight.waiting++;
    let cancel = (): void => undefined;
    const cancelled = new Promise<never>((_, reject) => {
      cancel = () => reject(new RegistryError("cancelled", l10n.t("It was cancelled.")));
    });
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      return await Promise.race([flight.outcome, cancelled]);
    } finally {
      signal.removeEventListener("abort", cancel);
      if (--flight.waiting === 0) this.#end(flight);
    }
  }

  #begin(): Flight {
    const end = new AbortController();
    return { outcome: this.#fetchFirst(end.signal), end, waiting: 0 };
  }

  #end(flight: Flight): void {
    flight.end.abort();
    if (this.#flight === flight) this.#flight = undefined;
  }

  async #fetchFirst(signal: AbortSignal): Promise<RegistrySnapshot> {
    const problems: string[] = [];
    for (const url of this.#deps.urls) {
      try {
        return (this.#memory = await this.#fetch(url, signal));
      } catch (error) {
        if (!(error instanceof RegistryError) || error.code === "cancelled") throw error;
        problems.push(
          l10n.t`The registry at ${URL.canParse(url) ? new URL(url).host : l10n.t("this URL")} could not be read. ${error.message}`,
        );
        this.#deps.onWarning("A registry could not be read", {
          url,
          code: error.code,
          error: error.message,
          cause: error.cause,
        });
      }
    }
    const { problem: _, ...previous } = await this.current(),
      [problem = ""] = problems;
    // An earlier download in memory is no longer current.
    return (this.#memory = { ...previous, from: previous.from === "network" ? "disk" : previous.from, problem });
  }

  async #fetch(url: string, signal: AbortSignal): Promise<RegistrySnapshot> {
    const { folder, date, onWarning } = this.#deps,
      stored = (await this.#stored(url))?.document;
    const answer = await fetchDocument(url, { ...this.#deps, etag: stored?.etag, signal });
    const { text, etag } = answer.kind === "fresh" ? answer : (stored ?? { text: "", etag: undefined });
    const registry = parseRegistry(text, this.#options(url)),
      fetchedAt = date();
    if ("wrong" in registry) throw new RegistryError("wrong", registry.wrong);
    await writeStored(folder, { url, fetchedAt, text, etag }).catch((error: unknown) =>
      onWarning("The registry could not be stored", { folder, error: String(error) }),
    );
    return { registry, fetchedAt, url, from: "network" };
  }

  /** Returns the newest stored copy of all addresses. */
  async #fromDisk(): Promise<RegistrySnapshot> {
    const all = (await Promise.all(this.#deps.urls.map(url => this.#stored(url)))).flatMap(stored => stored ?? []);
    const [newest] = all.sort((a, b) => b.document.fetchedAt - a.document.fetchedAt);
    return newest
      ? { registry: newest.registry, fetchedAt: newest.document.fetchedAt, url: newest.document.url, from: "disk" }
      : { registry: NO_REGISTRY, url: this.#deps.urls[0], from: "none" };
  }

  #options(url: string): ReadOptions {
    return { loopback: isFromLoopback(url), httpArchives: this.#deps.httpArchives ?? false };
  }

  async #stored(url: string): Promise<{ readonly document: Stored; readonly registry: Registry } | undefined> {
    const document = await readStored(this.#deps.folder, url);
    const registry = document && parseRegistry(document.text, this.#options(url));
    return document && registry && !("wrong" in registry) ? { document, registry } : undefined;
  }
}
