/** Sends a request over https only, also after redirects, without user data: no cookies, no keys. */
import { isLoopback, secureUrl } from "./secure-url";

const MAX_REDIRECTS = 5;

/** The reason why a request was not sent. `to` is the rejected address. */
export type RejectedAddress =
  | { readonly kind: "insecure"; readonly to: string }
  | { readonly kind: "redirects"; readonly maxRedirects: number };

/** Allows http on this computer if the request starts there. Rejects with the errors of `fetch`. */
export async function fetchSecurely(
  fetch: typeof globalThis.fetch,
  from: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response | RejectedAddress> {
  let url = from;
  for (let step = 0; step <= MAX_REDIRECTS; step++) {
    const response = await fetch(url.href, { headers, signal, redirect: "manual", credentials: "omit" }),
      location = response.headers.get("location");
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
    await response.body?.cancel().catch(() => undefined);
    const to = URL.canParse(location, url.href) ? new URL(location, url).href : location,
      next = secureUrl(to, { loopback: from.protocol === "http:" && isLoopback(from) });
    if (!next) return { kind: "insecure", to };
    url = next;
  }
  return { kind: "redirects", maxRedirects: MAX_REDIRECTS };
}
