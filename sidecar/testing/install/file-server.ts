/**
 * HTTP file server on loopback that can simulate server errors. Each path has one plan per request. The last plan also
 * applies to later requests.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Plan {
  readonly content?: Buffer | string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** False: the server does not support ranges. */
  readonly ranges?: boolean;
  readonly etag?: string;
  /** False: the response has no length (chunked). `"close"`: the end of the connection ends the response. */
  readonly length?: boolean | "close";
  /** Number of bytes after which the connection is closed. */
  readonly cut?: number;
  /** Number of bytes after which the response stalls. */
  readonly stop?: number;
}

export class FileServer implements AsyncDisposable {
  /** Path, range and If-Range condition of each request. */
  readonly requests: {
    readonly path: string;
    readonly range: string | undefined;
    readonly ifRange: string | undefined;
  }[] = [];
  readonly #server: Server;
  readonly #plans = new Map<string, Plan[]>();

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request: IncomingMessage, response: ServerResponse) => this.#answer(request, response));
  }

  static async start(): Promise<FileServer> {
    const server = createServer();
    await new Promise<void>(resolve => {
      server.listen(0, "127.0.0.1", resolve);
    });
    return new FileServer(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Serves the plans at `path`. Returns the URL. */
  serve(path: string, ...plans: readonly Plan[]): string {
    this.#plans.set(path, [...plans]);
    return `${this.origin}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>(resolve => {
      this.#server.close(() => resolve());
    });
    this.#server.closeAllConnections();
    await closed;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { url: path = "", headers } = request,
      plans = this.#plans.get(path) ?? [],
      plan = (plans.length > 1 ? plans.shift() : plans[0]) ?? { status: 404 };
    const ifRange = headers["if-range"];
    this.requests.push({ path, range: headers.range, ifRange: Array.isArray(ifRange) ? ifRange[0] : ifRange });
    const whole = Buffer.from(plan.content ?? ""),
      start = startOf(headers.range, plan, ifRange === undefined || ifRange === plan.etag);
    const body = whole.subarray(start ?? 0);
    response.writeHead(plan.status ?? (start === undefined ? 200 : 206), {
      ...(plan.etag === undefined ? {} : { etag: plan.etag }),
      ...(plan.length === undefined || plan.length === true ? { "content-length": body.length } : {}),
      ...(plan.length === "close" ? { connection: "close", "transfer-encoding": "identity" } : {}),
      ...(start === undefined ? {} : { "content-range": `bytes ${start}-${whole.length - 1}/${whole.length}` }),
      ...plan.headers,
    });
    const until = plan.cut ?? plan.stop;
    if (until === undefined) return void response.end(body);
    response.write(body.subarray(0, until), () => {
      if (plan.cut !== undefined) response.socket?.destroySoon();
    });
  }
}

function startOf(range: string | undefined, plan: Plan, isSame: boolean): number | undefined {
  const start = /^bytes=(\d+)-$/.exec(range ?? "")?.[1];
  return start === undefined || plan.ranges === false || !isSame || plan.status !== undefined
    ? undefined
    : Number(start);
}
