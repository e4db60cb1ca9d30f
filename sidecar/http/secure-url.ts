/** Addresses of the registries, and the rules for addresses that may be fetched. Pure. */

/** The address in the registry's own documentation, then the address in our documents as a fallback. */
export const REGISTRY_ADDRESSES: readonly [first: string, ...others: string[]] = [
  "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json",
  "https://github.com/agentclientprotocol/registry/releases/latest/download/registry.json",
];

/**
 * Accepts https and, if `loopback` allows it, http on this computer, where the traffic cannot be intercepted. Rejects
 * an address with a user name or password, because addresses are written to a cache and a log.
 */
export function secureUrl(text: string, { loopback }: { readonly loopback: boolean }): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username !== "" || url.password !== "") return undefined;
  return url.protocol === "https:" || (loopback && url.protocol === "http:" && isLoopback(url)) ? url : undefined;
}

/** Compares the name only; no DNS lookup. */
export function isLoopback({ hostname }: Pick<URL, "hostname">): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/** Whether a document from this address may contain addresses of this computer. */
export function isFromLoopback(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url));
}
