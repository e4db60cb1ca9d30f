/**
 * Downloads a complete and verified file over https.
 *
 *   attempt ── interrupted ──▶ wait 1, 4, 10 s ──▶ attempt: resumes if the file is unchanged, otherwise starts over
 *      └─ complete ──▶ SHA-256 compared ──▶ renamed to its final name
 *
 * Invariants:
 * - Until it is complete and verified, the file is `FILE.part`, which every failure deletes.
 * - At most `limit` bytes are read, regardless of the announced size.
 * - Each redirect uses https as well.
 * - An attempt fails after one minute without data.
 */
import * as l10n from "@vscode/l10n";
import { createHash, type Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { Clock } from "../../../rpc/clock";
import { secureUrl } from "../../../http/secure-url";
import { httpGet, type Fetch } from "../../../http/http-get";
import { fetchSecurely } from "../../../http/secure-fetch";
import { writeAll, type Files } from "../store/files";
import {
  installInterrupted,
  explained,
  insecure,
  InstallError,
  refused,
  stalled,
  tooLarge,
  unreachable,
  wrongHash,
} from "../store/install-error";
import { pause } from "../store/locks";

export interface DownloadOptions {
  /** In hexadecimal. */
  readonly sha256?: string | undefined;
  /** Maximum size in bytes. Default: 2 GB. */
  readonly limit?: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly files: Files;
  readonly fetch?: Fetch;
  /** For tests: accepts http on this computer. */
  readonly httpArchives?: boolean;
  /** In bytes. `total` is undefined if the server does not announce it. */
  readonly progress?: (done: number, total: number | undefined) => void;
}

const LIMIT = 2 * 2 ** 30;
const STALL_SECONDS = 60;
const PAUSES_MS = [1000, 4000, 10_000];

/**
 * Rejects with `InstallError`, or with the signal's reason. http is rejected, also on this computer, unless
 * `httpArchives` is set.
 */
export async function download(
  url: string,
  file: string,
  options: DownloadOptions,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const { files, sha256, signal } = options,
    part = `${file}.part`;
  const from = secureUrl(url, { loopback: options.httpArchives ?? false });
  if (!from) throw insecure(url);
  signal.throwIfAborted();
  try {
    const handle = await files.open(part, "w");
    let result: { readonly bytes: number; readonly sha256: string };
    try {
      result = await new Download(from, handle, options).whole();
    } finally {
      await handle.close();
    }
    if (sha256 !== undefined && sha256.toLowerCase() !== result.sha256)
      throw wrongHash(from, sha256.toLowerCase(), result.sha256);
    await files.rename(part, file);
    return result;
  } catch (error) {
    await files.rm(part, { force: true }).catch(() => undefined);
    signal.throwIfAborted();
    throw explained(error);
  }
}

/** A failure that is retried. `final` is thrown after the last attempt. */
class RetryableError extends Error {
  constructor(
    readonly final: InstallError,
    options?: { readonly cause?: unknown },
  ) {
    super(final.what, options);
  }
}

class Download {
  readonly #url: URL;
  readonly #handle: FileHandle;
  readonly #options: DownloadOptions;
  #bytes = 0;
  #hash: Hash = createHash("sha256");
  /** Validator of the file's version for `If-Range`: a strong ETag or a date. */
  #validator: string | undefined;
  #total: number | undefined;

  constructor(url: URL, handle: FileHandle, options: DownloadOptions) {
    this.#url = url;
    this.#handle = handle;
    this.#options = options;
  }

  async whole(): Promise<{ readonly bytes: number; readonly sha256: string }> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#attempt();
        return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        const ms = PAUSES_MS[attempt];
        if (ms === undefined) throw error.final;
        await pause(ms, this.#options.clock, this.#options.signal);
      }
    }
  }

  async #attempt(): Promise<void> {
    const timeout = new StallTimeout(this.#url, this.#options);
    let answered = false;
    try {
      const response = await this.#request(timeout);
      answered = true;
      if (!(await this.#continues(response))) await this.#start(response);
      for await (const chunk of bodyOf(response)) {
        timeout.restart();
        await this.#write(chunk);
      }
    } catch (error) {
      throw timeout.reasonFor(error, answered);
    } finally {
      timeout.stop();
    }
    if (this.#total !== undefined && this.#bytes < this.#total)
      throw new RetryableError(installInterrupted(this.#url, l10n.t`${this.#bytes} bytes of ${this.#total}`));
  }

  async #request(timeout: StallTimeout): Promise<Response> {
    const headers: Record<string, string> = { accept: "*/*", "accept-encoding": "identity", "user-agent": "symposium" };
    if (this.#bytes > 0 && this.#validator !== undefined)
      Object.assign(headers, { range: `bytes=${this.#bytes}-`, "if-range": this.#validator });
    const answer = await fetchSecurely(this.#options.fetch ?? httpGet(), this.#url, headers, timeout.signal);
    if (answer instanceof Response) return answer;
    throw answer.kind === "insecure"
      ? insecure(answer.to)
      : refused(this.#url, l10n.t`it redirects more than ${answer.maxRedirects} times`);
  }

  /** Whether the response continues the partial file. Throws for an inconsistent range. */
  async #continues(response: Response): Promise<boolean> {
    if (response.status !== 206) return false;
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get("content-range") ?? "") ?? [];
    const isSame =
      Number(start) === this.#bytes &&
      (total === "*" || this.#total === undefined || Number(total) === this.#total) &&
      [undefined, this.#validator].includes(validatorOf(response));
    if (isSame && this.#bytes > 0) return true;
    await discardBody(response);
    await this.#restart();
    throw new RetryableError(refused(this.#url, l10n.t("it sends inconsistent parts")));
  }

  async #start(response: Response): Promise<void> {
    const { status, headers } = response;
    if (status !== 200) {
      await discardBody(response);
      if (status === 416) await this.#restart();
      const final = refused(
        this.#url,
        status === 404 || status === 410 ? l10n.t("it does not exist") : l10n.t`status ${status}`,
      );
      throw status >= 500 || status === 429 || status === 416 ? new RetryableError(final) : final;
    }
    await this.#restart();
    const length = headers.get("content-length");
    this.#total =
      length !== null && headers.get("content-encoding") === null && /^\d+$/.test(length) ? Number(length) : undefined;
    this.#validator = headers.get("accept-ranges") === "none" ? undefined : validatorOf(response);
    if (this.#total !== undefined) this.#withinLimit(this.#total);
  }

  async #restart(): Promise<void> {
    if (this.#bytes > 0) await this.#handle.truncate(0);
    this.#bytes = 0;
    this.#hash = createHash("sha256");
    this.#validator = undefined;
    this.#total = undefined;
  }

  async #write(chunk: Uint8Array): Promise<void> {
    this.#options.signal.throwIfAborted();
    this.#withinLimit(this.#bytes + chunk.length);
    await writeAll(this.#handle, chunk, this.#bytes);
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    this.#options.progress?.(this.#bytes, this.#total);
  }

  #withinLimit(bytes: number): void {
    const { limit = LIMIT } = this.#options;
    if (bytes > limit)
      throw tooLarge(
        l10n.t`The download is larger than ${limit >= 2 ** 30 ? `${Math.round(limit / 2 ** 30)} GB` : l10n.t`${limit} bytes`}`,
      );
  }
}

/** Signal of one attempt: aborts with the caller's signal or after a minute without data. */
class StallTimeout {
  readonly #url: URL;
  readonly #options: DownloadOptions;
  readonly #timeout = new AbortController();
  readonly signal: AbortSignal;
  #timer: Disposable | undefined;

  constructor(url: URL, options: DownloadOptions) {
    this.#url = url;
    this.#options = options;
    this.signal = AbortSignal.any([options.signal, this.#timeout.signal]);
    this.restart();
  }

  restart(): void {
    this.stop();
    this.#timer = this.#options.clock.after(STALL_SECONDS * 1000, () => this.#timeout.abort());
  }
  stop(): void {
    this.#timer?.[Symbol.dispose]();
  }

  /** Converts a connection error of the system or of fetch to a retryable error. */
  reasonFor(error: unknown, answered: boolean): unknown {
    if (error instanceof InstallError || error instanceof RetryableError || this.#options.signal.aborted) return error;
    if (this.#timeout.signal.aborted) return new RetryableError(stalled(this.#url, STALL_SECONDS), { cause: error });
    const known = explained(error);
    if (known instanceof InstallError) return known;
    return new RetryableError(answered ? installInterrupted(this.#url, error) : unreachable(this.#url, error), {
      cause: error,
    });
  }
}

/** A weak ETag identifies equivalent content, not equal bytes. */
function validatorOf({ headers }: Response): string | undefined {
  const etag = headers.get("etag");
  return etag !== null && !etag.startsWith("W/") ? etag : (headers.get("last-modified") ?? undefined);
}

async function* bodyOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body) for await (const chunk of body as AsyncIterable<unknown>) if (chunk instanceof Uint8Array) yield chunk;
}

async function discardBody({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => undefined);
}
