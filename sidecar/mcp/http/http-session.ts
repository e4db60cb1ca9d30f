/**
 * One MCP session of one client over Streamable HTTP (revisions 2025-03-26 to 2025-11-25). It connects the SDK's
 * transport to the server's channel. No SDK server is involved, so unknown methods are forwarded.
 *
 * Stream selection, because the channel has one stream and HTTP has several:
 * - A response is sent on the stream of its request.
 * - Progress is sent on the stream of the request with its token.
 * - Other messages are sent on the stream that the client opened with GET, otherwise on that of the newest open
 *   request. Without an open stream they are buffered, because requests of the server must reach the client.
 *
 * Invariants:
 * - When the server closes, every open request fails with the reason before the session ends.
 * - When the client ends the session, the channel is closed.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Channel, Closed } from "../../rpc/channel";
import type { Clock } from "../../rpc/clock";
import { Frame } from "../../rpc/frame";
import { isObject } from "../../rpc/json";
import { RpcCode, type Id, type Message } from "../../rpc/message";
import { ResponseWriter } from "./response-writer";
import type { OnWarning } from "../acp-link";
import { metaOf } from "../revision";
import { frameOf, isId, isMcpMessage } from "../transport";
import { MCP_METHODS } from "../methods";

/** Maximum number of messages that are buffered while no stream is open. */
const MAX_BUFFERED = 100;
const HEADERS = ["accept", "content-type", "mcp-session-id", "mcp-protocol-version", "last-event-id"] as const;

export class HttpSession implements AsyncDisposable {
  readonly id = randomUUID();
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  /** Unanswered requests of the client, oldest first. */
  readonly #open = new Map<Id, ResponseWriter>();
  /** Request ids by the progress token that the client chose. */
  readonly #tokens = new Map<unknown, Id>();
  #eventStream: ResponseWriter | undefined;
  #buffered: Message[] = [];

  /** `ended` is called once. */
  static async begin(
    channel: Channel,
    clock: Clock,
    ended: (session: HttpSession) => void,
    onWarning: OnWarning,
  ): Promise<HttpSession> {
    const { WebStandardStreamableHTTPServerTransport: Transport } = await import(
      "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
    );
    return new HttpSession(channel, clock, Transport, ended, onWarning);
  }

