/** Where registries are, and which addresses may be fetched from at all. Pure. */

/** That of the registry's own documentation, then that of our documents, which is asked where the first one fails. */
export const REGISTRY_ADDRESSES: readonly [first: string, ...others: string[]] = [
  "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json",
  "https://github.com/agentclientprotocol/registry/releases/latest/download/registry.json",
];

/**
 * https; where `loopback` allows it, also http from this computer, which nobody can listen in on. An address that
 * carries a name and a password is none: it would be written into a cache and a log.
 */
export function secureUrl(text: string, { loopback }: { readonly loopback: boolean }): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username !== "" || url.password !== "") return undefined;
  return url.protocol === "https:" || (loopback && url.protocol === "http:" && isLoopback(url)) ? url : undefined;
}

/** By the name alone: nothing is looked up. */
export function isLoopback({ hostname }: Pick<URL, "hostname">): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/** Whether what is read from there may name addresses of this computer, too. */
export function isFromLoopback(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url));
}
