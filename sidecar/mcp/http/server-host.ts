/**
 * One server of the endpoint: its address and token, and the MCP sessions of its clients.
 *
 * Invariants:
 * - Each session has one connection to the server.
 * - Above `MAX_SESSIONS` sessions, the least recently used idle session is closed.
 * - When the host is closed, all its sessions are closed and every request is rejected.
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { knownSecrets } from "../../../src/protocol/redaction/redact";
import type { Clock } from "../../rpc/clock";
import { isObject, type JsonObject } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import { refuse, sendJson } from "./http-body";
import { refusal } from "./http-guard";
import { HttpSession } from "./http-session";
import { serveStateless } from "./http-stateless";
import type { OnWarning } from "../acp-link";
import type { DeclaredServer } from "../declared-servers";
import { CLASSIC_REVISIONS, isStateless } from "../revision";
import { isId } from "../transport";
import { MCP_METHODS } from "../methods";

/** Maximum number of sessions. Some agents start a session for each prompt and end none. */
const MAX_SESSIONS = 64;

export class ServerHost implements AsyncDisposable {
  readonly path = `/${randomBytes(16).toString("base64url")}`;
  readonly token = randomBytes(32).toString("base64url");
  readonly #secret = knownSecrets.add([this.token]);
  /** Number of HTTP requests in progress, including streams. */
  busy = 0;
  /** Least recently used first. */
  readonly #sessions = new Map<string, HttpSession>();
  readonly #ends = new AbortController();

  constructor(
    private readonly server: DeclaredServer,
    private readonly clock: Clock,
    private readonly closed: (host: ServerHost) => void,
    private readonly onWarning: OnWarning,
  ) {}

  /** `body` is parsed; undefined for GET and DELETE. */
  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const { method, headers } = request,
      sessionId = headers["mcp-session-id"],
      version = headers["mcp-protocol-version"];
    const sendRefusal = (status: number, message: string, extra?: Readonly<Record<string, string>>): void =>
      refuse(request, response, refusal(status, message, extra), this.clock);
    if (this.#ends.signal.aborted) return sendRefusal(404, "This MCP server is closed.");
    if (sessionId !== undefined) {
      const session = this.#findSession(String(sessionId));
      return session
        ? session.handle(request, response, body)
        : sendRefusal(404, "Unknown MCP session. Start with initialize.");
    }
    if (method !== "POST")
      return sendRefusal(405, "Without an MCP session, only POST is supported.", { allow: "POST" });
    if (isObject(body) && body.method === MCP_METHODS.initialize && !isStateless(body.params))
      return this.#begin(request, response, body);
    const isLater = version !== undefined && !CLASSIC_REVISIONS.includes(String(version));
    if (isObject(body) && (isStateless(body.params) || isLater))
      return serveStateless(headers, response, body, {
        server: this.server.stateless,
        clock: this.clock,
        ends: this.#ends.signal,
      });
    return sendRefusal(400, "The MCP session id is missing. Start with initialize.");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ends.signal.aborted) return;
    this.#ends.abort();
    this.closed(this);
    this.#secret[Symbol.dispose]();
    await Promise.all([...this.#sessions.values()].map(session => session[Symbol.asyncDispose]()));
    await this.server[Symbol.asyncDispose]();
  }

  async #begin(request: IncomingMessage, response: ServerResponse, body: JsonObject): Promise<void> {
    try {
      const channel = await this.server.connect();
      const session = await HttpSession.begin(
        channel,
        this.clock,
        ended => this.#sessions.delete(ended.id),
        this.onWarning,
      );
      this.#sessions.set(session.id, session);
      if (this.#ends.signal.aborted) await session[Symbol.asyncDispose](); // the session responds that it is closed
      await this.#closeIdleSession();
      await session.handle(request, response, body);
    } catch (error) {
      this.onWarning("an MCP session could not start", error);
      const { code, message } =
        error instanceof RpcError ? error : new RpcError(RpcCode.internalError, "The MCP server could not be reached.");
      if (!response.headersSent)
        sendJson(response, 200, { jsonrpc: "2.0", id: isId(body.id) ? body.id : null, error: { code, message } });
    }
  }

  async #closeIdleSession(): Promise<void> {
    if (this.#sessions.size <= MAX_SESSIONS) return;
    const idle = [...this.#sessions.values()].slice(0, -1).find(session => session.isIdle);
    await idle?.[Symbol.asyncDispose]();
  }

  #findSession(id: string): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (session && this.#sessions.delete(id)) this.#sessions.set(id, session);
    return session;
  }
}
