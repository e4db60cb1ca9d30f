/**
 * The three published dialects in which a conductor initialises a proxy, and the order in which they are tried. Pure.
 *
 *   `_proxy`   sacp, Rust SDK 2 and 3             `_proxy/initialize`, `_proxy/successor`
 *   `proxy`    ACP schema, Rust SDK 5             `proxy/initialize`, `proxy/successor`
 *   `meta`     first drafts, @thinkwell/conductor `initialize` with `_meta.proxy`,
 *                                                 `_proxy/successor/request`, `_proxy/successor/notification`
 */
import { PROXY_DIALECTS, type ProxyDialect } from "../acp/methods";
import { Frame } from "../rpc/frame";
import { objectOr, type JsonObject } from "../rpc/json";
import type { Request } from "../rpc/message";
import { withVersion } from "./protocol-version";

/**
 * `_proxy/initialize` is tried first, because its underscore marks an extension method, to which every implementation
 * of ACP must respond. Several older programs exit or do not respond when they receive `proxy/initialize`.
 */
export const DIALECTS: readonly ProxyDialect[] = ["_proxy", "proxy", "meta"];

/** One attempt to initialise a proxy. */
export interface Attempt {
  readonly dialect: ProxyDialect;
  readonly version: number;
}

/** Returns the attempts for a chain of this version, the cached dialect first. The first drafts have only version 1. */
export function attemptsFor(version: number, cached: ProxyDialect | undefined): readonly [Attempt, ...Attempt[]] {
  const dialects = cached === undefined ? DIALECTS : [cached, ...DIALECTS.filter(dialect => dialect !== cached)];
  const attempts = dialects.flatMap((dialect): readonly Attempt[] => {
    if (dialect === "meta" || version === 1) return [{ dialect, version: 1 }];
    return [
      { dialect, version },
      { dialect, version: 1 },
    ];
  });
  const [first = { dialect: "_proxy", version }, ...rest] = attempts;
  return [first, ...rest];
}

/** Returns the request that replaces `initialize` on the proxy's connection. */
export function initializeFor({ dialect, version }: Attempt, ask: Frame, requestedVersion: unknown): Frame {
  const frame = version === requestedVersion ? ask : withVersion(ask, version);
  return dialect === "meta" ? withMark(frame) : frame.withMethod(PROXY_DIALECTS[dialect].initialize);
}

function withMark(frame: Frame): Frame {
  const request = frame.message as Request,
    params = objectOr(request.params);
  return Frame.of({ ...request, params: { ...params, _meta: { ...objectOr(params._meta), proxy: true } } });
}

/** Whether a result has the mark that a proxy of the first drafts must return. */
export function isMarked({ message }: Frame): boolean {
  return "result" in message && objectOr(objectOr(message.result)._meta).proxy === true;
}

/** Removes the mark, which is exchanged only between a conductor and its proxy. */
export function withoutMark(frame: Frame): Frame {
  const { message } = frame;
  if ("method" in message) return Frame.of({ ...message, params: unmarked(objectOr(message.params)) });
  return "result" in message ? Frame.of({ ...message, result: unmarked(objectOr(message.result)) }) : frame;
}

function unmarked({ _meta, ...rest }: JsonObject): JsonObject {
  const { proxy: _, ...kept } = objectOr(_meta);
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept };
}

/** The dialect of a program, cached while this process runs. */
export interface DialectMemory {
  dialect: ProxyDialect | undefined;
}

const MAX_PROGRAMS = 100;

/** Dialects by program. The least recently used program is evicted. */
export class DialectCache {
  readonly #programs = new Map<string, DialectMemory>();

  /** `program` is a unique key. */
  of(program: string): DialectMemory {
    const memory = this.#programs.get(program) ?? { dialect: undefined };
    this.#programs.delete(program);
    this.#programs.set(program, memory);
    const [oldest] = this.#programs.keys();
    if (this.#programs.size > MAX_PROGRAMS && oldest !== undefined) this.#programs.delete(oldest);
    return memory;
  }
}