  private constructor(
    private readonly channel: Channel,
    private readonly clock: Clock,
    Transport: typeof WebStandardStreamableHTTPServerTransport,
    ended: (session: HttpSession) => void,
    private readonly onWarning: OnWarning,
  ) {
    this.#transport = new Transport({ sessionIdGenerator: () => this.id });
    this.#transport.onmessage = message => this.#fromClient(message);
    this.#transport.onclose = () => {
      ended(this);
      void channel[Symbol.asyncDispose]();
    };
    channel.start({
      receive: frame => this.#fromServer(frame.message),
      closed: reason => void this.#serverClosed(reason),
    });
  }

  /** Whether no request and no stream is open. */
  get isIdle(): boolean {
    return this.#open.size === 0 && this.#eventStream === undefined;
  }

  /** `body` is parsed; undefined for GET and DELETE. Resolves when the HTTP response is complete. */
  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const writer = new ResponseWriter(response, this.clock),
      requests = requestsIn(body);
    for (const { id, token } of requests) {
      this.#open.set(id, writer);
      if (token !== undefined) this.#tokens.set(token, id);
    }
    const answer = await this.#transport.handleRequest(webRequest(request), { parsedBody: body });
    if (answer.ok) this.#streamOpened(request, writer);
    else for (const { id } of requests) this.#removeRequest(id);
    await writer.pour(answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#serverClosed({ message: "The session was closed." });
  }

  #streamOpened({ method }: IncomingMessage, writer: ResponseWriter): void {
    if (method === "GET") {
      this.#eventStream = writer;
      writer.onClose(() => {
        if (this.#eventStream === writer) this.#eventStream = undefined;
      });
    }
    if (method !== "DELETE") for (const message of this.#buffered.splice(0)) this.#sendToStream(message);
  }

  #fromClient(message: JSONRPCMessage): void {
    this.channel.send(frameOf(message));
  }

  #fromServer(message: Message): void {
    if ("method" in message) return this.#sendToStream(message);
    if (message.id === null) return this.onWarning("an MCP server could not read a message", message);
    const writer = this.#removeRequest(message.id);
    if (this.#canSend(writer, message))
      this.#send(
        isMcpMessage(message) ? message : failure(message.id, "The response of the MCP server is not an object."),
        undefined,
      );
  }

  /** Sends a message that the server initiated to its stream. */
  #sendToStream(message: Message): void {
    const progress = "method" in message && message.method === MCP_METHODS.notifications_progress;
    const related = progress && isObject(message.params) ? this.#tokens.get(message.params.progressToken) : undefined;
    if (progress && related !== undefined) return this.#sendTo(message, this.#open.get(related), related);
    if (this.#eventStream?.isOpen) return this.#sendTo(message, this.#eventStream, undefined);
    const newest = [...this.#open].reverse().find(([, writer]) => writer.isOpen);
    if (newest) return this.#sendTo(message, newest[1], newest[0]);
    if (!progress) this.#buffer(message);
  }

  #buffer(message: Message): void {
    this.#buffered.push(message);
    const dropped = this.#buffered.length > MAX_BUFFERED ? this.#buffered.shift() : undefined;
    if (dropped && "method" in dropped && "id" in dropped && isId(dropped.id))
      this.channel.send(Frame.of(failure(dropped.id, "The MCP client has no open stream.")));
  }

  #sendTo(message: Message, writer: ResponseWriter | undefined, related: Id | undefined): void {
    if (!isMcpMessage(message)) return this.onWarning("a message that is not one of MCP", message);
    if (this.#canSend(writer, message)) this.#send(message, related);
  }

  #canSend(writer: ResponseWriter | undefined, message: Message): boolean {
    const canSend = writer?.takes(message) ?? false;
    if (!canSend)
      this.onWarning(
        "a message for an MCP client that disconnected or does not read",
        "method" in message ? message.method : "an answer",
      );
    return canSend;
  }

  #send(message: JSONRPCMessage, related: Id | undefined): void {
    // Rejects if the client has disconnected meanwhile.
    this.#transport
      .send(message, related === undefined ? {} : { relatedRequestId: related })
      .catch((error: unknown) => this.onWarning("an MCP message has no receiver", error));
  }

  #removeRequest(id: Id): ResponseWriter | undefined {
    const writer = this.#open.get(id);
    this.#open.delete(id);
    for (const [token, of] of this.#tokens) if (of === id) this.#tokens.delete(token);
    return writer;
  }

  async #serverClosed({ message }: Closed): Promise<void> {
    for (const [id, writer] of this.#open) if (writer.isOpen) this.#send(failure(id, message), undefined);
    this.#open.clear();
    await this.#transport.close();
  }
}

function failure(
  id: Id,
  message: string,
): { readonly jsonrpc: "2.0"; readonly id: Id; readonly error: { readonly code: number; readonly message: string } } {
  return { jsonrpc: "2.0", id, error: { code: RpcCode.internalError, message } };
}

/** Requests in a body, which can be a batch. */
function requestsIn(body: unknown): readonly { readonly id: Id; readonly token: unknown }[] {
  return (Array.isArray(body) ? body : [body]).flatMap((message: unknown) => {
    if (!isObject(message) || typeof message.method !== "string") return [];
    const { id } = message;
    return isId(id) ? [{ id, token: metaOf(message.params).progressToken }] : [];
  });
}

function webRequest({ method = "GET", headers }: IncomingMessage): Request {
  const forwarded = HEADERS.flatMap(name =>
    typeof headers[name] === "string" ? [[name, headers[name]] as [string, string]] : [],
  );
  return new Request("http://127.0.0.1/", { method, headers: forwarded });
}
