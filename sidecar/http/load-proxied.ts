/** Sends requests through a proxy. Loaded only if the user has a proxy. */
import { HttpsProxyAgent } from "https-proxy-agent";
import { type Proxies, httpGet, type Fetch } from "./http-get";

/** Implements `ProxyDeps.load`. Uses one agent per request, because no connection is kept alive. */
export function loadProxied({ http, https }: Proxies): Fetch {
  const proxyFor = (protocol: string): string | undefined => (protocol === "https:" ? (https ?? http) : http);
  const direct = httpGet(),
    proxied = httpGet(({ protocol }) => new HttpsProxyAgent(proxyFor(protocol) ?? "", { keepAlive: false }));
  return (input, options) =>
    (proxyFor(new URL(input instanceof Request ? input.url : input).protocol) === undefined ? direct : proxied)(
      input,
      options,
    );
}
