/**
 * An ACP proxy: it adds one MCP server to every session, and forwards everything else unchanged.
 *
 * The proxy has one connection, to its conductor. Messages of the client arrive plain. Messages of the successor, the
 * next proxy or the agent, arrive in an envelope: `proxy/successor {method, params}`. Specification:
 * https://agentclientprotocol.com/rfds/proxy-chains
 */
import { randomUUID } from "node:crypto";
import type { AnyMessage, AnyRequest, AnyResponse, Stream } from "@agentclientprotocol/sdk";
import type { ToolServer } from "./tools.js";

type Id = AnyRequest["id"];
type Side = "client" | "successor";
type Members = Readonly<Record<string, unknown>>;

/** A request or a notification without its envelope. `id`: undefined for a notification. */
interface Call {
  readonly from: Side;
  readonly id: Id | undefined;
  readonly method: string;
  readonly params: unknown;
}

const INITIALIZE = "proxy/initialize",
  SUCCESSOR = "proxy/successor",
  CANCEL = "$/cancel_request";
/** Requests that set up a session. */
const SETUPS: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume", "session/fork"]);
const METHOD_NOT_FOUND = -32601;

/** Resolves when the conductor closes the connection. */
export async function serveProxy(stream: Stream, server: ToolServer): Promise<void> {
  const proxy = new Proxy(stream.writable.getWriter(), server);
  for await (const message of stream.readable) await proxy.receive(message);
}

class Proxy {
  /** Ids of forwarded requests by the id of this proxy's own request. */
  readonly #forwarded = new Map<Id, Id>();
  readonly #serverId = randomUUID();
  #nextId = 1;

  constructor(
    private readonly writer: WritableStreamDefaultWriter<AnyMessage>,
    private readonly server: ToolServer,
  ) {}

  /** Resolves when the connection accepts the next message, so that a slow reader slows its writer. */
  async receive(message: AnyMessage): Promise<void> {
    if ("method" in message) this.#called(callIn(message));
    else this.#responded(message);
    await this.writer.ready;
  }

  #called(call: Call): void {
    const { from, id, method, params } = call;
    if (method === CANCEL) this.#cancel(membersOf(params).requestId);
    else if (from === "successor") this.#fromSuccessor(call);
    else if (method === INITIALIZE) this.#forward({ ...call, method: "initialize" });
    else if (method === "initialize" || method === "_proxy/initialize")
      this.#respond(id, { error: { code: METHOD_NOT_FOUND, message: `This is a proxy. Use ${INITIALIZE}.` } });
    else if (SETUPS.has(method)) this.#forward({ ...call, params: this.#withServer(params) });
    else this.#forward(call);
  }

  #fromSuccessor(call: Call): void {
    const { id, method, params } = call,
      { serverId } = membersOf(params);
    if (method !== "mcp/message" || serverId !== this.#serverId || id === undefined) return this.#forward(call);
    // A tool may be slow, and must not hold other messages.
    void this.#serve(id, membersOf(params));
  }

  /** The result of `mcp/message` contains the outcome of the MCP request: its result, or its error. */
  async #serve(id: Id, { method, params }: Members): Promise<void> {
    this.#respond(id, { result: await this.server.answer(String(method), membersOf(params)) });
  }

  /** Appends the declaration of the server. The other members and servers stay as they are. */
  #withServer(params: unknown): Members {
    const setup = membersOf(params),
      servers: readonly unknown[] = Array.isArray(setup.mcpServers) ? setup.mcpServers : [];
    return {
      ...setup,
      mcpServers: [...servers, { type: "acp", name: this.server.name, serverId: this.#serverId }],
    };
  }

  /** Sends the call to the other side. A request gets an id of this proxy. */
  #forward({ from, id, method, params }: Call): void {
    const own = id === undefined ? undefined : this.#nextId++;
    if (own !== undefined && id !== undefined) this.#forwarded.set(own, id);
    const call = { method, ...(params === undefined ? {} : { params }) };
    this.#send({
      jsonrpc: "2.0",
      ...(own === undefined ? {} : { id: own }),
      ...(from === "client" ? { method: SUCCESSOR, params: call } : call),
    });
  }

  /** The response to a forwarded request gets the id of the sender. */
  #responded(response: AnyResponse): void {
    const id = this.#forwarded.get(response.id);
    if (id === undefined) return;
    this.#forwarded.delete(response.id);
    this.#send({ ...response, id });
  }

  /** A request has another id on each side, and so has its cancellation. */
  #cancel(requestId: unknown): void {
    for (const [own, id] of this.#forwarded)
      if (id === requestId) this.#send({ jsonrpc: "2.0", method: CANCEL, params: { requestId: own } });
  }

  #respond(id: Id | undefined, outcome: { result: unknown } | { error: { code: number; message: string } }): void {
    if (id !== undefined) this.#send({ jsonrpc: "2.0", id, ...outcome });
  }

  /** Messages leave in the order of these calls. */
  #send(message: AnyMessage): void {
    this.writer.write(message).catch(() => undefined); // the conductor has closed the connection
  }
}

function callIn(message: Extract<AnyMessage, { method: string }>): Call {
  const id = "id" in message ? message.id : undefined,
    { method, params } = message;
  if (method !== SUCCESSOR) return { from: "client", id, method, params };
  const inner = membersOf(params);
  return { from: "successor", id, method: String(inner.method), params: inner.params };
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
