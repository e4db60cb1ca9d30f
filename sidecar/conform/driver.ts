/**
 * Drives a program under test over its standard streams and records the conversation.
 *
 * Invariants:
 * - Every wait ends with a message, the exit of the program or a time limit.
 * - The program writes at most `limits.outputBytes`.
 * - After `end` the program has exited or was stopped, and nothing more is recorded.
 */
import { StringDecoder } from "node:string_decoder";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../rpc/clock";
import type { JsonObject } from "../rpc/json";
import { idKey, type RequestMessage } from "./conversation";
import { Recorder, type Conversation, type RecordedEvent, type RecordedLine, type WireMessage } from "./recording";
import type { Version } from "./schema";

/** Program under test. */
export interface Subject {
  /** Its stdin. */
  readonly input: Writable;
  /** Its stdout. */
  readonly output: Readable;
  /** Settles with a description of the exit code or the signal. Never rejects. */
  readonly exited: Promise<string>;
  /** Stops the program if it is running. Resolves when it has exited. */
  stop(): Promise<void>;
}

export interface Limits {
  /** Time limit in milliseconds for one response. */
  readonly responseMs: number;
  /** Time limit in milliseconds from the end of stdin to the exit. */
  readonly exitMs: number;
  readonly outputBytes: number;
}

export const DEFAULT_LIMITS: Limits = { responseMs: 30_000, exitMs: 5_000, outputBytes: 64 * 1024 * 1024 };

/** Response of the kit to a request of the program. Undefined if the kit responds later or never. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | undefined;

export interface DriverOptions {
  readonly scenario: string;
  /** `protocolVersion` that the scenario requests. */
  readonly requested: number;
  readonly version: Version;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly respond: (request: RequestMessage, driver: Driver) => Reply;
  readonly onEvent?: ((event: RecordedEvent) => void) | undefined;
}

export type Outcome =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly error: unknown }
  /** The program exited, or the time limit expired. */
  | { readonly kind: "none" };

const NONE: Outcome = { kind: "none" };

export class Driver {
  readonly #subject: Subject;
  readonly #options: DriverOptions;
  readonly #recorder: Recorder;
  readonly #decoder = new StringDecoder("utf8");
  readonly #open = new Map<string, (outcome: Outcome) => void>();
  #watchers: ((message: WireMessage | undefined) => void)[] = [];
  /** Chunks of the current incomplete line. */
  #incomplete: string[] = [];
  #bytes = 0;
  #nextId = 0;
  #hasExited = false;
  #hasEnded = false;

