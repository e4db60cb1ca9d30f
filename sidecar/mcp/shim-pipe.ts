/**
 * The shim's work: an MCP server on stdin and stdout that is really behind the endpoint of a conductor. Two transports of the
 * SDK, joined: every message crosses as it is.
 *
 * Invariants: messages reach the endpoint in the order in which they came; every request of the agent is answered, also when
 * the endpoint is gone, which ends the work with one sentence; when the agent leaves, the MCP session is ended first.
 */
import type { Readable, Writable } from "node:stream";
import type { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../rpc/clock";
import { stringOr } from "../rpc/json";
import { RpcCode, type Id } from "../rpc/message";
import { errno } from "./client";

const GOODBYE_MS = 1000, RETRY_MS = 100, LINE_BYTES = 64 * 1024 * 1024;
const GONE = "The MCP server cannot be reached any more: its session was closed, or the program that offers it has ended.";

export interface ShimOptions {
  readonly url: string;
  readonly token: string;
  readonly input: Readable;
  readonly output: Writable;
  /** The agent has left. */
  readonly ended: Promise<unknown>;
  readonly clock: Clock;
  /** Hears sentences for whoever reads the log of the agent. */
  complain(sentence: string): void;
}

/** Resolves with "ended" when the agent has left, with "gone" when there is nothing to connect it to any more. */
export async function joinStdioToHttp(options: ShimOptions): Promise<"ended" | "gone"> {
  const { StreamableHTTPClientTransport: Http, StreamableHTTPError: HttpError } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { StdioServerTransport: Stdio } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  const http = new Http(new URL(options.url), {
    requestInit: { headers: { authorization: `Bearer ${options.token}` } },
    reconnectionOptions: { initialReconnectionDelay: RETRY_MS, maxReconnectionDelay: RETRY_MS, reconnectionDelayGrowFactor: 1, maxRetries: 2 },
  });
  const stdio = new Stdio(options.input, options.output, { maxBufferSize: LINE_BYTES });
  return new Shim(stdio, http, HttpError, options.complain).run(options.ended, options.clock);
}

class Shim {
  /** Requests of the agent without an answer. */
  readonly #open = new Set<Id>();
  #sent: Promise<void> = Promise.resolve();
  #greeting: Id | undefined;
  #gone = (): void => undefined;
  readonly #isGone = new Promise<"gone">(resolve => { this.#gone = () => resolve("gone"); });

  constructor(private readonly stdio: StdioServerTransport, private readonly http: StreamableHTTPClientTransport, private readonly HttpError: typeof StreamableHTTPError, private readonly complain: (sentence: string) => void) {}

  async run(ended: Promise<unknown>, clock: Clock): Promise<"ended" | "gone"> {
    this.stdio.onmessage = message => this.#fromAgent(message);
    this.stdio.onerror = error => this.complain(`A message of the agent was not understood: ${error.message}`);
    this.http.onmessage = message => this.#fromServer(message);
    this.http.onerror = error => { if (this.#meansGone(error)) this.#gone(); };
    await this.http.start();
    await this.stdio.start();
    const how = await Promise.race([ended.then(() => "ended" as const), this.#isGone]);
    if (how === "gone") {
      for (const id of this.#open) this.#fail(id, GONE);
      this.complain(GONE);
    } else await this.#leave(clock);
    await this.http.close();
    return how;
  }

  #fromAgent(message: JSONRPCMessage): void {
    if ("method" in message && "id" in message) {
      // The endpoint would serve the stateless revision, but over HTTP only: without an answer of its own a request cannot be cancelled.
      if (message.method === "server/discover") return this.#fail(message.id, "server/discover is not served here; begin with initialize.", RpcCode.methodNotFound);
      this.#open.add(message.id);
      if (message.method === "initialize") this.#greeting = message.id;
    }
    this.#sent = this.#sent.then(() => this.http.send(message)).catch((error: unknown) => this.#notSent(message, error));
  }

  #notSent(message: JSONRPCMessage, error: unknown): void {
    if (this.#meansGone(error)) return this.#gone();
    const why = error instanceof Error ? error.message : String(error);
    if ("method" in message && "id" in message) this.#fail(message.id, `The message did not reach the MCP server: ${why}`);
    else this.complain(`A message did not reach the MCP server: ${why}`);
  }

  #fromServer(message: JSONRPCMessage): void {
    if (!("method" in message) && message.id !== undefined) {
      this.#open.delete(message.id);
      if (message.id === this.#greeting && "result" in message) this.http.setProtocolVersion(stringOr(message.result.protocolVersion, ""));
    }
    void this.stdio.send(message);
  }

  #fail(id: Id, message: string, code: number = RpcCode.internalError): void {
    this.#open.delete(id);
    void this.stdio.send({ jsonrpc: "2.0", id, error: { code, message } });
  }

  /** 401, 403 and 404: the port may belong to somebody else by now. */
  #meansGone(error: unknown): boolean {
    if (error instanceof this.HttpError) return error.code === 401 || error.code === 403 || error.code === 404;
    return errno(error) !== undefined;
  }

  #leave(clock: Clock): Promise<void> {
    return new Promise(resolve => {
      const late = clock.after(GOODBYE_MS, resolve);
      void this.#sent.then(() => this.http.terminateSession()).catch(() => undefined).then(() => { late[Symbol.dispose](); resolve(); });
    });
  }
}
