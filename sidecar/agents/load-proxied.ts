/** The part that speaks to proxies; loaded by those who have one. */
import { EnvHttpProxyAgent, fetch } from "undici";
import type { Fetch, Proxies } from "./proxied-fetch";

/** As `ProxyWorld.load`. What we fetch is asked for, and nothing is sent: of the options only those of a GET count. */
export function loadProxied({ http, https, not }: Proxies): Fetch {
  // The empty string is none; without it the variables of this process would count.
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: http ?? "", httpsProxy: https ?? http ?? "", noProxy: not });
  return async (input, { headers, signal, redirect = "follow" } = {}) => {
    const { body, status, headers: theirs } = await fetch(input instanceof Request ? input.url : input, { dispatcher, redirect, credentials: "omit", signal: signal ?? null, headers: Object.fromEntries(new Headers(headers)) });
    return new Response(body && ofNode(body), { status, headers: [...theirs] });
  };
}

/** undici's classes are not those of Node's own `fetch`, which callers know. */
function ofNode(body: ReadableStreamOf): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    pull: async controller => {
      const { done, value }: { done: boolean; value?: unknown } = await reader.read();
      if (done) controller.close();
      else if (value instanceof Uint8Array) controller.enqueue(value);
      else throw new TypeError("A body is bytes.");
    },
    cancel: reason => reader.cancel(reason),
  });
}

type ReadableStreamOf = NonNullable<Awaited<ReturnType<typeof fetch>>["body"]>;
