/**
 * `fetch` through the user's proxy: the one that the login shell names (HTTPS_PROXY, HTTP_PROXY, NO_PROXY, in both
 * spellings), else the editor's own (`http.proxy`). Node by itself goes straight to the network in all the versions
 * that we run on.
 *
 * Invariants: who has no proxy loads nothing for it; this computer is never asked through one.
 */
import { isLoopback } from "./address";
import type { Fetch, Proxies } from "./http-get";
import type { Environment } from "../process/login-shell-environment";

export interface ProxyDeps {
  /** The login shell's. */
  readonly environment: () => Promise<Environment>;
  /** The editor's proxy; empty: it has none. */
  readonly editor: string;
  readonly direct: Fetch;
  /** `fetch` through what it is given; over CONNECT unless given. */
  readonly load?: (proxies: Proxies) => Promise<Fetch>;
  /** `proxy`: without the user's name and password. */
  readonly log: (level: "info" | "warn", message: string, detail: { readonly proxy: string }) => void;
}

export function proxiedFetch({ environment, editor, direct, load = loadProxied, log }: ProxyDeps): Fetch {
  let loading: Promise<(url: URL) => Fetch> | undefined;
  const choose = async (): Promise<(url: URL) => Fetch> => {
    const { proxies, wrong } = proxiesIn(await environment(), editor),
      proxy = proxies.https ?? proxies.http;
    for (const one of wrong)
      log("warn", "A proxy of the environment is no http or https address, and is not used", {
        proxy: withoutUser(one),
      });
    if (proxy === undefined) return () => direct;
    log("info", "Registry and downloads go through a proxy", { proxy: withoutUser(proxy) });
    try {
      const proxied = await load(proxies);
      return url => (isExcepted(url, proxies.not) ? direct : proxied);
    } catch {
      log("warn", "The proxy cannot be used, and what is fetched goes without one", { proxy: withoutUser(proxy) });
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
 * `not`: hosts with all below them, as `example.com`, `.example.com`, `*.example.com` or with a port, after commas or
 * spaces; `*`: all. As curl has it.
 */
export function isExcepted({ protocol, hostname, port }: URL, not: string): boolean {
  const host = hostname.replace(/\.$/, ""),
    at = port || (protocol === "https:" ? "443" : "80");
  return not
    .toLowerCase()
    .split(/[\s,]+/)
    .some(one => {
      const [, name = "", only] = /^(.*?)(?::(\d+))?$/.exec(one) ?? [],
        below = name.replace(/^\*?\./, "");
      return (
        one === "*" ||
        (below !== "" && (only === undefined || only === at) && (host === below || host.endsWith(`.${below}`)))
      );
    });
}

/**
 * Small letters first, as curl and others have it; of what is named the first that is an address of one. `wrong`: those
 * that are none.
 */
export function proxiesIn(
  env: Environment,
  editor: string,
): { readonly proxies: Proxies; readonly wrong: readonly string[] } {
  const named = (name: string): readonly string[] =>
    [env[name.toLowerCase()], env[name]].flatMap(value =>
      value === undefined || value.trim() === "" ? [] : [value.trim()],
    );
  const others = [...named("ALL_PROXY"), ...(editor === "" ? [] : [editor])],
    ofHttps = [...named("HTTPS_PROXY"), ...others],
    ofHttp = [...named("HTTP_PROXY"), ...others];
  const https = ofHttps.find(isProxy),
    http = ofHttp.find(isProxy);
  return {
    proxies: {
      ...(http === undefined ? {} : { http }),
      ...(https === undefined ? {} : { https }),
      not: named("NO_PROXY")[0] ?? "",
    },
    wrong: [...new Set([...ofHttps, ...ofHttp])].filter(one => !isProxy(one)),
  };
}

function isProxy(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol) && isDecodable(new URL(address));
}

/** A “%” that stands for itself, in a password, say, is an error to whoever decodes it. */
function isDecodable({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/** For the log. What is no address could be anything. */
function withoutUser(address: string): string {
  return (URL.canParse(address) && new URL(address).host) || "?";
}
