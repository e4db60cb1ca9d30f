/**
 * One request of the stateless MCP revision over HTTP (2026-07-28, "Streamable HTTP"). A POST is answered with JSON, or
 * with a stream if a notification precedes the response. Closing the response cancels the request.
 *
 * The SDK's transport supports only earlier revisions. Headers that mirror the body are compared if present, and are
 * optional: no intermediary of a loopback connection routes by them.
 */
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { errorMessage } from "../../../src/protocol/wire/errors";
import type { Clock } from "../../rpc/clock";
import { isObject, objectOr, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError, type Id } from "../../rpc/message";
import { sendJson } from "./http-body";
import { KEEP_ALIVE_MS } from "./response-writer";
import { assertStatelessMeta, McpCode, Meta, metaOf, type StatelessServer } from "../revision";
import { isId } from "../transport";
import { MCP_METHODS } from "../methods";

const BACKLOG_BYTES = 16 * 1024 * 1024;

/**
 * Resolves when the request is answered. If `ends` aborts, the request fails immediately and a later result is ignored.
 */
export async function serveStateless(
  headers: IncomingHttpHeaders,
  response: ServerResponse,
  body: JsonObject,
  { server, clock, ends }: StatelessService,
): Promise<void> {
  const { id, method } = body,
    params = objectOr(body.params);
  if (typeof method !== "string" || !isId(id))
    return sendJson(
      response,
      400,
      failed(null, new RpcError(RpcCode.invalidRequest, "A request with a method and an id is expected.")),
    );
  const stops = new AbortController(),
    stream = new Stream(response, clock),
    requestId = randomUUID();
  const answer = (status: number, message: JsonObject): void => {
    if (!stops.signal.aborted && !stream.end(message)) sendJson(response, status, message);
    stops.abort();
  };
  const ended = (): void => answer(200, failed(id, new RpcError(McpCode.unavailable, "The MCP server is closed.")));
  response.once("close", () => stops.abort());
  ends.addEventListener("abort", ended, { once: true });
  const notification = (name: string, notificationParams: unknown): void => {
    if (!stops.signal.aborted)
      stream.write({ jsonrpc: "2.0", method: name, params: withClientId(notificationParams, requestId, id) });
  };
  try {
    assertStatelessMeta(params);
    assertHeaders(headers, method, params);
    const result = await server.request(method, params, { requestId, signal: stops.signal, notification });
    answer(200, { jsonrpc: "2.0", id, result: withClientId(result, requestId, id) });
  } catch (error) {
    answer(statusOf(error), failed(id, error));
  } finally {
    ends.removeEventListener("abort", ended);
  }
}

export interface StatelessService {
  readonly server: StatelessServer;
  readonly clock: Clock;
  readonly ends: AbortSignal;
}

/** Server-sent events. The first event starts the response. */
class Stream {
  #alive: Disposable | undefined;
  constructor(
    private readonly response: ServerResponse,
    private readonly clock: Clock,
  ) {}

  write(message: JsonObject): void {
    if (this.response.writableLength > BACKLOG_BYTES) this.response.destroy(); // the client does not read
    if (this.response.destroyed) return;
    if (!this.response.headersSent) this.#begin();
    this.response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  /** Returns false if no event was written before. */
  end(message: JsonObject): boolean {
    if (!this.response.headersSent) return false;
    this.write(message);
    this.response.end();
    return true;
  }

  #begin(): void {
    this.response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    const beat = (): void => {
      this.response.write(": keepalive\n\n");
      this.#alive = this.clock.after(KEEP_ALIVE_MS, beat);
    };
    this.#alive = this.clock.after(KEEP_ALIVE_MS, beat);
    this.response.once("close", () => this.#alive?.[Symbol.dispose]());
  }
}

function assertHeaders(headers: IncomingHttpHeaders, method: string, params: JsonObject): void {
  const name =
    method === MCP_METHODS.resources_read
      ? params.uri
      : method === MCP_METHODS.tools_call || method === MCP_METHODS.prompts_get
        ? params.name
        : undefined;
  const mirrored = {
    "mcp-protocol-version": metaOf(params)[Meta.version],
    "mcp-method": method,
    ...(name === undefined ? {} : { "mcp-name": name }),
  };
  for (const [header, value] of Object.entries(mirrored)) {
    const actual = headers[header];
    if (actual !== undefined && decoded(actual) !== value)
      throw new RpcError(McpCode.headerMismatch, `The header ${header} does not match the body.`);
  }
}

/** Decodes non-ASCII values, which are sent as `=?base64?…?=` (MCP 2026-07-28, "Value Encoding"). */
function decoded(header: string | string[]): string {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(String(header))?.[1];
  return encoded === undefined ? String(header) : Buffer.from(encoded, "base64").toString();
}

/** Replaces the internal request id with the client's id. A subscription has the id of the request that opened it. */
function withClientId(value: unknown, requestId: string, id: Id): unknown {
  if (!isObject(value) || metaOf(value)[Meta.subscription] === undefined) return value;
  const subscription = metaOf(value)[Meta.subscription];
  return { ...value, _meta: { ...metaOf(value), [Meta.subscription]: subscription === requestId ? id : subscription } };
}

function statusOf(error: unknown): number {
  if (!(error instanceof RpcError)) return 200;
  if (error.code === RpcCode.methodNotFound) return 404;
  return error.code === McpCode.headerMismatch ||
    error.code === McpCode.unsupportedVersion ||
    error.code === RpcCode.invalidParams
    ? 400
    : 200;
}

function failed(id: Id | null, error: unknown): JsonObject {
  const { code, message, data } =
    error instanceof RpcError ? error : new RpcError(RpcCode.internalError, errorMessage(error));
  return {
    jsonrpc: "2.0",
    ...(id === null ? {} : { id }),
    error: { code, message, ...(data === undefined ? {} : { data }) },
  };
}
