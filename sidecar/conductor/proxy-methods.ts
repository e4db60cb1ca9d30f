/**
 * Rejects misplaced proxy methods, in the spelling of every dialect. Proxy methods are valid only between a conductor
 * and its own proxies, where `proxyHop` unwraps the envelopes.
 *
 * Invariant: a proxy method that arrives from a client, from an agent or inside another envelope is never forwarded. No
 * component can therefore forge a message of another component's successor. Such requests are rejected, and such
 * notifications are dropped.
 */
import type { Channel } from "../rpc/channel";
import type { Frame } from "../rpc/frame";
import { failure } from "../rpc/hop";
import { RpcCode, type RpcErrorObject } from "../rpc/message";
import { pass } from "./stage";
import { PROXY_DIALECTS, PROXY_METHODS } from "../acp/methods";

const PROXY_METHOD = /^_?proxy\/(initialize|successor(\/(request|notification))?)$/;

const LETTER_P = 0x70,
  UNDERSCORE = 0x5f;

/** Called for every message, so the cheapest test is first. */
export function isProxyMethod(method: string): boolean {
  const first = method.charCodeAt(0);
  return (first === LETTER_P || first === UNDERSCORE) && PROXY_METHOD.test(method);
}

export function isProxyInitialize(method: string): boolean {
  return method === PROXY_METHODS.proxy_initialize || method === PROXY_DIALECTS._proxy.initialize;
}

/** Returns the error for a proxy method on a connection that does not allow proxy methods. */
export function misplaced(method: string): RpcErrorObject {
  const message = `“${method}” is exchanged between a conductor and its own proxies only.`;
  return { code: RpcCode.invalidRequest, message };
}

/**
 * Returns the error for a method that an older proxy forwards to its successor. When the proxy returns this error, the
 * conductor tries another dialect.
 */
export function unknownToSuccessor(method: string): RpcErrorObject {
  if (!isProxyInitialize(method)) return misplaced(method);
  return { code: RpcCode.methodNotFound, message: `“${method}” is not a method of a successor.` };
}

export interface ProxyMethodGuard {
  /** Defaults to `misplaced`. */
  readonly error?: (method: string) => RpcErrorObject;
  /** Logs the rejected method. */
  readonly onWarning: (what: string, detail: unknown) => void;
}

/** Wraps a channel and rejects proxy methods that arrive on it. */
export function withoutProxyMethods(channel: Channel, guard: ProxyMethodGuard): Channel {
  return {
    start: receiver =>
      channel.start({
        receive: frame => (isAllowed(frame) ? receiver.receive(frame) : reject(frame, channel, guard)),
        closed: reason => receiver.closed(reason),
      }),
    send: frame => channel.send(frame),
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}

function isAllowed({ envelope }: Frame): boolean {
  return envelope.kind === "response" || !isProxyMethod(envelope.method);
}

/** Rejects a request and drops a notification. */
export function reject({ envelope }: Frame, back: Channel, guard: ProxyMethodGuard): void | Promise<void> {
  const { onWarning, error = misplaced } = guard;
  if (envelope.kind === "response") return;
  onWarning("a proxy method on a connection that has none", envelope.method);
  if (envelope.kind === "request") return pass(failure(Number(envelope.id), error(envelope.method)), back);
}
