/** The MCP endpoint with a server of many tools, and clients that send any header or raw bytes over real sockets. */
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import type { DeclaredServer } from "../../mcp/declared-servers";
import { McpEndpoint, type EndpointLimits, type OpenServerHost } from "../../mcp/http/http-server";
import { StatelessAdapter } from "../../mcp/stateless-adapter";
import { ChannelTransport } from "../../mcp/transport";
import type { Channel } from "../../rpc/channel";
import type { JsonObject } from "../../rpc/json";
import { memoryChannels } from "../../rpc/memory-channel";
import { manyTools } from "./many-tools";

export class HttpFixture implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly log: string[] = [];
  /** The servers of all sessions, the newest last. */
  readonly servers: ReturnType<typeof manyTools>[] = [];
  connects = 0;
  readonly endpoint: McpEndpoint;
  constructor(limits: Partial<EndpointLimits> = {}) {
    this.endpoint = new McpEndpoint({
      clock: this.clock,
      onWarning: (what, detail) => this.log.push(`${what} ${String(detail)}`),
      limits,
    });
  }
  open(): Promise<OpenServerHost> {
    const adapter = new StatelessAdapter(
      () => this.#session(),
      () => undefined,
    );
    const server: DeclaredServer = {
      connect: () => {
        this.connects++;
        return this.#session();
      },
      stateless: adapter,
      [Symbol.asyncDispose]: () => adapter[Symbol.asyncDispose](),
    };
    return this.endpoint.open(server);
  }
  async #session(): Promise<Channel> {
    const [near, far] = memoryChannels(),
      server = manyTools();
    this.servers.push(server);
    await server.connect(new ChannelTransport(far));
    return near;
  }
  [Symbol.asyncDispose]() {
    return this.endpoint[Symbol.asyncDispose]();
  }
}

export const JSON_HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" };
export const auth = ({ token }: OpenServerHost) => ({ authorization: `Bearer ${token}`, ...JSON_HEADERS });
export const message = (id: number, method: string, params?: JsonObject) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
export const INITIALIZE = message(0, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "t", version: "1" },
});
export const http = (host: OpenServerHost) => ({
  type: "http",
  url: host.url,
  headers: [{ name: "Authorization", value: `Bearer ${host.token}` }],
});

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}
/** Sends a request with any Host and Origin, which `fetch` does not allow. */
export function ask(
  host: OpenServerHost,
  headers: Record<string, string>,
  { method = "POST", path = new URL(host.url).pathname, body = INITIALIZE } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: "127.0.0.1", port: new URL(host.url).port, method, path, headers, agent: false },
      response => {
        let text = "";
        response
          .on("data", (chunk: Buffer) => {
            text += chunk.toString();
          })
          .on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      },
    );
    sent.on("error", reject).end(method === "GET" || method === "DELETE" ? undefined : body);
  });
}
export const errorMessage = ({ body }: Answer) => (JSON.parse(body) as { error: { message: string } }).error.message;

/** Opens a raw connection. `ended` resolves with all received bytes when the server has closed it. */
export function wire(host: OpenServerHost): {
  readonly socket: Socket;
  readonly ended: Promise<string>;
  received(): string;
} {
  const socket = connect(Number(new URL(host.url).port), "127.0.0.1");
  let received = "";
  socket
    .on("data", (chunk: Buffer) => {
      received += chunk.toString();
    })
    .on("error", () => undefined);
  return {
    socket,
    ended: new Promise(resolve => socket.on("close", () => resolve(received))),
    received: () => received,
  };
}
export const head = (host: OpenServerHost, overrides: Record<string, string>) =>
  [
    `POST ${new URL(host.url).pathname} HTTP/1.1`,
    ...Object.entries({ host: new URL(host.url).host, ...auth(host), ...overrides }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    "",
    "",
  ].join("\r\n");

/** The bytes of a whole request. */
export const request = (host: OpenServerHost, body = INITIALIZE, overrides: Record<string, string> = {}) =>
  head(host, { "content-length": String(body.length), ...overrides }) + body;
/** Starts a session, and returns the headers of its requests. */
export const startSession = async (host: OpenServerHost) => ({
  ...auth(host),
  "mcp-session-id": String((await ask(host, auth(host))).headers["mcp-session-id"]),
});
