/** Local registry server whose responses the test controls. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves the document with an ETag. Responds with 304 to a matching `If-None-Match`. */
export function serving(document: unknown, etag = '"1"'): Answer {
  return (request, response) => {
    if (request.headers["if-none-match"] === etag) response.writeHead(304, { etag }).end();
    else
      response
        .writeHead(200, { "content-type": "application/json", etag })
        .end(typeof document === "string" ? document : JSON.stringify(document));
  };
}

export function status(code: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return (_, response) => {
    response.writeHead(code, headers).end("{}");
  };
}

export class RegistryServer implements AsyncDisposable {
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  answer: Answer;
  readonly #server: Server;
  #handleEvent = (): void => undefined;

  private constructor(answer: Answer) {
    this.answer = answer;
    this.#server = createServer((request, response) => {
      this.requests.push({ path: request.url ?? "", headers: request.headers });
      this.#handleEvent();
      this.answer(request, response);
    });
  }

  static async start(answer: Answer = status(404)): Promise<RegistryServer> {
    const server = new RegistryServer(answer);
    await new Promise<void>(resolve => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  get url(): string {
    return `${this.origin}/registry.json`;
  }

  /** Resolves when this number of requests have arrived in total. */
  async asked(count: number): Promise<void> {
    while (this.requests.length < count)
      await new Promise<void>(resolve => {
        this.#handleEvent = resolve;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}
