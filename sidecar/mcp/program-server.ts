/**
 * Runs an MCP server of the user as a program on stdio (issue 14 item 2). An agent that does not support stdio servers
 * reaches it over HTTP. Each MCP connection of the agent has a process, whose messages pass unchanged in both
 * directions. So requests of the program (roots, sampling, elicitation) reach the agent. The first process starts with
 * the session, as when an agent starts the program.
 *
 * Invariants:
 * - Every request of the agent is answered. If the program does not answer, the request fails with the program's name
 *   and the cause, and the connection ends.
 * - A process ends with its connection, and all processes end with the session, whose end waits for them.
 * - After `MAX_FAILURES` exits no process is started again.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { redactText } from "../../src/protocol/redaction/redact";
import { AgentError } from "../errors";
import type { Channel, Closed } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { Frame } from "../rpc/frame";
import { RpcCode, RpcError, type Id } from "../rpc/message";
import type { OnWarning } from "./link";
import { channelOf } from "./transport";

/** A running process. Its channel closes with the reason when it exits. */
export interface RunningServer {
  readonly channel: Channel;
  /** Ends the process; idempotent. */
  stop(): Promise<void>;
}

/** Time limit from the first request to the program's first message. A package runner may have to download it first. */
export const ANSWER_LIMIT_MS = 60_000;
/** Maximum number of unrequested exits and failed starts in one session. */
export const MAX_FAILURES = 5;
/**
 * Maximum number of concurrent processes of one session. Some agents open a connection for each prompt and close none.
 * Beyond the limit, the connection that was idle longest is closed. The agent may open it again.
 */
export const MAX_PROCESSES = 8;

export interface ProgramServerOptions {
  /** The name as shown to the user. */
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
  /** The most recently used one is last. */
  readonly #connections = new Set<ProgramConnection>();
  /** The processes of ended connections until they have exited. */
  readonly #stopping = new Set<Promise<void>>();
  #failures = 0;
  #isEnded = false;

  constructor(private readonly options: ProgramServerOptions) {}

  /** Starts the process of the first connection. */
  warmUp(): void {
    this.#spare = this.#start();
    this.#spare.catch(() => undefined); // reported by the connection that gets it
  }

  /** Serves one connection. Never rejects: a failed program answers with errors. */
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
        if (stopped) this.#await(stopped);
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

  #await(stopped: Promise<void>): void {
    this.#stopping.add(stopped);
    void stopped.finally(() => this.#stopping.delete(stopped)).catch(() => undefined); // the connection rejects
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

  /** Whether it has a process and every request of the agent is answered. */
  get isIdle(): boolean {
    return this.#state === "passing" && this.#open.size === 0;
  }

  /** Whether it has no process and never will. */
  get isRefused(): boolean {
    return this.#state === "refusing";
  }

  async pass(running: RunningServer): Promise<void> {
    if (this.#state === "ended") return running.stop();
    this.#state = "passing";
    this.#running = running;
    running.channel.start({
      receive: frame => {
        this.#answered();
        if (frame.envelope.kind === "response" && frame.envelope.id !== null) this.#open.delete(frame.envelope.id);
        return passed(this.agent, frame);
      },
      closed: reason => this.#fail(reason),
    });
    this.agent.start({
      receive: frame => {
        if (frame.envelope.kind === "request") this.#requested(frame.envelope.id);
        return passed(running.channel, frame);
      },
      closed: () => void this[Symbol.asyncDispose](),
    });
  }

  /** Every request of this connection fails with `why`. */
  refuse(why: unknown): void {
    if (this.#state === "ended") return;
    this.#state = "refusing";
    const message = sentenceOf(why);
    if (!(why instanceof RpcError)) this.on.failed(message);
    this.agent.start({
      receive: frame => {
        if (frame.envelope.kind === "request") this.#answer(frame.envelope.id, message);
      },
      closed: () => void this[Symbol.asyncDispose](),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#answered();
    const stopped = this.#running?.stop();
    this.on.ended(stopped);
    await Promise.all([stopped, this.agent[Symbol.asyncDispose]()]);
  }

  #requested(id: Id): void {
    this.#open.add(id);
    this.on.used();
    this.#limit ??= this.clock.after(ANSWER_LIMIT_MS, () => {
      this.#fail({
        message: `The MCP server “${this.title}” did not respond within ${ANSWER_LIMIT_MS / 1000} seconds.`,
      });
    });
  }

  /** After the program's first message its later requests have no limit, as with an agent that starts it. */
  #answered(): void {
    this.#limit?.[Symbol.dispose]();
  }

  #fail(reason: Closed): void {
    if (this.#state === "ended") return;
    const message = sentenceOf(reason);
    this.on.failed(message);
    for (const id of this.#open) this.#answer(id, message);
    this.#open.clear();
    void this[Symbol.asyncDispose]();
  }

  #answer(id: Id, message: string): void {
    this.agent.send(Frame.of({ jsonrpc: "2.0", id, error: { code: RpcCode.internalError, message } }));
  }
}

/** Waits while the receiver is slow. */
function passed(to: Channel, frame: Frame): void | Promise<void> {
  if (!to.send(frame)) return to.drained();
}

/** The cause is the last output of the process. */
function sentenceOf(reason: unknown): string {
  const what =
    reason instanceof AgentError
      ? reason.what
      : reason instanceof Error || isClosed(reason)
        ? reason.message
        : String(reason);
  const cause =
    reason instanceof AgentError && typeof reason.cause === "string" ? ` Its last output: ${reason.cause}` : "";
  return redactText(`${what}${cause}`);
}

function isClosed(reason: unknown): reason is Closed {
  return typeof reason === "object" && reason !== null && "message" in reason;
}
