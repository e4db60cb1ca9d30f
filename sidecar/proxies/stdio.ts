/**
 * Runs a proxy as a standalone program on stdin and stdout, for any conductor. Messages for its successor are in
 * envelopes.
 *
 * A conductor initialises a proxy with `proxy/initialize` (in older drafts `_proxy/initialize`). The proxy and the
 * components behind it receive `initialize` instead. Envelopes use the conductor's spelling.
 */
import type { Readable, Writable } from "node:stream";
import type { Channel } from "../rpc/channel";
import type { Frame } from "../rpc/frame";
import { countingIds, proxyHop, type ProxyHop } from "../rpc/hop";
import { ndjsonChannel } from "../rpc/ndjson-channel";
import { serveProxy, type Served } from "./serve-proxy";
import type { ProxyDefinition } from "./proxy";
import { AGENT_METHODS, PROXY_DIALECTS, PROXY_METHODS } from "../acp/methods";

export interface StdioOptions {
  readonly input?: Readable;
  readonly output?: Writable;
  /** Receives log entries. Defaults to stderr. */
  readonly onWarning?: (what: string, detail: unknown) => void;
}

/** Runs until the input ends or the result is disposed. */
export function serveProxyOnStdio(definition: ProxyDefinition, options: StdioOptions = {}): Served {
  const { input = process.stdin, output = process.stdout, onWarning = logToStderr } = options,
    ids = countingIds();
  const channel = ndjsonChannel(input, output, { garbage: (line, why) => onWarning(why, line) });
  const hop = proxyHop(channel, { ids, onWarning });
  return serveProxy(definition, withInitialize(hop), hop.wrapped, ids, { onWarning });
}

function withInitialize(hop: ProxyHop): Channel {
  const client = hop.plain;
  const renamed = (frame: Frame): Frame => {
    const { envelope } = frame;
    if (
      envelope.kind !== "request" ||
      (envelope.method !== PROXY_METHODS.proxy_initialize && envelope.method !== PROXY_DIALECTS._proxy.initialize)
    )
      return frame;
    hop.spell(envelope.method === PROXY_METHODS.proxy_initialize ? "proxy" : "_proxy");
    return frame.withMethod(AGENT_METHODS.initialize);
  };
  return {
    start: receiver =>
      client.start({ receive: frame => receiver.receive(renamed(frame)), closed: reason => receiver.closed(reason) }),
    send: frame => client.send(frame),
    drained: () => client.drained(),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

function logToStderr(what: string, detail: unknown): void {
  process.stderr.write(`${what}: ${detail instanceof Error ? String(detail.stack) : JSON.stringify(detail)}\n`);
}
