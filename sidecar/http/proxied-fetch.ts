/**
 * `fetch` through the user's proxy: the proxy of the login shell (HTTPS_PROXY, HTTP_PROXY, NO_PROXY, in upper or lower
 * case), otherwise the editor's (`http.proxy`). Node itself ignores proxy settings in all supported versions.
 *
 * Invariants: without a proxy, no proxy module is loaded. Requests to this computer never use a proxy.
 */
import { isLoopback } from "./secure-url";
import type { Fetch, Proxies } from "./http-get";
import type { Environment } from "../process/login-shell-environment";

export interface ProxyDeps {
  /** The environment of the login shell. */
  readonly environment: () => Promise<Environment>;
  /** The editor's proxy; empty if there is none. */
  readonly editor: string;
  readonly direct: Fetch;
  /** Creates a `fetch` that uses these proxies. Defaults to CONNECT. */
  readonly load?: (proxies: Proxies) => Promise<Fetch>;
  /** `proxy` does not contain the user's name and password. */
  readonly log: (level: "info" | "warn", message: string, detail: { readonly proxy: string }) => void;
}

export function proxiedFetch({ environment, editor, direct, load = loadProxied, log }: ProxyDeps): Fetch {
  let loading: Promise<(url: URL) => Fetch> | undefined;
  const choose = async (): Promise<(url: URL) => Fetch> => {
    const { proxies, wrong } = proxiesIn(await environment(), editor),
      proxy = proxies.https ?? proxies.http;
    for (const item of wrong)
      log("warn", "A proxy in the environment has no http or https URL and is ignored", {
        proxy: withoutUser(item),
      });
    if (proxy === undefined) return () => direct;
    log("info", "Registry and downloads go through a proxy", { proxy: withoutUser(proxy) });
    try {
      const proxied = await load(proxies);
      return url => (isExcepted(url, proxies.not) ? direct : proxied);
    } catch {
      log("warn", "The proxy is unusable; downloads do not use it", { proxy: withoutUser(proxy) });
      return () => direct;
    }
  };
  return async (input, options) => {
    const url = new URL(input instanceof Request ? input.url : input),
      fetch = isLoopback(url) ? direct : (await (loading ??= choose()))(url);
    return fetch(input, options);
  };
}

async function loadProxied(proxies: Proxies): Promise<Fetch> {
  return (await import("./load-proxied")).loadProxied(proxies);
}

/**
 * `not` lists hosts, including their subdomains, as `example.com`, `.example.com`, `*.example.com` or with a port,
 * separated by commas or spaces; `*` matches all hosts. Same rules as curl.
 */
export function isExcepted({ protocol, hostname, port }: URL, not: string): boolean {
  const host = hostname.replace(/\.$/, ""),
    at = port || (protocol === "https:" ? "443" : "80");
  return not
    .toLowerCase()
    .split(/[\s,]+/)
    .some(item => {
      const [, name = "", only] = /^(.*?)(?::(\d+))?$/.exec(item) ?? [],
        domain = name.replace(/^\*?\./, "");
      return (
        item === "*" ||
        (domain !== "" && (only === undefined || only === at) && (host === domain || host.endsWith(`.${domain}`)))
      );
    });
}

/**
 * Lower-case names have precedence, as in curl and other programs. Uses the first value that is a valid proxy address;
 * `wrong` lists the invalid ones.
 */
export function proxiesIn(
  env: Environment,
  editor: string,
): { readonly proxies: Proxies; readonly wrong: readonly string[] } {
  const named = (name: string): readonly string[] =>
    [env[name.toLowerCase()], env[name]].flatMap(value =>
      value === undefined || value.trim() === "" ? [] : [value.trim()],
    );
  const fallbacks = [...named("ALL_PROXY"), ...(editor === "" ? [] : [editor])],
    ofHttps = [...named("HTTPS_PROXY"), ...fallbacks],
    ofHttp = [...named("HTTP_PROXY"), ...fallbacks];
  const https = ofHttps.find(isProxy),
    http = ofHttp.find(isProxy);
  return {
    proxies: {
      ...(http === undefined ? {} : { http }),
      ...(https === undefined ? {} : { https }),
      not: named("NO_PROXY")[0] ?? "",
    },
    wrong: [...new Set([...ofHttps, ...ofHttp])].filter(item => !isProxy(item)),
  };
}

function isProxy(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol) && isDecodable(new URL(address));
}

/** A literal “%”, for example in a password, makes decoding fail. */
function isDecodable({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/** For the log. An invalid address may contain secrets and is not logged. */
function withoutUser(address: string): string {
  return (URL.canParse(address) && new URL(address).host) || "?";
}
