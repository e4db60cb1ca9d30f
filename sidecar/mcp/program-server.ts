/**
 * An MCP server of the user's that this side starts, as a program on stdio (issue 14 item 2): one process per ACP session, shared by all MCP
 * connections of the agent. So an agent that connects to no stdio servers reaches it over http.
 *
 *   idle ── request ──▶ running ── exit, or no message within `ANSWER_LIMIT_MS` ──▶ idle        dispose: ended, for good
 *
 * Invariants: every request is answered; one that fails says which server failed, and why; a program that exits is started again with the next
 * request, `MAX_STARTS` times at most; nothing runs after the disposal.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { redactText } from "../../src/protocol/redaction/redact";
import { AgentError } from "../errors";
import type { Channel, Closed } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { RpcCode, RpcError } from "../rpc/message";
import { ConnectionClosed } from "../rpc/peer";
import { serveClassic } from "./as-classic";
import { StatelessFace } from "./as-stateless";
import type { Odd } from "./link";
import { Meta, STATELESS_REVISION, type StatelessServer } from "./revision";
import { channelOf } from "./transport";

/** A process that runs; its channel closes with the reason when it exits. */
export interface RunningServer {
  readonly channel: Channel;
  /** Ends the process; idempotent. */
  stop(): Promise<void>;
}

/** From the start to the first message of the program. A package runner may have to download it first. */
export const ANSWER_LIMIT_MS = 60_000;
export const MAX_STARTS = 5;

const DISCOVER = { _meta: { [Meta.version]: STATELESS_REVISION, [Meta.capabilities]: {} } };

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
  readonly #face: StatelessFace;
  readonly #server: StatelessServer;
  #starts = 0;
  #running: RunningServer | undefined;
  #isEnded = false;
  /** Why the newest process was stopped by this side. */
  #stoppedBecause: Closed | undefined;

  constructor(private readonly options: ProgramServerOptions) {
    this.#face = new StatelessFace(() => this.#started(), options.odd);
    this.#server = { request: async (method, params, request) => {
      try { return await this.#face.request(method, params, request); }
      catch (error) { throw this.#explained(error); }
    } };
  }

  /** Starts the program before its first request, as an agent does with those that it starts. A failure is logged. */
  warmUp(): void {
    const options = { signal: new AbortController().signal, notification: () => undefined };
    this.#server.request("server/discover", DISCOVER, options).catch(() => undefined);
  }

  /** Serves one client of the program. Never rejects: a program that fails answers with errors. */
  async connect(transport: Transport): Promise<void> { serveClassic(this.#server, channelOf(transport), this.options.odd); }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    await this.#running?.stop();
    await this.#face[Symbol.asyncDispose]();
  }

  async #started(): Promise<Channel> {
    const { title, start, clock } = this.options;
    const server = `The MCP server “${title}”`, often = `${MAX_STARTS} times in this session`;
    if (this.#isEnded) throw new RpcError(RpcCode.internalError, `${server} has ended with its session.`);
    if (++this.#starts > MAX_STARTS) throw new RpcError(RpcCode.internalError, `${server} was started ${often} and exited.`);
    await this.#running?.stop();
    this.#stoppedBecause = undefined;
    const running = await start();
    this.#running = running;
    if (this.#isEnded) await running.stop();
    const late = clock.after(ANSWER_LIMIT_MS, () => {
      this.#stoppedBecause = { message: `${server} did not answer within ${ANSWER_LIMIT_MS / 1000} seconds.` };
      void running.stop();
    });
    return watched(running, () => late[Symbol.dispose](), reason => this.#stoppedBecause ?? reason);
  }

  /** The end of a process as an error of the request that it failed. */
  #explained(error: unknown): unknown {
    if (error instanceof RpcError && !(error instanceof ConnectionClosed)) return error;
    const message = sentenceOf(error instanceof ConnectionClosed ? error.reason : error);
    this.options.odd(`the MCP server “${this.options.title}” failed`, message);
    return new RpcError(RpcCode.internalError, message);
  }
}

/** `answered` is called with the first message, and at the end. */
function watched({ channel, stop }: RunningServer, answered: () => void, explain: (reason: Closed) => Closed): Channel {
  return {
    start: receiver => channel.start({
      receive: frame => {
        answered();
        return receiver.receive(frame);
      },
      closed: reason => {
        answered();
        receiver.closed(explain(reason));
      },
    }),
    send: frame => channel.send(frame),
    drained: () => channel.drained(),
    [Symbol.asyncDispose]: async () => {
      answered();
      await stop();
    },
  };
}

/** The cause of a process' end is what it printed last. */
function sentenceOf(reason: unknown): string {
  const what = reason instanceof AgentError ? reason.what : reason instanceof Error || isClosed(reason) ? reason.message : String(reason);
  const cause = reason instanceof AgentError && typeof reason.cause === "string" ? ` It printed last: ${reason.cause}` : "";
  return redactText(`${what}${cause}`);
}

function isClosed(reason: unknown): reason is Closed { return typeof reason === "object" && reason !== null && "message" in reason; }
