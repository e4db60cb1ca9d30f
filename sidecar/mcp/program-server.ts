/**
 * Runs an MCP server of the user as a program on stdio (issue 14 item 2). An agent that does not support stdio servers
 * reaches it over HTTP. Each MCP connection of the agent has a separate process. Messages are forwarded unchanged in
 * both directions, including requests of the program (roots, sampling, elicitation). The first process starts with the
 * session, as when an agent starts the program.
 *
 * Invariants:
 * - Every request of the agent is answered. If the program does not respond, the request fails with the program's name
 *   and the cause, and the connection closes.
 * - A process is stopped with its connection. Disposal stops all processes and waits for their exit.
 * - After `MAX_FAILURES` failures, no process is started.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { redactText } from "../../src/protocol/redaction/redact";
import { AgentError } from "../errors";
import type { Channel, Closed } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { Frame } from "../rpc/frame";
import { RpcCode, RpcError, type Id } from "../rpc/message";
import type { OnWarning } from "./acp-link";
import { channelOf } from "./transport";

/** A running process. The channel closes with the reason when the process exits. */
export interface RunningServer {
  readonly channel: Channel;
  /** Stops the process; idempotent. */
  stop(): Promise<void>;
}

/**
 * Time limit from the first request to the program's first message. A package runner may download the program first.
 */
export const ANSWER_LIMIT_MS = 60_000;
/** Maximum number of unexpected exits and failed starts in one session. */
export const MAX_FAILURES = 5;
/**
 * Maximum number of concurrent processes of one session. Some agents open a connection for each prompt and close none.
 * Above the limit, the connection that was idle longest is closed. The agent may open it again.
 */
export const MAX_PROCESSES = 8;

export interface ProgramServerOptions {
  /** The display name. */
  readonly title: string;
  /** If the program cannot be started, either the channel closes with the reason, or the promise rejects. */
  readonly start: () => RunningServer | Promise<RunningServer>;
  readonly clock: Clock;
  /** For the log. */
  readonly onWarning: OnWarning;
}

export class ProgramServer implements AsyncDisposable {
  /** Started, but not connected yet. */
  #spare: Promise<RunningServer> | undefined;
  /** Least recently used first. */
  readonly #connections = new Set<ProgramConnection>();
  /** The processes of closed connections, until they have exited. */
  readonly #stopping = new Set<Promise<void>>();
  #failures = 0;
  #isEnded = false;

  constructor(private readonly options: ProgramServerOptions) {}

  /** Starts the process of the first connection. */
  warmUp(): void {
    this.#spare = this.#start();
    this.#spare.catch(() => undefined); // reported by the connection that uses it
  }

