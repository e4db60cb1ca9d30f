/** The part that speaks to proxies; loaded by those who have one. */
import { HttpsProxyAgent } from "https-proxy-agent";
import { type Proxies, httpGet, type Fetch } from "./http-get";

/** As `ProxyDeps.load`. One agent for each request: none keeps a connection. */
export function loadProxied({ http, https }: Proxies): Fetch {
  const proxyFor = (protocol: string): string | undefined => (protocol === "https:" ? (https ?? http) : http);
  const straight = httpGet(),
    through = httpGet(({ protocol }) => new HttpsProxyAgent(proxyFor(protocol) ?? "", { keepAlive: false }));
  return (input, options) =>
    (proxyFor(new URL(input instanceof Request ? input.url : input).protocol) === undefined ? straight : through)(
      input,
      options,
    );
}
