/**
 * Proxy methods, in the spelling of every published generation. Only a conductor and its own proxies exchange them,
 * each pair on its own connection, where `proxyHop` unwraps the envelopes.
 *
 * Invariant: a proxy method that arrives from a client, from an agent or inside another envelope is never forwarded. No
 * component can therefore forge a message of another component's successor. Requests are answered with an error;
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

/** Called for every message. The first test is the cheapest and rejects almost all of them. */
export function isProxyMethod(method: string): boolean {
  const first = method.charCodeAt(0);
  return (first === LETTER_P || first === UNDERSCORE) && PROXY_METHOD.test(method);
}

export function isProxyInitialize(method: string): boolean {
  return method === PROXY_METHODS.proxy_initialize || method === PROXY_DIALECTS._proxy.initialize;
}

/** The error for a proxy method on a connection that does not allow any. */
export function misplaced(method: string): RpcErrorObject {
  const message = `“${method}” is exchanged between a conductor and its own proxies only.`;
  return { code: RpcCode.invalidRequest, message };
}

/**
 * The error for proxies that predate the method and forward it to their successor. They return it, and the conductor
 * tries another spelling.
 */
export function unknownToSuccessor(method: string): RpcErrorObject {
  if (!isProxyInitialize(method)) return misplaced(method);
  return { code: RpcCode.methodNotFound, message: `“${method}” is not a method of a successor.` };
}

export interface ProxyMethodGuard {
  /** Defaults to `misplaced`. */
  readonly error?: (method: string) => RpcErrorObject;
  /** Logs what was rejected. */
  readonly onWarning: (what: string, detail: unknown) => void;
}

/** The same channel with the proxy methods of the other side rejected. */
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

/** Answers a request with an error; drops a notification. */
export function reject({ envelope }: Frame, back: Channel, guard: ProxyMethodGuard): void | Promise<void> {
  const { onWarning, error = misplaced } = guard;
  if (envelope.kind === "response") return;
  onWarning("a proxy method on a connection that has none", envelope.method);
  if (envelope.kind === "request") return pass(failure(Number(envelope.id), error(envelope.method)), back);
}
