/**
 * The shim: an MCP server on stdin and stdout that forwards every message unchanged. Its target is a server of the
 * conductor's endpoint, or a third-party server. The shim joins two transports of the SDK.
 *
 * Invariants:
 * - Messages are sent in the order in which they arrive. Requests to a third-party server do not wait for other
 *   responses.
 * - Every request of the agent that the server rejects, or that does not reach it, is answered.
 * - When the endpoint is unreachable, or a third-party server has ended the session, all open requests fail and the
 *   shim exits with one sentence.
 * - When the agent disconnects, the shim ends the MCP session before it exits.
 */
import type { Readable, Writable } from "node:stream";
import type {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { errorMessage } from "../../src/protocol/wire/errors";
import type { Clock } from "../rpc/clock";
import { stringOr } from "../rpc/json";
import { RpcCode, type Id } from "../rpc/message";
import { errno } from "./client";
import type { HttpServer } from "./shim";
import { MCP_METHODS, STATELESS_METHODS } from "./methods";

const CLOSE_TIMEOUT_MS = 1000,
  RETRY_MS = 100,
  LINE_BYTES = 64 * 1024 * 1024;
const GONE = "The MCP server is no longer reachable: its session was closed, or its program exited.";
/** Maximum number of characters quoted from a third-party server's error, which can be a whole page. */
const MAX_QUOTED_CHARACTERS = 300;

/** `theirs`: third-party server. A failure affects one message only; later messages are still sent. */
export type ShimTarget =
  | { readonly kind: "endpoint"; readonly url: string; readonly token: string }
  | ({ readonly kind: "theirs" } & HttpServer);

export interface ShimOptions {
  readonly target: ShimTarget;
  readonly input: Readable;
  readonly output: Writable;
  /** Resolves when the agent has disconnected. */
  readonly ended: Promise<unknown>;
  readonly clock: Clock;
  /** Receives sentences for the agent's log. */
  complain(sentence: string): void;
}

/** Resolves with "ended" when the agent has disconnected, and with "gone" when the server is no longer reachable. */
export async function joinStdioToHttp({ target, ...options }: ShimOptions): Promise<"ended" | "gone"> {
  const { StreamableHTTPClientTransport: Http, StreamableHTTPError: HttpError } = await import(
    "@modelcontextprotocol/sdk/client/streamableHttp.js"
  );
  const { StdioServerTransport: Stdio } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  const http = new Http(
    new URL(target.url),
    target.kind === "theirs"
      ? { requestInit: { headers: { ...target.headers } } }
      : {
          requestInit: { headers: { authorization: `Bearer ${target.token}` } },
          fetch: async (url, init) => {
            const response = await fetch(url, init);
            // An open session of the endpoint always offers an event stream. The SDK does not report this status.
            if (init?.method === "GET" && response.status === 405) shim.end();
            return response;
          },
          reconnectionOptions: {
            initialReconnectionDelay: RETRY_MS,
            maxReconnectionDelay: RETRY_MS,
            reconnectionDelayGrowFactor: 1,
            maxRetries: 2,
          },
        },
  );
  const stdio = new Stdio(options.input, options.output, { maxBufferSize: LINE_BYTES });
  const shim = new Shim(stdio, http, HttpError, target, options.complain);
  return shim.run(options.ended, options.clock);
}

class Shim {
  /** Unanswered requests of the agent. */
  readonly #open = new Set<Id>();
  #sent: Promise<void> = Promise.resolve();
  #initializeId: Id | undefined;
  #gone = (): void => undefined;
  readonly #isGone = new Promise<"gone">(resolve => {
    this.#gone = () => resolve("gone");
  });

  constructor(
    private readonly stdio: StdioServerTransport,
    private readonly http: StreamableHTTPClientTransport,
    private readonly HttpError: typeof StreamableHTTPError,
    private readonly target: ShimTarget,
    private readonly complain: (sentence: string) => void,
  ) {}

  async run(ended: Promise<unknown>, clock: Clock): Promise<"ended" | "gone"> {
    this.stdio.onmessage = message => this.#fromAgent(message);
    this.stdio.onerror = error => this.complain(`Invalid message from the agent: ${error.message}`);
    this.http.onmessage = message => this.#fromServer(message);
    // Ignored for third-party servers: many reject the stream for server messages, and `send` reports the relevant
    // errors.
    this.http.onerror = error => {
      if (this.target.kind === "endpoint" && this.#meansGone(error)) this.#gone();
    };
    await this.http.start();
    await this.stdio.start();
    const outcome = await Promise.race([ended.then(() => "ended" as const), this.#isGone]);
    if (outcome === "gone") {
      const sentence = this.target.kind === "endpoint" ? GONE : `${this.#server} has ended the session.`;
      for (const id of this.#open) this.#fail(id, sentence);
      this.complain(sentence);
    } else await this.#endSession(clock);
    await this.http.close();
    return outcome;
  }

  /** Call when the server's session has ended. Open requests fail, and `run` resolves with "gone". */
  end(): void {
    this.#gone();
  }

  #fromAgent(message: JSONRPCMessage): void {
    if ("method" in message && "id" in message) {
      // The endpoint supports the stateless revision over HTTP only: without a separate response, a request cannot be
      // cancelled.
      if (message.method === STATELESS_METHODS.server_discover)
        return this.#fail(
          message.id,
          "server/discover is not supported. Start with initialize.",
          RpcCode.methodNotFound,
        );
      this.#open.add(message.id);
      if (message.method === MCP_METHODS.initialize) this.#initializeId = message.id;
    }
    // A third-party server may respond in the HTTP response, so waiting for that response would delay the next message.
    const isAwaited =
      this.target.kind === "endpoint" ||
      !("id" in message) ||
      !("method" in message) ||
      message.method === MCP_METHODS.initialize;
    this.#sent = this.#sent.then(() => {
      const sent = this.http.send(message).catch((error: unknown) => this.#sendFailed(message, error));
      return isAwaited ? sent : undefined;
    });
  }

  #sendFailed(message: JSONRPCMessage, error: unknown): void {
    if (this.#meansGone(error)) return this.#gone();
    if ("method" in message && "id" in message) this.#fail(message.id, this.#errorText("The", error));
    else this.complain(this.#errorText("A", error));
  }

  #fromServer(message: JSONRPCMessage): void {
    if (!("method" in message) && message.id !== undefined) {
      this.#open.delete(message.id);
      if (message.id === this.#initializeId && "result" in message)
        this.http.setProtocolVersion(stringOr(message.result.protocolVersion, ""));
    }
    void this.stdio.send(message);
  }

  #fail(id: Id, message: string, code: number = RpcCode.internalError): void {
    this.#open.delete(id);
    void this.stdio.send({ jsonrpc: "2.0", id, error: { code, message } });
  }

  get #server(): string {
    return `The MCP server at ${new URL(this.target.url).host}`;
  }

  /** Omits the address of a third-party server, which can contain a key. */
  #errorText(article: "The" | "A", error: unknown): string {
    const message = errorMessage(error),
      code = errno(error);
    if (this.target.kind === "endpoint") return `${article} message did not reach the MCP server: ${message}`;
    if (!(error instanceof this.HttpError))
      return `${this.#server} could not be reached: ${code ?? message.slice(0, MAX_QUOTED_CHARACTERS)}.`;
    if (error.code === 401 || error.code === 403)
      return `${this.#server} rejects it (${error.code}). Put the required key into its “headers”.`;
    return `${this.#server} returned an error: ${message.slice(0, MAX_QUOTED_CHARACTERS)}`;
  }

  /**
   * Whether the error means that the server is no longer reachable. After 401, 403 or 404, another program may use the
   * endpoint's port. A third-party server returns 404 when it has ended the session.
   */
  #meansGone(error: unknown): boolean {
    if (this.target.kind === "theirs")
      return error instanceof this.HttpError && error.code === 404 && this.http.sessionId !== undefined;
    if (error instanceof this.HttpError) return error.code === 401 || error.code === 403 || error.code === 404;
    return errno(error) !== undefined;
  }

  #endSession(clock: Clock): Promise<void> {
    return new Promise(resolve => {
      const timer = clock.after(CLOSE_TIMEOUT_MS, resolve);
      void this.#sent
        .then(() => this.http.terminateSession())
        .catch(() => undefined)
        .then(() => {
          timer[Symbol.dispose]();
          resolve();
        });
    });
  }
}
