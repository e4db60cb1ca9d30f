/**
 * Who may speak to the endpoint, decided from the head of a request alone, before any of its body is read. Pure.
 *
 * The listener is on 127.0.0.1, where every process of every user of the machine reaches it, and, through a name that
 * is made to point there (DNS rebinding), every page in a browser. A page cannot leave `Host` and `Origin` out or
 * choose them; another process does not know the token. `localhost` is refused as a `Host` too: the address that was
 * handed out has the number.
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

/** The same, and the connection ends with it. */
export function closing(refused: Refusal): Refusal {
  return { ...refused, headers: { ...refused.headers, connection: "close" } };
}

/** What holds for the whole listener. Undefined: come in. */
export function refusedAtGate({ headers: { host, origin } }: Head, port: number): Refusal | undefined {
  if (host !== `127.0.0.1:${port}`) return refusal(403, "The Host header does not name this endpoint.");
  if (origin !== undefined && origin !== `http://127.0.0.1:${port}`)
    return refusal(403, "Requests from this origin are not served.");
  return undefined;
}

export function hasToken({ headers: { authorization } }: Head, token: string): boolean {
  return isSame(authorization ?? "", `Bearer ${token}`);
}

/** The rules of one server, for requests with its token. */
export function refusedAtDoor(
  { method, headers: { "content-length": length } }: Head,
  bodyBytes: number,
): Refusal | undefined {
  if (method !== "POST" && method !== "GET" && method !== "DELETE")
    return refusal(405, "This method is not served.", { allow: "POST, GET, DELETE" });
  if (Number(length ?? 0) > bodyBytes) return tooLarge(bodyBytes);
  return undefined;
}

export function tooLarge(bodyBytes: number): Refusal {
  return refusal(413, `A message may have ${bodyBytes} bytes at most.`);
}

/** Takes the same time for every guess. The scheme of `Authorization` may be written in any case. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer =>
    createHash("sha256")
      .update(text.replace(/^bearer +/i, "Bearer "))
      .digest();
  return timingSafeEqual(digest(given), digest(expected));
}
