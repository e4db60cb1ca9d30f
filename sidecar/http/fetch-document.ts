/**
 * Fetches one document, or another small file, without user data: no cookies, no keys, and only the required headers.
 * Every failure is a `RegistryError` with a sentence.
 *
 * Invariants:
 * - Only https or a connection within this computer is used, so that the data cannot be read or changed in transit.
 * - Memory use does not exceed the limit, even without a content length or with a compressed response.
 * - A document request ends after `TIMEOUT_MS` at the latest.
 */
import { redactText } from "../../src/protocol/redaction/redact";
import type { Clock } from "../rpc/clock";
import { secureUrl } from "./secure-url";
import { fetchSecurely } from "./secure-fetch";

export type RegistryErrorCode =
  | "offline"
  | "refused"
  | "tooLarge"
  | "slow"
  | "insecure"
  | "truncated"
  | "cancelled"
  | "wrong";

/** `message` is a sentence without the address. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  constructor(
    readonly code: RegistryErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(redactText(message), options);
  }
}

export interface FetchDeps {
  /** Entity tag of an earlier response: an unchanged document is not downloaded again. */
  readonly etag?: string | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  readonly version: string;
}

interface Fresh<T> {
  readonly kind: "fresh";
  readonly content: T;
  readonly etag: string | undefined;
}
interface Same {
  readonly kind: "same";
}
export type Fetched = (Omit<Fresh<string>, "content"> & { readonly text: string }) | Same;

export interface FetchLimits {
  /** Maximum size in bytes. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** The `accept` header. */
  readonly accept: string;
}

export const TIMEOUT_MS = 30_000,
  MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Throws `RegistryError`. */
export async function fetchDocument(address: string, deps: FetchDeps): Promise<Fetched> {
  const fetched = await fetchBytes(address, deps, {
    maxBytes: MAX_DOCUMENT_BYTES,
    timeoutMs: TIMEOUT_MS,
    accept: "application/json",
  });
  return fetched.kind === "same"
    ? fetched
    : { kind: "fresh", text: new TextDecoder().decode(fetched.content), etag: fetched.etag };
}

/** Throws `RegistryError`. */
export async function fetchBytes(
  address: string,
  { etag, signal, clock, fetch, version }: FetchDeps,
  { maxBytes, timeoutMs, accept }: FetchLimits,
): Promise<Fresh<Uint8Array> | Same> {
  const ended = new AbortController();
  using _ = clock.after(timeoutMs, () =>
    ended.abort(new RegistryError("slow", `The server did not respond within ${timeoutMs / 1000} seconds.`)),
  );
  const cancel = (): void => ended.abort(new RegistryError("cancelled", "It was cancelled."));
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const headers = {
    accept,
    "user-agent": `symposium/${version}`,
    ...(etag === undefined ? {} : { "if-none-match": etag }),
  };
  try {
    return await readResponse(await send(address, headers, ended.signal, fetch), etag, maxBytes);
  } catch (error) {
    // If the request was aborted here, throws the reason of the abort.
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    signal.removeEventListener("abort", cancel);
    ended.abort();
  }
}

async function send(
  address: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  fetch: FetchDeps["fetch"],
): Promise<Response> {
  const url = secureUrl(address, { loopback: true });
  const answer =
    url &&
    (await fetchSecurely(fetch, url, headers, signal).catch((cause: unknown) => {
      throw new RegistryError("offline", "The server could not be reached.", { cause });
    }));
  if (answer instanceof Response) return answer;
  if (answer?.kind === "redirects")
    throw new RegistryError("refused", `The server redirected more than ${answer.maxRedirects} times.`);
  throw new RegistryError("insecure", "The URL is not https, or redirects to a URL that is not https.");
}

async function readResponse(
  response: Response,
  requestEtag: string | undefined,
  maxBytes: number,
): Promise<Fresh<Uint8Array> | Same> {
  if (response.status === 304 && requestEtag !== undefined) return { kind: "same" };
  if (response.status !== 200) throw new RegistryError("refused", `The server returned status ${response.status}.`);
  const content = await bytesOf(response, maxBytes),
    etag = response.headers.get("etag");
  return { kind: "fresh", content, etag: etag !== null && isEtag(etag) ? etag : undefined };
}

/** Whether the tag can be sent back unchanged. */
export function isEtag(text: string): boolean {
  return /^(W\/)?"[\x21\x23-\x7E]{0,200}"$/.test(text);
}

async function bytesOf({ body, headers }: Response, maxBytes: number): Promise<Uint8Array> {
  if (Number(headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const all: Uint8Array[] = [];
  let bytes = 0;
  if (body)
    for await (const piece of pieces(body)) {
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      all.push(piece);
    }
  return Buffer.concat(all);
}

async function* pieces(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } catch (cause) {
    throw new RegistryError("truncated", "The connection closed before the download was complete.", { cause });
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

function tooLarge(maxBytes: number): RegistryError {
  const kilobytes = maxBytes / 1024;
  return new RegistryError(
    "tooLarge",
    `The document is larger than ${kilobytes < 1024 ? `${kilobytes} kilobytes` : `${kilobytes / 1024} megabytes`}.`,
  );
}
