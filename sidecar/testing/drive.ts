/**
 * Client for real agent processes in tests. Starts a process with a separate ledger, records its messages and waits for
 * events.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ChildProcessRecord } from "../../src/protocol/sidecar";
import { openLedger, type Ledger } from "../process/process-ledger";
import { startProcess, type AgentProcess, type ProcessSpec } from "../process/stdio-process";
import { newRun } from "../process/run-id";
import type { Closed } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { isObject, objectOr, type JsonObject } from "../rpc/json";
import { methodNotFound, Peer, type IncomingRequest } from "../rpc/peer";
import { hurriedClock } from "./accelerated-clock";

/** Creates a temporary folder, which is removed on disposal. */
export function temporaryFolder(): { readonly path: string } & Disposable {
  const folder = mkdtempSync(path.join(tmpdir(), "symposium-"));
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface DriveOptions {
  readonly clock?: Clock;
  readonly storage?: string;
  /** Ledger of another drive, if both are children of one sidecar. */
  readonly ledger?: Ledger;
}

export class Drive implements AsyncDisposable {
  /** Run id of the drive's own ledger. */
  readonly run = newRun();
  readonly process: AgentProcess;
  readonly peer: Peer;
  readonly ledger: Ledger;
  /** Reports to the host. */
  readonly reported: (ChildProcessRecord | { readonly ended: number })[] = [];
  readonly updates: JsonObject[] = [];
  readonly requests: IncomingRequest[] = [];
  /** Methods of notifications other than `session/update`. */
  readonly others: string[] = [];
  readonly warnings: string[] = [];
  readonly logged: (readonly [message: string, detail: Readonly<Record<string, unknown>>])[] = [];
  readonly closed: Promise<Closed>;
  /** Called for each request of the agent. */
  answer: (request: IncomingRequest) => void = request => request.fail(methodNotFound(request.method));
  /** While this is set, reading is paused after each update, as with a slow client. */
  slow: Promise<void> | undefined;
  readonly #storage = temporaryFolder();
  #watching: (() => void)[] = [];

  constructor(spec: ProcessSpec, { clock = hurriedClock(1), storage, ledger }: DriveOptions = {}) {
    this.ledger = ledger ?? openLedger(storage ?? this.#storage.path, this.run);
    this.process = startProcess(spec, {
      clock,
      ledger: this.ledger,
      report: {
        started: record => this.reported.push(record),
        ended: pid => this.#handleEvent(() => this.reported.push({ ended: pid })),
      },
      log: (message, detail) => this.#handleEvent(() => this.logged.push([message, detail])),
    });
    let close: (reason: Closed) => void = () => undefined;
    this.closed = new Promise(resolve => {
      close = resolve;
    });
    this.peer = new Peer(this.process.channel, {
      request: request => {
        this.#handleEvent(() => this.requests.push(request));
        this.answer(request);
      },
      notification: (method, params) => {
        const { update } = objectOr(params);
        this.#handleEvent(() =>
          method === "session/update" && isObject(update) ? this.updates.push(update) : this.others.push(method),
        );
        return this.slow;
      },
      closed: close,
      onWarning: message => this.#handleEvent(() => this.warnings.push(message)),
    });
  }

  async initialize(): Promise<JsonObject> {
    return objectOr(
      await this.peer.request("initialize", {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
      }),
    );
  }

  /** Initializes the agent and opens a session. Resolves with the session id. */
  async open(mcpServers: readonly unknown[] = []): Promise<string> {
    await this.initialize();
    return this.newSession(mcpServers);
  }

  async newSession(mcpServers: readonly unknown[] = []): Promise<string> {
    return String(objectOr(await this.peer.request("session/new", { cwd: process.cwd(), mcpServers })).sessionId);
  }

  /** Resolves with the prompt's response. */
  async prompt(sessionId: string, text: string): Promise<JsonObject> {
    return objectOr(await this.peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }));
  }

  cancel(sessionId: string): void {
    this.peer.notify("session/cancel", { sessionId });
  }

  /** All text of agent messages. */
  get text(): string {
    return this.updates
      .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      .map(({ content }) => String(objectOr(content).text))
      .join("");
  }

  /** Resolves after the message that makes the condition true. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise(resolve => {
      const check = (): void => {
        if (!condition()) return;
        this.#watching = this.#watching.filter(item => item !== check);
        resolve();
      };
      this.#watching.push(check);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
    this.ledger.close();
    this.#storage[Symbol.dispose]();
  }

  #handleEvent(record: () => void): void {
    record();
    for (const check of [...this.#watching]) check();
  }
}
