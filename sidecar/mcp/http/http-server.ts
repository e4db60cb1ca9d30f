/**
 * Serves MCP servers over Streamable HTTP on 127.0.0.1 and a port chosen by the system. The listener starts when the
 * first server is opened. Each server has a separate address and token.
 *
 * Invariants:
 * - No body is read before the request has passed the origin check and the token check.
 * - Every rejection states its reason as a JSON-RPC error.
 * - A connection without the token is closed with its response, or after `tokenMs` if it sends no request.
 * - Limits of size, time and number apply to every client.
 * - Tokens and addresses are never logged.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Clock } from "../../rpc/clock";
import { ServerHost } from "./server-host";
import { readBody, refuse, serveClosed } from "./http-body";
import { closing, hasToken, refusal, refusedByServer, guardRefusal, type Refusal } from "./http-guard";
import type { OnWarning } from "../acp-link";
import type { DeclaredServer } from "../declared-servers";
import { UnknownSockets } from "./unauthenticated-sockets";

export interface EndpointLimits {
  readonly bodyBytes: number;
  /** Time limit for a body. */
  readonly bodyMs: number;
  /** Time limit for the head of a request. This is the only limit on the system clock. */
  readonly headMs: number;
  /** Maximum number of open requests per server, including streams. */
  readonly requests: number;
  /** Time from the start of a connection to its first request with a valid token. */
  readonly tokenMs: number;
  /** Maximum number of connections without such a request. */
  readonly unknownSockets: number;
  /** Maximum number of connections in total. */
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

/** Maximum number of closed servers to remember. Some agents send requests long after the session has ended. */
const MAX_CLOSED = 256;

/** Long, because a keep-alive timeout at the moment of reuse causes an error that users cannot interpret. */
const KEEP_ALIVE_MS = 300_000;

/** Address of a server, valid until it is disposed. */
export interface OpenServerHost extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
}

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "listening"; readonly http: Promise<Server> }
  | { readonly kind: "closed" };

export class McpEndpoint implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #onWarning: OnWarning;
  readonly #limits: EndpointLimits;
  #state: State = { kind: "idle" };
  /** Server hosts by path. */
  readonly #hosts = new Map<string, ServerHost>();
  /** Tokens of closed servers by path, oldest first. */
  readonly #closed = new Map<string, string>();
  readonly #unknown: UnknownSockets;

  constructor({
    clock,
    onWarning,
    limits,
  }: { readonly clock: Clock; readonly onWarning: OnWarning; readonly limits?: Partial<EndpointLimits> }) {
    this.#clock = clock;
    this.#onWarning = onWarning;
    this.#limits = { ...LIMITS, ...limits };
    this.#unknown = new UnknownSockets(clock, { ms: this.#limits.tokenMs, sockets: this.#limits.unknownSockets });
  }

  /**
   * Resolves when the server is reachable. Rejects if the listener cannot start or the endpoint is closed. Disposing
   * the result also disposes `server`.
   */
  async open(server: DeclaredServer): Promise<OpenServerHost> {
    const host = new ServerHost(server, this.#clock, closed => this.#forget(closed), this.#onWarning);
    const port = portOf(await this.#listening());
    if (this.#state.kind === "closed") throw new Error("The endpoint for MCP servers is closed.");
    this.#hosts.set(host.path, host);
    return {
      url: `http://127.0.0.1:${port}${host.path}`,
      token: host.token,
      [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const state = this.#state;
    this.#state = { kind: "closed" };
    await Promise.all([...this.#hosts.values()].map(host => host[Symbol.asyncDispose]()));
    if (state.kind !== "listening") return;
    const http = await state.http.catch(() => undefined);
    if (http)
      await new Promise<void>(resolve => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
  }

  #forget({ path, token }: ServerHost): void {
    this.#hosts.delete(path);
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
    }); // the next `open` retries
    return http;
  }

  #listen(): Promise<Server> {
    const { headMs } = this.#limits,
      options = {
        headersTimeout: headMs,
        requestTimeout: 0,
        connectionsCheckingInterval: Math.ceil(headMs / 4),
        keepAliveTimeout: KEEP_ALIVE_MS,
      };
    const http = createServer(options, (request, response) => {
      this.#serve(http, request, response).catch((error: unknown) => {
        this.#onWarning("a request to an MCP server failed", error);
        if (response.headersSent) response.destroy();
        else refuse(request, response, refusal(500, "This request could not be processed."), this.#clock);
      });
    });
    http.maxConnections = this.#limits.sockets;
    http.on("connection", socket => this.#unknown.add(socket));
    http.unref();
    return new Promise((resolve, reject) => {
      http.once("error", reject);
      http.listen({ port: 0, host: "127.0.0.1" }, () => {
        http.off("error", reject).on("error", error => this.#onWarning("the endpoint for MCP servers", error));
        resolve(http);
      });
    });
  }

  async #serve(http: Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sendRefusal = (why: Refusal): void => {
      this.#onWarning("a request to an MCP server was refused", `${why.status} ${why.message}`);
      refuse(request, response, why, this.#clock);
    };
    const { bodyBytes, bodyMs: ms, requests } = this.#limits;
    const refused = guardRefusal(request, portOf(http));
    if (refused) return sendRefusal(closing(refused));
    const path = request.url ?? "",
      host = this.#hosts.get(path),
      token = host?.token ?? this.#closed.get(path);
    if (token === undefined) return sendRefusal(closing(refusal(404, "Not found.")));
    if (!hasToken(request, token))
      return sendRefusal(
        closing(refusal(401, "The bearer token is missing or wrong.", { "www-authenticate": "Bearer" })),
      );
    this.#unknown.known(request.socket);
    if (!host) return serveClosed(request, response, this.#clock);
    const serverRefusal = refusedByServer(request, bodyBytes);
    if (serverRefusal) return sendRefusal(serverRefusal);
    if (host.busy >= requests) return sendRefusal(refusal(429, "Too many requests are open.", { "retry-after": "1" }));
    host.busy++;
    response.once("close", () => {
      host.busy--;
    });
    if (request.method !== "POST") return host.handle(request, response, undefined);
    const body = await readBody(request, { bytes: bodyBytes, ms, clock: this.#clock });
    if (body.kind === "refused") return sendRefusal(body.why);
    if (body.kind === "read") await host.handle(request, response, body.value);
  }
}

function portOf(http: Server): number {
  const address = http.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