  constructor(subject: Subject, options: DriverOptions) {
    this.#subject = subject;
    this.#options = options;
    this.#recorder = new Recorder(options.scenario, options.requested, options.version, options.clock, options.onEvent);
    subject.input.on("error", () => undefined); // the exit is recorded
    subject.output.on("data", (chunk: Buffer) => this.#read(chunk)).on("error", () => undefined);
    subject.output.on("end", () => {
      if (this.#hasExited) this.#finish();
    });
    void subject.exited.then(status => this.#exited(status));
  }

  get conversation(): Conversation {
    return this.#recorder.conversation;
  }
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Writes a line unchanged. */
  sendLine(text: string): void {
    if (this.#hasEnded) return;
    this.#recorder.line("toProgram", text);
    this.#subject.input.write(`${text}\n`);
  }

  send(message: JsonObject): void {
    this.sendLine(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }
  notify(method: string, params: JsonObject): void {
    this.send({ method, params });
  }
  reply(id: unknown, reply: NonNullable<Reply>): void {
    this.send({ id, ...reply });
  }

  /** Returns an id that is unused in this conversation. */
  newId(): number {
    return ++this.#nextId;
  }

  /** Resolves with the response. Never rejects. `id`: any JSON value. */
  request(method: string, params: JsonObject, id: unknown = this.newId()): Promise<Outcome> {
    const response = this.expect(id);
    this.send({ id, method, params });
    return response;
  }

  /** Waits for the response to a request that the caller sends. */
  expect(id: unknown): Promise<Outcome> {
    if (this.#hasEnded) return Promise.resolve(NONE);
    return new Promise(resolve => {
      const timer = this.#options.clock.after(this.#options.limits.responseMs, () => {
        this.#recorder.event({ kind: "noResponse", at: this.#recorder.at, id });
        settle(NONE);
      });
      const settle = (outcome: Outcome): void => {
        timer[Symbol.dispose]();
        this.#open.delete(idKey(id));
        resolve(outcome);
      };
      this.#open.set(idKey(id), settle);
    });
  }

  /**
   * Resolves with true after a message for which `matches` returns true, and with false after the limit or the exit.
   */
  until(matches: (message: WireMessage) => boolean, limitMs = this.#options.limits.responseMs): Promise<boolean> {
    if (this.#hasEnded) return Promise.resolve(false);
    return new Promise(resolve => {
      const settle = (found: boolean): void => {
        timer[Symbol.dispose]();
        this.#watchers = this.#watchers.filter(item => item !== watch);
        resolve(found);
      };
      const watch = (message: WireMessage | undefined): void => {
        if (message === undefined) settle(false);
        else if (matches(message)) settle(true);
      };
      const timer = this.#options.clock.after(limitMs, () => settle(false));
      this.#watchers.push(watch);
    });
  }

  /** Resolves when the program has exited. */
  async exited(): Promise<void> {
    await this.#subject.exited;
    await new Promise<void>(resolve => {
      setImmediate(() => setImmediate(resolve));
    });
  }

  /** Closes stdin and waits for the exit. */
  async end(): Promise<Conversation> {
    if (!this.#hasEnded) {
      this.#recorder.event({ kind: "inputClosed", at: this.#recorder.at });
      this.#subject.input.end();
      if (!(await this.#exitsInTime())) {
        this.#recorder.event({ kind: "stillRunning", at: this.#recorder.at, afterMs: this.#options.limits.exitMs });
        this.#abort();
      }
    }
    await this.#subject.stop();
    this.#finish();
    return this.conversation;
  }

  #exitsInTime(): Promise<boolean> {
    return new Promise(resolve => {
      const timer = this.#options.clock.after(this.#options.limits.exitMs, () => resolve(false));
      void this.#subject.exited.then(() => {
        timer[Symbol.dispose]();
        resolve(true);
      });
    });
  }

  #read(chunk: Buffer): void {
    if (this.#hasEnded) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.limits.outputBytes) {
      this.#recorder.event({ kind: "tooMuchOutput", at: this.#recorder.at, bytes: this.#options.limits.outputBytes });
      this.#abort();
      void this.#subject.stop();
      return;
    }
    const [first = "", ...lines] = this.#decoder.write(chunk).split("\n");
    this.#incomplete.push(first);
    for (const piece of lines) {
      this.#line(this.#incomplete.join(""));
      this.#incomplete = [piece];
    }
  }

  #line(text: string): void {
    if (text.trim() === "" || this.#hasEnded) return;
    const line: RecordedLine = this.#recorder.line("fromProgram", text);
    for (const message of line.messages) this.#message(message);
  }

  #message(message: WireMessage): void {
    if (message.kind === "response") {
      const { error, result } = message;
      this.#open.get(idKey(message.id))?.(error === undefined ? { kind: "result", result } : { kind: "error", error });
    }
    for (const watch of [...this.#watchers]) watch(message);
    if (message.kind !== "request") return;
    const reply = this.#options.respond(message, this);
    if (reply) this.reply(message.id, reply);
  }

  #exited(status: string): void {
    // Output that the program wrote before its exit may still be in the pipe.
    setImmediate(() => {
      if (this.#hasEnded) return;
      this.#hasExited = true;
      this.#recorder.event({ kind: "exited", at: this.#recorder.at, status });
      if (this.#subject.output.readableEnded || this.#subject.output.destroyed) this.#finish();
      else this.#options.clock.after(DRAIN_MS, () => this.#finish());
    });
  }

  /** Ends the conversation and discards the incomplete line, which is not a fault of the program. */
  #abort(): void {
    this.#incomplete = [];
    this.#finish();
  }

  #finish(): void {
    if (this.#hasEnded) return;
    this.#line(this.#incomplete.join(""));
    this.#hasEnded = true;
    for (const settle of [...this.#open.values()]) settle(NONE);
    for (const watch of [...this.#watchers]) watch(undefined);
  }
}

/** Maximum time in milliseconds to read stdout after the exit, because descendants of the program can keep it open. */
const DRAIN_MS = 250;
