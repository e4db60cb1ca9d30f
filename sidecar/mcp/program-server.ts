/**
 * An MCP server of the user's that this side starts, as a program on stdio (issue 14 item 2), so that an agent that
 * connects to no stdio servers reaches it over http. Each MCP connection of the agent has a process, whose messages
 * pass unchanged in both directions: requests of the program (roots, sampling, elicitation) reach the agent. The first
 * process starts with the session, as an agent starts the programs that it is given.
 *
 * Invariants: every request of the agent is answered; one that the program leaves open fails with the program's name
 * and the cause, and ends its connection; a process ends with its connection, and all of them with the session; after
 * `MAX_FAILURES` exits no process is started again.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { redactText } from "../../src/protocol/redaction/redact";
import { AgentError } from "../errors";
import type { Channel, Closed } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { Frame } from "../rpc/frame";
import { RpcCode, RpcError, type Id } from "../rpc/message";
import type { Odd } from "./link";
import { channelOf } from "./transport";

/** A process that runs; its channel closes with the reason when it exits. */
export interface RunningServer {
  readonly channel: Channel;
  /** Ends the process; idempotent. */
  stop(): Promise<void>;
}

/** From the first request to the first message of the program. A package runner may have to download it first. */
export const ANSWER_LIMIT_MS = 60_000;
/** Exits of the program by itself, and starts that fail, in one session. */
export const MAX_FAILURES = 5;
/**
 * Processes at a time, for one session. Some agents open a connection for each prompt and end none: beyond the limit the
 * connection ends that was idle for the longest time. The agent may open it again.
 */
export const MAX_PROCESSES = 8;

export interface ProgramServerOptions {
  /** As the user knows it. */
  readonly title: string;
  /** A program that cannot be started is a channel that closes with the reason, or a rejection. */
  readonly start: () => RunningServer | Promise<RunningServer>;
  readonly clock: Clock;
  /** For the log. */
  readonly odd: Odd;
}

export class ProgramServer implements AsyncDisposable {
  /** Started, and not connected to yet. */
  #spare: Promise<RunningServer> | undefined;
  /** The one that was used last is last. */
  readonly #connections = new Set<ProgramConnection>();
  #failures = 0;
  #isEnded = false;

  constructor(private readonly options: ProgramServerOptions) {}

  /** Starts the process of the first connection. */
  warmUp(): void {
    this.#spare = this.#start();
    this.#spare.catch(() => undefined); // reported by the connection that gets it
  }

  /** Serves one connection. Never rejects: a program that fails answers with errors. */
  async connect(transport: Transport): Promise<void> {
    const { title, clock, odd } = this.options,
      spare = this.#spare;
    this.#spare = undefined;
    const connection = new ProgramConnection(title, channelOf(transport), clock, {
      failed: message => {
        this.#failures++;
        odd(`the MCP server “${title}” failed`, message);
      },
      used: () => {
        if (this.#connections.delete(connection)) this.#connections.add(connection);
      },
      ended: () => this.#connections.delete(connection),
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
  }

  async #start(): Promise<RunningServer> {
    const server = `The MCP server “${this.options.title}”`;
    if (this.#isEnded) throw new RpcError(RpcCode.internalError, `${server} has ended with its session.`);
    if (this.#failures >= MAX_FAILURES) {
      throw new RpcError(
        RpcCode.internalError,
        `${server} failed ${MAX_FAILURES} times in this session and is not started again.`,
      );
    }
    const connections = [...this.#connections].filter(connection => !connection.isRefused), // with the new one
      idle = connections.length > MAX_PROCESSES ? connections.find(connection => connection.isIdle) : undefined;
    await idle?.[Symbol.asyncDispose]();
    if (connections.length > MAX_PROCESSES && !idle) {
      throw new RpcError(
        RpcCode.internalError,
        `${server} answers requests on ${MAX_PROCESSES} connections already, which is the limit of a session.`,
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
    private readonly on: { failed(message: string): void; used(): void; ended(): void },
  ) {}

  /** It has a process, and every request of the agent is answered. */
  get isIdle(): boolean {
    return this.#state === "passing" && this.#open.size === 0;
  }

  /** It has no process, and gets none. */
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
    this.on.ended();
    await Promise.all([this.#running?.stop(), this.agent[Symbol.asyncDispose]()]);
  }

  #requested(id: Id): void {
    this.#open.add(id);
    this.on.used();
    this.#limit ??= this.clock.after(ANSWER_LIMIT_MS, () => {
      this.#fail({
        message: `The MCP server “${this.title}” did not answer within ${ANSWER_LIMIT_MS / 1000} seconds.`,
      });
    });
  }

  /** The program sent something: its later requests have no limit, as with an agent that starts it. */
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

/** The cause of a process' end is what it printed last. */
function sentenceOf(reason: unknown): string {
  const what =
    reason instanceof AgentError
      ? reason.what
      : reason instanceof Error || isClosed(reason)
        ? reason.message
        : String(reason);
  const cause =
    reason instanceof AgentError && typeof reason.cause === "string" ? ` It printed last: ${reason.cause}` : "";
  return redactText(`${what}${cause}`);
}

function isClosed(reason: unknown): reason is Closed {
  return typeof reason === "object" && reason !== null && "message" in reason;
}
