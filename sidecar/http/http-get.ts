/**
 * A GET with the interface of `fetch`, based on Node's http module. Node's `fetch` is not used for large responses. If
 * a server closes its connection while data is unread, an assertion in a socket event ends the process. The error
 * cannot be caught (nodejs/undici#5360, fixed in undici 8; Node 24.21 contains 7.29).
 *
 * Invariants: no request body is sent, no redirect is followed, no connection is kept alive. A slow reader causes
 * back-pressure.
 */
import { Agent, request as overHttp, type IncomingMessage } from "node:http";
import { Agent as SecureAgent, request as overHttps } from "node:https";
import type { Readable, Transform } from "node:stream";
import { TLSSocket } from "node:tls";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

export type Fetch = typeof globalThis.fetch;

/**
 * Creates the agent for an address. Connections are not kept alive, because the server may close a connection at the
 * moment of reuse.
 */
export type AgentFactory = (url: URL) => Agent;

const withoutKeepAlive: AgentFactory = ({ protocol }) =>
  protocol === "https:" ? new SecureAgent({ keepAlive: false }) : new Agent({ keepAlive: false });

/**
 * Supports only the options `headers` and `signal`. Rejects like `fetch`: with the signal's reason, or with a
 * `TypeError` whose cause is the system's error.
 */
export function httpGet(connects: AgentFactory = withoutKeepAlive): Fetch {
  return async (input, { headers, signal } = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    signal?.throwIfAborted();
    const reason =
      (what: string) =>
      (cause: unknown): unknown =>
        signal?.aborted ? signal.reason : new TypeError(what, { cause });
    const answer = await respond(url, new Headers(headers), signal ?? undefined, connects(url)).catch(
      (cause: unknown) => {
        throw reason("fetch failed")(cause);
      },
    );
    try {
      // If a proxy does not connect, `https-proxy-agent` returns the proxy's own plain-text response, which could
      // redirect the request to any address.
      if (url.protocol === "https:" && !(answer.socket instanceof TLSSocket))
        throw new Error(`The proxy does not connect to ${url.host}: status ${answer.statusCode}.`);
      return responseOf(answer, reason("terminated"));
    } catch (cause) {
      answer.destroy();
      throw new TypeError("fetch failed", { cause });
    }
  };
}

function respond(url: URL, headers: Headers, signal: AbortSignal | undefined, agent: Agent): Promise<IncomingMessage> {
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? overHttps : overHttp;
    request(url, { method: "GET", headers: Object.fromEntries(headers), agent, ...(signal ? { signal } : {}) })
      .on("response", resolve)
      .on("error", reject)
      .end();
  });
}

/** Throws for an invalid status. */
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

/** Compressed responses are not requested, but some servers send them. */
function decoded(answer: IncomingMessage): Readable {
  const decoder = DECODERS.get(answer.headers["content-encoding"]?.toLowerCase() ?? "")?.();
  // Forwards errors to the reader. Without a listener, an error would end the process.
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
/** Proxy addresses. `not` is a list of hosts as in NO_PROXY. */

export interface Proxies {
  readonly http?: string;
  readonly https?: string;
  readonly not: string;
}
