/**
 * MCP servers over Streamable HTTP, on 127.0.0.1 and a port of the system's choice: one listener, which starts when the
 * first server is opened, and a door with an address and a token of its own for each server.
 *
 * Invariants: nothing of a body is read before the request has shown where it comes from and that it knows the token;
 * what is refused says why, in JSON-RPC's words; a connection without the token is closed with its answer, and soon
 * where it asks nothing; limits of size, time and number hold for everyone. Tokens and addresses are in no log.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Clock } from "../../rpc/clock";
import { ServerHost } from "./server-host";
import { readBody, refuse, serveClosed } from "./http-body";
import { closing, hasToken, refusal, refusedAtDoor, refusedAtGate, type Refusal } from "./http-guard";
import type { Odd } from "../link";
import type { ServedServer } from "../declared-servers";
import { UnknownSockets } from "./unauthenticated-sockets";

export interface EndpointLimits {
  readonly bodyBytes: number;
  /** For a body to arrive. */
  readonly bodyMs: number;
  /** For the head of a request; the one limit that is on the system's clock. */
  readonly headMs: number;
  /** Requests at one door that are being answered, streams included. */
  readonly requests: number;
  /** From a connection's start to its first request with a valid token. */
  readonly tokenMs: number;
  /** Connections without such a request. */
  readonly unknownSockets: number;
  /** Connections in all. */
  readonly sockets: number;
}
const LIMITS: EndpointLimits = {
  bodyBytes: 8 * 1024 * 1024,
  bodyMs: 30_000,
  headMs: 10_000,
  requests: 512,
  tokenMs: 5000,
  unknownSockets: 128,
  sockets: 1024,
};

/** Doors that were closed and are still known; some agents ask for a server long after its session has ended. */
const MAX_CLOSED = 256;

/** Long: a connection that ends just when a client uses it again is an error that nobody understands. */
const KEEP_ALIVE_MS = 300_000;

/** Where a server can be reached, until it is disposed. */
export interface OpenDoor extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
}

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "listening"; readonly http: Promise<Server> }
  | { readonly kind: "closed" };

export class McpEndpoint implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #odd: Odd;
  readonly #limits: EndpointLimits;
  #state: State = { kind: "idle" };
  /** By path. */
  readonly #doors = new Map<string, ServerHost>();
  /** Tokens of closed doors by path, oldest first. */
  readonly #closed = new Map<string, string>();
  readonly #unknown: UnknownSockets;

  constructor({
    clock,
    odd,
    limits,
  }: { readonly clock: Clock; readonly odd: Odd; readonly limits?: Partial<EndpointLimits> }) {
    this.#clock = clock;
    this.#odd = odd;
    this.#limits = { ...LIMITS, ...limits };
    this.#unknown = new UnknownSockets(clock, { ms: this.#limits.tokenMs, sockets: this.#limits.unknownSockets });
  }

  /**
   * Resolves when the server can be reached. Rejects when nothing can listen, or the endpoint is closed. Disposes
   * `server` with the door.
   */
  async open(server: ServedServer): Promise<OpenDoor> {
    const door = new ServerHost(server, this.#clock, closed => this.#forget(closed), this.#odd);
    const port = portOf(await this.#listening());
    if (this.#state.kind === "closed") throw new Error("The endpoint for MCP servers is closed.");
    this.#doors.set(door.path, door);
    return {
      url: `http://127.0.0.1:${port}${door.path}`,
      token: door.token,
      [Symbol.asyncDispose]: () => door[Symbol.asyncDispose](),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const state = this.#state;
    this.#state = { kind: "closed" };
    await Promise.all([...this.#doors.values()].map(door => door[Symbol.asyncDispose]()));
    if (state.kind !== "listening") return;
    const http = await state.http.catch(() => undefined);
    if (http)
      await new Promise<void>(resolve => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
  }

  #forget({ path, token }: ServerHost): void {
    this.#doors.delete(path);
    this.#closed.set(path, token);
    const [oldest] = this.#closed.keys();
    if (this.#closed.size > MAX_CLOSED && oldest !== undefined) this.#closed.delete(oldest);
  }

  #listening(): Promise<Server> {
    if (this.#state.kind === "closed") return Promise.reject(new Error("The endpoint for MCP servers is closed."));
    if (this.#state.kind === "listening") return this.#state.http;
    const http = this.#listen();
    this.#state = { kind: "listening", http };
    http.catch(() => {
      if (this.#state.kind === "listening") this.#state = { kind: "idle" };
    }); // the next one tries again
    return http;
  }

  #listen(): Promise<Server> {
    const { headMs } = this.#limits,
      times = {
        headersTimeout: headMs,
        requestTimeout: 0,
        connectionsCheckingInterval: Math.ceil(headMs / 4),
        keepAliveTimeout: KEEP_ALIVE_MS,
      };
    const http = createServer(times, (request, response) => {
      this.#serve(http, request, response).catch((error: unknown) => {
        this.#odd("a request to an MCP server failed", error);
        if (response.headersSent) response.destroy();
        else refuse(request, response, refusal(500, "This request could not be served."), this.#clock);
      });
    });
    http.maxConnections = this.#limits.sockets;
    http.on("connection", socket => this.#unknown.add(socket));
    http.unref();
    return new Promise((resolve, reject) => {
      http.once("error", reject);
      http.listen({ port: 0, host: "127.0.0.1" }, () => {
        http.off("error", reject).on("error", error => this.#odd("the endpoint for MCP servers", error));
        resolve(http);
      });
    });
  }

  async #serve(http: Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const no = (why: Refusal): void => {
      this.#odd("a request to an MCP server was refused", `${why.status} ${why.message}`);
      refuse(request, response, why, this.#clock);
    };
    const { bodyBytes, bodyMs: ms, requests } = this.#limits;
    const atGate = refusedAtGate(request, portOf(http));
    if (atGate) return no(closing(atGate));
    const path = request.url ?? "",
      door = this.#doors.get(path),
      token = door?.token ?? this.#closed.get(path);
    if (token === undefined) return no(closing(refusal(404, "There is nothing here.")));
    if (!hasToken(request, token))
      return no(closing(refusal(401, "The bearer token is missing or wrong.", { "www-authenticate": "Bearer" })));
    this.#unknown.known(request.socket);
    if (!door) return serveClosed(request, response, this.#clock);
    const atDoor = refusedAtDoor(request, bodyBytes);
    if (atDoor) return no(atDoor);
    if (door.busy >= requests) return no(refusal(429, "Too many requests are open.", { "retry-after": "1" }));
    door.busy++;
    response.once("close", () => {
      door.busy--;
    });
    if (request.method !== "POST") return door.handle(request, response, undefined);
    const body = await readBody(request, { bytes: bodyBytes, ms, clock: this.#clock });
    if (body.kind === "refused") return no(body.why);
    if (body.kind === "read") await door.handle(request, response, body.value);
  }
}

function portOf(http: Server): number {
  const address = http.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
