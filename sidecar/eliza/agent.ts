/**
 * Eliza as an ACP agent (v1) over any channel. Tests use this built-in agent, too.
 *
 * Invariants:
 * - A session runs one prompt at a time.
 * - Each prompt is answered once, after its last update, also when it is cancelled, its session is closed or the client
 *   disconnects.
 * - Sessions share no state.
 * - After disposal, no MCP server that was started for a prompt is running.
 */
import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import { LISTS_ON_DEMAND } from "../mcp/agent-mcp-capabilities";
import { invalid, readMcpServers, type McpServer } from "../mcp/read-mcp-servers";
import type { Channel } from "../rpc/channel";
import { realClock, type Clock } from "../rpc/clock";
import { isObject, type JsonObject } from "../rpc/json";
import { RpcCode, RpcError } from "../rpc/message";
import { methodNotFound, Peer, type IncomingRequest } from "../rpc/peer";
import { RUN_ID } from "../process/child-environment";
import { readPrompt } from "./commands";
import { DOCTOR } from "./doctor-script";
import { Eliza } from "./engine";
import { promptText } from "./prompt-text";
import { compile, type CompiledScript } from "./script-compiler";
import { carryOut } from "./tool-commands";
import { AGENT_METHODS, CLIENT_METHODS, UPDATE_KINDS } from "../acp/methods";

export interface ElizaOptions {
  /** Each session starts with the same replies. */
  readonly deterministic: boolean;
  /** Returns a number from 0 to 1, for sessions that are not deterministic. */
  readonly random?: () => number;
  /** The version in the `initialize` result. Defaults to `1.0.0`. */
  readonly version?: string;
  readonly clock?: Clock;
  /** Reports protocol violations for the log. */
  readonly onWarning?: (what: string, detail: unknown) => void;
}

export interface RunningEliza extends AsyncDisposable {
  /** Resolves when the client has disconnected. The caller then disposes the agent. */
  readonly closed: Promise<void>;
}

/** Serves the channel until disposed. */
export function serveEliza(channel: Channel, options: ElizaOptions): RunningEliza {
  return new ElizaAgent(channel, options);
}

/** A component for the end of a chain. */
export function elizaAgent(options: ElizaOptions): (channel: Channel) => AsyncDisposable {
  return channel => serveEliza(channel, options);
}

interface Turn {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}
interface Session {
  readonly eliza: Eliza;
  readonly cwd: string;
  readonly servers: readonly McpServer[];
  turn?: Turn | undefined;
}

const AGENT = "elizacp",
  TITLE = "Eliza",
  VERSION = "1.0.0",
  PROTOCOL_VERSION = 1;
let doctor: CompiledScript | undefined;

class ElizaAgent implements RunningEliza {
  readonly #options: ElizaOptions;
  readonly #peer: Peer;
  readonly #sessions = new Map<string, Session>();
  /** Connections to MCP servers that are being closed. */
  readonly #closing = new Set<Promise<void>>();
  readonly closed: Promise<void>;

