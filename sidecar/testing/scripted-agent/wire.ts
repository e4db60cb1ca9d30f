/**
 * The scripted agent's connection: JSON lines over stdio. Does not use `sidecar/rpc`, so that both ends cannot share a
 * bug and `raw` can misbehave. Ids start at 0, as in some agents.
 */
import type { Readable, Writable } from "node:stream";
import { isObject, type JsonObject } from "../../rpc/json";

export interface WireHandlers {
  request(id: unknown, method: string, params: unknown): void;
  notification(method: string, params: unknown): void;
  /** Called for every line before it is handled. */
  line(line: string): void;
  ended(): void;
}

/** Error response of the client. */
export class Refused extends Error {
  override readonly name = "Refused";
  constructor(
    readonly code: unknown,
    message: string,
  ) {
    super(message);
  }
}

export class Wire {
  readonly #output: Writable;
  readonly #handlers: WireHandlers;
  readonly #pending = new Map<
    unknown,
    { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }
  >();
  #nextId = 0;
  #incomplete = "";

  constructor(input: Readable, output: Writable, handlers: WireHandlers) {
    this.#output = output;
    this.#handlers = handlers;
    output.on("error", () => undefined); // the client has disconnected; the end of stdin reports this, too
    input
      .setEncoding("utf8")
      .on("data", (text: string) => this.#take(text))
      .on("end", () => this.#end())
      .on("error", () => this.#end());
  }

  /** Resolves when the text was passed to the system. */
  raw(text: string): Promise<void> {
    return new Promise(resolve => {
      this.#output.write(text, () => resolve());
    });
  }

  send(message: JsonObject): Promise<void> {
    return this.raw(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
  respond(id: unknown, result: unknown): void {
    void this.send({ id, result });
  }
  fail(id: unknown, code: number, message: string): void {
    void this.send({ id, error: { code, message } });
  }
  notify(method: string, params: unknown): Promise<void> {
    return this.send({ method, params });
  }

  /** Rejects with `Refused`, or when the client disconnects. `sent` receives the request's id. */
  request(method: string, params: unknown, sent?: (id: number) => void): Promise<unknown> {
    const id = this.#nextId++;
    sent?.(id);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      void this.send({ id, method, params });
    });
  }

  #take(text: string): void {
    const lines = (this.#incomplete + text).split("\n");
    this.#incomplete = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") this.#handle(line);
  }

  #handle(line: string): void {
    this.#handlers.line(line);
    const message: unknown = JSON.parse(line);
    if (!isObject(message)) throw new Error(`no message: ${line}`);
    const { id, method, params, result, error } = message;
    if (typeof method === "string")
      return "id" in message ? this.#handlers.request(id, method, params) : this.#handlers.notification(method, params);
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (isObject(error)) pending?.reject(new Refused(error.code, String(error.message)));
    else pending?.resolve(result);
  }

  #end(): void {
    for (const { reject } of this.#pending.values()) reject(new Error("the client is gone"));
    this.#pending.clear();
    this.#handlers.ended();
  }
}
