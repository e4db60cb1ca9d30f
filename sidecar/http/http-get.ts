/**
 * A GET in the shape of `fetch`, over Node's own http. Node's `fetch` is not used for what may be large: where a server
 * closes its connection while what it sent still waits to be read, an assertion in an event of the socket ends the
 * whole process, and nobody can catch it (nodejs/undici#5360, mended in undici 8; Node 24.21 has 7.29 inside).
 *
 * Invariants: nothing is sent, no redirect is followed, no connection is kept; who reads slowly is waited for.
 */
import { Agent, request as overHttp, type IncomingMessage } from "node:http";
import { Agent as SecureAgent, request as overHttps } from "node:https";
import type { Readable, Transform } from "node:stream";
import { TLSSocket } from "node:tls";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

export type Fetch = typeof globalThis.fetch;

/** What connects to this address. A connection that was kept may be closed just when it is used again. */
export type Connects = (url: URL) => Agent;

const once: Connects = ({ protocol }) =>
  protocol === "https:" ? new SecureAgent({ keepAlive: false }) : new Agent({ keepAlive: false });

/**
 * Of the options `headers` and `signal` count. Rejects as `fetch` does: with the signal's reason, or a `TypeError`
 * whose cause is the system's error.
 */
export function httpGet(connects: Connects = once): Fetch {
  return async (input, { headers, signal } = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    signal?.throwIfAborted();
    const said =
      (what: string) =>
      (cause: unknown): unknown =>
        signal?.aborted ? signal.reason : new TypeError(what, { cause });
    const answer = await asked(url, new Headers(headers), signal ?? undefined, connects(url)).catch(
      (cause: unknown) => {
        throw said("fetch failed")(cause);
      },
    );
    try {
      // A proxy that does not connect answers by itself, in the clear, and `https-proxy-agent` hands that on: it could
      // send us anywhere.
      if (url.protocol === "https:" && !(answer.socket instanceof TLSSocket))
        throw new Error(`The proxy does not connect to ${url.host}: status ${answer.statusCode}.`);
      return responseOf(answer, said("terminated"));
    } catch (cause) {
      answer.destroy();
      throw new TypeError("fetch failed", { cause });
    }
  };
}

function asked(url: URL, headers: Headers, signal: AbortSignal | undefined, agent: Agent): Promise<IncomingMessage> {
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? overHttps : overHttp;
    request(url, { method: "GET", headers: Object.fromEntries(headers), agent, ...(signal ? { signal } : {}) })
      .on("response", resolve)
      .on("error", reject)
      .end();
  });
}

/** Throws for a status that no answer can have. */
function responseOf(answer: IncomingMessage, broken: (cause: unknown) => unknown): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = answer;
  const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  if (![204, 205, 304].includes(status))
    return new Response(streamOf(answer, decoded(answer), broken), { status, statusText, headers });
  answer.resume();
  return new Response(null, { status, statusText, headers });
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** Nobody asked for a compressed answer; some give one all the same. */
function decoded(answer: IncomingMessage): Readable {
  const decoder = DECODERS.get(answer.headers["content-encoding"]?.toLowerCase() ?? "")?.();
  // Whoever reads is told; while nobody does, an error that nobody listens to would end the process.
  answer.on("error", error => decoder?.destroy(error));
  return decoder ? answer.pipe(decoder).on("error", () => answer.destroy()) : answer;
}

function streamOf(
  answer: IncomingMessage,
  body: Readable,
  broken: (cause: unknown) => unknown,
): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<unknown> = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        const { done, value } = await chunks.next().catch((cause: unknown) => {
          throw broken(cause);
        });
        if (done) controller.close();
        else if (value instanceof Uint8Array) controller.enqueue(value);
      },
      cancel: () => {
        answer.destroy();
        if (body !== answer) body.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
/** Addresses; `not`: a list of hosts as in NO_PROXY. */

export interface Proxies {
  readonly http?: string;
  readonly https?: string;
  readonly not: string;
}