  constructor(channel: Channel, options: ElizaOptions) {
    this.#options = options;
    let settleClosed = () => {};
    this.closed = new Promise(resolve => {
      settleClosed = resolve;
    });
    this.#peer = new Peer(channel, {
      request: request => this.#request(request),
      notification: (method, params) => this.#notification(method, params),
      closed: () => settleClosed(), // the peer has already aborted every open prompt
      ...(options.onWarning === undefined ? {} : { onWarning: options.onWarning }),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map(sessionId => this.#end(sessionId)));
    await this.#peer[Symbol.asyncDispose]();
    await Promise.all(this.#closing);
  }

  /** A thrown error becomes the response. */
  #request(request: IncomingRequest): void {
    const { method } = request;
    const params: JsonObject = isObject(request.params) ? request.params : {};
    switch (method) {
      case AGENT_METHODS.initialize:
        return request.respond(this.#initialize(params));
      case AGENT_METHODS.session_new:
        return request.respond(this.#new(params));
      case AGENT_METHODS.session_prompt:
        return this.#prompt(request, params);
      case AGENT_METHODS.session_close: {
        this.#session(params);
        void this.#end(String(params.sessionId)).then(() => request.respond({}));
        return;
      }
      default:
        throw methodNotFound(method);
    }
  }

  #notification(method: string, params: unknown): void {
    if (method !== AGENT_METHODS.session_cancel || !isObject(params) || typeof params.sessionId !== "string") return;
    this.#sessions.get(params.sessionId)?.turn?.stop.abort();
  }

  #initialize({ protocolVersion }: JsonObject): JsonObject {
    if (!Number.isInteger(protocolVersion)) throw invalid("protocolVersion", "an integer");
    return {
      protocolVersion: PROTOCOL_VERSION, // the newest and only one
      agentInfo: { name: AGENT, title: TITLE, version: this.#options.version ?? VERSION },
      agentCapabilities: {
        loadSession: false,
        mcpCapabilities: { http: true, sse: false },
        promptCapabilities: { embeddedContext: true },
        sessionCapabilities: { close: {} },
        _meta: { [LISTS_ON_DEMAND]: true }, // Eliza has no model that could receive a list
      },
      authMethods: [],
    };
  }

  #new({ cwd, mcpServers }: JsonObject): JsonObject {
    if (typeof cwd !== "string" || !isAbsolute(cwd)) throw invalid("cwd", "an absolute path");
    const servers = readMcpServers(mcpServers),
      sessionId = randomUUID();
    this.#sessions.set(sessionId, { eliza: new Eliza((doctor ??= compile(DOCTOR)), this.#options), cwd, servers });
    return { sessionId };
  }

  #session({ sessionId }: JsonObject): Session {
    if (typeof sessionId !== "string") throw invalid("sessionId", "a string");
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw new RpcError(RpcCode.notFound, `Unknown session “${sessionId}”.`, { sessionId });
    return session;
  }

  #prompt(request: IncomingRequest, params: JsonObject): void {
    const session = this.#session(params),
      text = promptText(params.prompt);
    if (session.turn !== undefined)
      throw new RpcError(RpcCode.invalidRequest, "This session is still processing the previous prompt.");
    const stop = new AbortController();
    request.signal.addEventListener("abort", () => stop.abort(), { once: true });
    const sendUpdate = (update: JsonObject) =>
      this.#peer.notify(CLIENT_METHODS.session_update, { sessionId: params.sessionId, update });
    const ended = this.#answer(session, text, stop.signal, sendUpdate)
      .then(
        () => () => request.respond({ stopReason: stop.signal.aborted ? "cancelled" : "end_turn" }),
        (error: unknown) => () => request.fail(error),
      )
      .then(settle => {
        session.turn = undefined; // before the response, because the next prompt may follow immediately
        settle();
      });
    session.turn = { stop, ended };
  }

  async #answer(
    session: Session,
    text: string,
    signal: AbortSignal,
    update: (payload: JsonObject) => void,
  ): Promise<void> {
    const command = readPrompt(text),
      messageId = randomUUID();
    const answer =
      command.kind === "talk"
        ? session.eliza.reply(command.text)
        : await carryOut(command, {
            servers: session.servers,
            cwd: session.cwd,
            clock: this.#options.clock ?? realClock,
            signal,
            update,
            client: { name: AGENT, version: this.#options.version ?? VERSION },
            environment: runId(),
            closing: done => this.#track(done),
          });
    for (const piece of wordGroups(answer)) {
      if (signal.aborted) return;
      update({ sessionUpdate: UPDATE_KINDS.agent_message_chunk, messageId, content: { type: "text", text: piece } });
      await this.#peer.drained();
      await new Promise(resolve => setImmediate(resolve)); // yields, so that a cancellation can be handled
    }
  }

  #track(done: Promise<void>): void {
    const tracked = done.finally(() => this.#closing.delete(tracked));
    this.#closing.add(tracked);
  }

  async #end(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    session?.turn?.stop.abort();
    await session?.turn?.ended;
  }
}

const MIN_GROUP_SIZE = 3,
  MAX_GROUPS = 200;

/** Splits `text` into pieces of a few words, which join to exactly `text`. A long text has more words per piece. */
export function wordGroups(text: string): readonly string[] {
  const words = text.match(/\S+\s*|^\s+/g) ?? [];
  const size = Math.max(MIN_GROUP_SIZE, Math.ceil(words.length / MAX_GROUPS));
  return Array.from({ length: Math.ceil(words.length / size) }, (_, i) =>
    words.slice(i * size, (i + 1) * size).join(""),
  );
}

/** An environment variable that MCP servers inherit, so that a leaked server can be found. */
function runId(): Readonly<Record<string, string>> {
  const run = process.env[RUN_ID];
  return run === undefined ? {} : { [RUN_ID]: run };
}
