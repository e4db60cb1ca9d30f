/**
 * Access control of the endpoint, by the head of a request, before the body is read. Pure.
 *
 * The listener is on 127.0.0.1, which every process of every user of the machine can reach. With DNS rebinding, every
 * page in a browser can reach it too. A page cannot omit or choose `Host` and `Origin`. Another process does not have
 * the token. A `Host` of `localhost` is also rejected, because the published address contains the IP address.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { RpcCode } from "../../rpc/message";

export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Head {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export function refusal(status: number, message: string, headers?: Readonly<Record<string, string>>): Refusal {
  return { status, code: RpcCode.invalidRequest, message, ...(headers ? { headers } : {}) };
}

/** Adds `connection: close` to the refusal. */
export function closing(refused: Refusal): Refusal {
  return { ...refused, headers: { ...refused.headers, connection: "close" } };
}

/** Checks for the whole listener. Returns undefined if the request is allowed. */
export function guardRefusal({ headers: { host, origin } }: Head, port: number): Refusal | undefined {
  if (host !== `127.0.0.1:${port}`) return refusal(403, "The Host header does not name this endpoint.");
  if (origin !== undefined && origin !== `http://127.0.0.1:${port}`)
    return refusal(403, "Requests from this origin are not allowed.");
  return undefined;
}

export function hasToken({ headers: { authorization } }: Head, token: string): boolean {
  return isSame(authorization ?? "", `Bearer ${token}`);
}

/** Checks for one server, for requests with its token. */
export function refusedByServer(
  { method, headers: { "content-length": length } }: Head,
  bodyBytes: number,
): Refusal | undefined {
  if (method !== "POST" && method !== "GET" && method !== "DELETE")
    return refusal(405, "This method is not supported.", { allow: "POST, GET, DELETE" });
  if (Number(length ?? 0) > bodyBytes) return tooLarge(bodyBytes);
  return undefined;
}

export function tooLarge(bodyBytes: number): Refusal {
  return refusal(413, `A message can have at most ${bodyBytes} bytes.`);
}

/** Compares in constant time. The scheme of `Authorization` is case-insensitive. */
function isSame(actual: string, expected: string): boolean {
  const digest = (text: string): Buffer =>
    createHash("sha256")
      .update(text.replace(/^bearer +/i, "Bearer "))
      .digest();
  return timingSafeEqual(digest(actual), digest(expected));
}
