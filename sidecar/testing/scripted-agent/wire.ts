/**
 * The scripted agent's end of the wire: JSON lines over stdio, written apart from `sidecar/rpc` so that a mistake there
 * is not made on both sides, and because this one must be able to misbehave (`raw`). Its ids count from 0, as some
 * agents' do.
 */
import type { Readable, Writable } from "node:stream";
import { isObject, type JsonObject } from "../../rpc/json";

export interface WireHandlers {
  request(id: unknown, method: string, params: unknown): void;
  notification(method: string, params: unknown): void;
  /** Every line, before it is handled. */
  line(line: string): void;
  ended(): void;
}

/** The client answered with an error. */
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
  #rest = "";

  constructor(input: Readable, output: Writable, handlers: WireHandlers) {
    this.#output = output;
    this.#handlers = handlers;
    output.on("error", () => undefined); // nobody reads any more: the end of stdin says so too
    input
      .setEncoding("utf8")
      .on("data", (text: string) => this.#take(text))
      .on("end", () => this.#end())
      .on("error", () => this.#end());
  }

  /** Resolves when it was handed to the system. */
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

  /** Rejects with `Refused`, or when the client is gone. `sent` gets the request's id. */
  request(method: string, params: unknown, sent?: (id: number) => void): Promise<unknown> {
    const id = this.#nextId++;
    sent?.(id);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      void this.send({ id, method, params });
    });
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") this.#handle(line);
  }

  #handle(line: string): void {
    this.#handlers.line(line);
    const message: unknown = JSON.parse(line);
    if (!isObject(message)) throw new Error(`no message: ${line}`);
    const { id, method, params, result, error } = message;
    if (typeof method === "string")
      return "id" in message ? this.#handlers.request(id, method, params) : this.#handlers.notification(method, params);
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (isObject(error)) waiting?.reject(new Refused(error.code, String(error.message)));
    else waiting?.resolve(result);
  }

  #end(): void {
    for (const { reject } of this.#pending.values()) reject(new Error("the client is gone"));
    this.#pending.clear();
    this.#handlers.ended();
  }
}
