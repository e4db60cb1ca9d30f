/** Reads bodies of HTTP requests within size and time limits, and responds to rejected requests. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../rpc/clock";
import { refusal, tooLarge, type Refusal } from "./http-guard";
import { RpcCode } from "../../rpc/message";

export type Body =
  | { readonly kind: "read"; readonly value: unknown }
  | { readonly kind: "refused"; readonly why: Refusal }
  /** The client closed the connection before the body was complete. */
  | { readonly kind: "gone" };

/**
 * Time in milliseconds during which a rejected body is discarded, so that its sender receives the response instead of a
 * reset.
 */
const DISCARD_MS = 10_000;

/** Reads a whole JSON body of at most `bytes`, within `ms`. */
export async function readBody(
  request: IncomingMessage,
  limit: { readonly bytes: number; readonly ms: number; readonly clock: Clock },
): Promise<Body> {
  const read = await collect(request, limit);
  if (read.kind !== "bytes") return read;
  try {
    return { kind: "read", value: JSON.parse(read.bytes.toString()) as unknown };
  } catch {
    return { kind: "refused", why: { ...refusal(400, "The body is not JSON."), code: RpcCode.parseError } };
  }
}

type Collected = { readonly kind: "bytes"; readonly bytes: Buffer } | Exclude<Body, { kind: "read" }>;

function collect(
  request: IncomingMessage,
  { bytes, ms, clock }: { readonly bytes: number; readonly ms: number; readonly clock: Clock },
): Promise<Collected> {
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (outcome: Collected): void => {
      timer[Symbol.dispose]();
      request.off("data", take).off("end", end).off("close", closed).off("error", closed).pause();
      request.on("error", () => undefined); // the request can still fail while its body is discarded
      resolve(outcome);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > bytes) done({ kind: "refused", why: tooLarge(bytes) });
      else chunks.push(chunk);
    };
    const end = (): void => done({ kind: "bytes", bytes: Buffer.concat(chunks) });
    const closed = (): void => done({ kind: "gone" });
    const timer = clock.after(ms, () =>
      done({ kind: "refused", why: refusal(408, "The message took too long to arrive.", { connection: "close" }) }),
    );
    request.on("data", take).on("end", end).on("close", closed).on("error", closed);
  });
}

/**
 * Responds, then discards the rest of the request for `DISCARD_MS` at most. A response that closes the connection ends
 * afterwards: a close while the sender writes would reset the connection and lose the response.
 */
export function refuse(request: IncomingMessage, response: ServerResponse, why: Refusal, clock: Clock): void {
  const body = bytesOf({ jsonrpc: "2.0", id: null, error: { code: why.code, message: why.message } });
  response.writeHead(why.status, jsonHeaders(body, why.headers)).write(body);
  const isComplete = request.complete || !hasBody(request);
  if (isComplete || why.headers?.["connection"] !== "close") response.end();
  if (isComplete) return;
  const discardTimer = clock.after(DISCARD_MS, () => request.destroy());
  const { socket } = request;
  const finish = (): void => {
    discardTimer[Symbol.dispose]();
    request.off("end", finish);
    socket.off("close", finish);
    response.end();
  };
  socket.once("close", finish); // after the response, the request no longer emits `close`
  request.once("end", finish).resume();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Serves a request to a closed server. An ended session returns 404 (MCP, "Session Management"). GET returns 405, so
 * that clients stop requesting an event stream. DELETE always succeeds.
 */
export function serveClosed(request: IncomingMessage, response: ServerResponse, clock: Clock): void {
  if (request.method === "DELETE") {
    response.writeHead(204).end();
    request.resume();
    return;
  }
  const why =
    request.method === "GET"
      ? refusal(405, "This MCP server is closed.", { allow: "POST, DELETE" })
      : refusal(404, "This MCP server is closed.");
  refuse(request, response, why, clock);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = bytesOf(value);
  response.writeHead(status, jsonHeaders(body, headers)).end(body);
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function jsonHeaders(
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string | number>> {
  return { ...headers, "content-type": "application/json", "content-length": body.length };
}