  /** Serves one connection. Never rejects: after a failed start, every request fails. */
  async connect(transport: Transport): Promise<void> {
    const { title, clock, onWarning } = this.options,
      spare = this.#spare;
    this.#spare = undefined;
    const connection = new ProgramConnection(title, channelOf(transport), clock, {
      failed: message => {
        this.#failures++;
        onWarning(`the MCP server “${title}” failed`, message);
      },
      used: () => {
        if (this.#connections.delete(connection)) this.#connections.add(connection);
      },
      ended: stopped => {
        this.#connections.delete(connection);
        if (stopped) this.#trackStop(stopped);
      },
    });
    this.#connections.add(connection);
    try {
      await connection.pass(await (spare ?? this.#start()));
    } catch (error) {
      connection.refuse(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    const spare = await this.#spare?.catch(() => undefined);
    await Promise.all([spare?.stop(), ...[...this.#connections].map(connection => connection[Symbol.asyncDispose]())]);
    await Promise.all(this.#stopping);
  }

  #trackStop(stopped: Promise<void>): void {
    this.#stopping.add(stopped);
    void stopped.finally(() => this.#stopping.delete(stopped)).catch(() => undefined); // the connection rejects, too
  }

  async #start(): Promise<RunningServer> {
    const server = `The MCP server “${this.options.title}”`;
    if (this.#isEnded) throw new RpcError(RpcCode.internalError, `${server} exited with its session.`);
    if (this.#failures >= MAX_FAILURES) {
      throw new RpcError(
        RpcCode.internalError,
        `${server} failed ${MAX_FAILURES} times in this session and is not started again.`,
      );
    }
    const connections = [...this.#connections].filter(connection => !connection.isRefused), // including the new one
      idle = connections.length > MAX_PROCESSES ? connections.find(connection => connection.isIdle) : undefined;
    await idle?.[Symbol.asyncDispose]();
    if (connections.length > MAX_PROCESSES && !idle) {
      throw new RpcError(
        RpcCode.internalError,
        `${server} already serves ${MAX_PROCESSES} connections, which is the limit of a session.`,
      );
    }
    const running = await this.options.start();
    if (this.#isEnded) await running.stop();
    return running;
  }
}

/**
 * One connection of the agent and the process behind it.
 *
 *   starting ── process ──▶ passing ── exit, time limit, or end of the connection ──▶ ended
 *       └── failed start ──▶ refusing (every request fails) ──▶ ended
 */
class ProgramConnection implements AsyncDisposable {
  #running: RunningServer | undefined;
  /** Requests of the agent that the program has not answered. */
  readonly #open = new Set<Id>();
  #limit: Disposable | undefined;
  #state: "starting" | "passing" | "refusing" | "ended" = "starting";

  constructor(
    private readonly title: string,
    private readonly agent: Channel,
    private readonly clock: Clock,
    private readonly on: { failed(message: string): void; used(): void; ended(stopped?: Promise<void>): void },
  ) {}

  /** Whether the process is running and no request is pending. */
  get isIdle(): boolean {
    return this.#state === "passing" && this.#open.size === 0;
  }

  /** Whether the process could not be started. */
  get isRefused(): boolean {
    return this.#state === "refusing";
  }

  async pass(running: RunningServer): Promise<void> {
    if (this.#state === "ended") return running.stop();
    this.#state = "passing";
    this.#running = running;
    running.channel.start({
      receive: frame => {
        this.#clearLimit();
        if (frame.envelope.kind === "response" && frame.envelope.id !== null) this.#open.delete(frame.envelope.id);
        return forward(this.agent, frame);
      },
      closed: reason => this.#fail(reason),
    });
    this.agent.start({
      receive: frame => {
        if (frame.envelope.kind === "request") this.#addRequest(frame.envelope.id);
        return forward(running.channel, frame);
      },
      closed: () => void this[Symbol.asyncDispose](),
    });
  }

  /** Fails every request of this connection with `reason`. */
  refuse(reason: unknown): void {
    if (this.#state === "ended") return;
    this.#state = "refusing";
    const message = sentenceOf(reason);
    if (!(reason instanceof RpcError)) this.on.failed(message);
    this.agent.start({
      receive: frame => {
        if (frame.envelope.kind === "request") this.#sendError(frame.envelope.id, message);
      },
      closed: () => void this[Symbol.asyncDispose](),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#clearLimit();
    const stopped = this.#running?.stop();
    this.on.ended(stopped);
    await Promise.all([stopped, this.agent[Symbol.asyncDispose]()]);
  }

  #addRequest(id: Id): void {
    this.#open.add(id);
    this.on.used();
    this.#limit ??= this.clock.after(ANSWER_LIMIT_MS, () => {
      this.#fail({
        message: `The MCP server “${this.title}” did not respond within ${ANSWER_LIMIT_MS / 1000} seconds.`,
      });
    });
  }

  /** After the program's first message, requests have no time limit, as when an agent starts the program. */
  #clearLimit(): void {
    this.#limit?.[Symbol.dispose]();
  }

  #fail(reason: Closed): void {
    if (this.#state === "ended") return;
    const message = sentenceOf(reason);
    this.on.failed(message);
    for (const id of this.#open) this.#sendError(id, message);
    this.#open.clear();
    void this[Symbol.asyncDispose]();
  }

  #sendError(id: Id, message: string): void {
    this.agent.send(Frame.of({ jsonrpc: "2.0", id, error: { code: RpcCode.internalError, message } }));
  }
}

/** Sends a frame. Returns a promise while the receiver is full. */
function forward(to: Channel, frame: Frame): void | Promise<void> {
  if (!to.send(frame)) return to.drained();
}

/** Includes the last output of the process. */
function sentenceOf(reason: unknown): string {
  const text =
    reason instanceof AgentError
      ? reason.what
      : reason instanceof Error || isClosed(reason)
        ? reason.message
        : String(reason);
  const cause =
    reason instanceof AgentError && typeof reason.cause === "string" ? ` Its last output: ${reason.cause}` : "";
  return redactText(`${text}${cause}`);
}

function isClosed(reason: unknown): reason is Closed {
  return typeof reason === "object" && reason !== null && "message" in reason;
}
