/**
 * The kit's agent for a client under test. Each prompt starts one turn that exercises the features that the client
 * supports. The conversation ends when the client closes the connection.
 */
import type { Clock } from "../rpc/clock";
import { objectOr, stringOr, type JsonObject } from "../rpc/json";
import { clientCapabilities, isSupported, type RequestMessage } from "./conversation";
import { Driver, type Limits, type Reply, type Subject } from "./driver";
import type { Conversation, RecordedEvent } from "./recording";
import { PROBE_METHOD, UNKNOWN_METHOD } from "./rules/wire-rules";
import type { Version } from "./schema";
import { AGENT_METHODS, CLIENT_METHODS, UPDATE_KINDS } from "../acp/methods";

export interface AgentOptions {
  /** The client as a program with standard streams: its output is the agent's stdin. */
  readonly client: Subject;
  /** Latest version that the agent supports. */
  readonly version: Version;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Name of the conversation, unique in a run of the kit. */
  readonly name: string;
  readonly onEvent?: ((event: RecordedEvent) => void) | undefined;
}

/** Update type that no version defines. Clients must ignore it. */
export const CUSTOM_UPDATE = "_symposium.dev/conform";
export const OPTION_IDS = ["conform-once", "conform-never"] as const;
const OPTIONS = [
  { optionId: OPTION_IDS[0], name: "Allow", kind: "allow_once" },
  { optionId: OPTION_IDS[1], name: "Reject", kind: "reject_once" },
];

/** Resolves when the client has closed the connection. The result contains the negotiated version. */
export async function serveClient(options: AgentOptions): Promise<Conversation> {
  const agent = new ScriptedAgent(options);
  await agent.driver.exited();
  return { ...agent.driver.conversation, version: agent.negotiated };
}

interface Session {
  readonly cwd: string;
  isCancelled: boolean;
}

class ScriptedAgent {
  readonly driver: Driver;
  readonly #version: Version;
  /** Version of the connection. */
  negotiated: Version;
  readonly #sessions = new Map<string, Session>();
  /** Number of the most recently created session. */
  #created = 0;
  #turns = 0;

  constructor({ client, version, clock, limits, name, onEvent }: AgentOptions) {
    this.#version = this.negotiated = version;
    this.driver = new Driver(client, {
      scenario: name,
      requested: version,
      version,
      clock,
      limits,
      onEvent,
      respond: request => this.#respond(request),
    });
  }

  #respond({ id, method, params }: RequestMessage): Reply {
    const fields = objectOr(params);
    switch (method) {
      case AGENT_METHODS.initialize:
        return { result: this.#initialized(fields) };
      case AGENT_METHODS.session_new:
        return { result: this.#opened(fields) };
      case AGENT_METHODS.session_prompt:
        return this.#prompt(id, fields);
      default:
        return (this.negotiated === 2 ? this.#stored(method, fields) : undefined) ?? this.#unknown(method);
    }
  }

  #unknown(method: string): Reply {
    return { error: { code: -32_601, message: `The agent has no method ${method}.` } };
  }

  /** Methods for stored sessions that every agent of version 2 supports. */
  #stored(method: string, params: JsonObject): Reply {
    const sessionId = stringOr(params.sessionId, "");
    switch (method) {
      case AGENT_METHODS.session_list:
        return { result: { sessions: [] } };
      case AGENT_METHODS.session_resume:
        this.#sessions.set(sessionId, { cwd: stringOr(params.cwd, "/"), isCancelled: false });
        return { result: {} };
      case AGENT_METHODS.session_close:
        this.#sessions.delete(sessionId);
        return { result: {} };
      default:
        return undefined;
    }
  }

  #initialized({ protocolVersion }: JsonObject): JsonObject {
    this.negotiated = this.#version === 2 && Number(protocolVersion) >= 2 ? 2 : 1;
    const info = { name: "symposium-conform", title: "Symposium conformance kit", version: "1.0.0" };
    if (this.negotiated === 2) return { protocolVersion: 2, info, capabilities: { session: {} } };
    return { protocolVersion: 1, agentInfo: info, agentCapabilities: {} };
  }

  #opened({ cwd }: JsonObject): JsonObject {
    let sessionId: string;
    do sessionId = `symposium-conform-${++this.#created}`;
    while (this.#sessions.has(sessionId));
    this.#sessions.set(sessionId, { cwd: stringOr(cwd, "/"), isCancelled: false });
    return { sessionId };
  }

  #prompt(id: unknown, { sessionId }: JsonObject): Reply {
    const name = stringOr(sessionId, ""),
      session = this.#sessions.get(name);
    if (!session) return { error: { code: -32_002, message: "The session does not exist." } };
    session.isCancelled = false;
    void this.#watchCancel(name, session);
    if (this.negotiated === 1) {
      void this.#turn(name, session).then(() => this.driver.reply(id, { result: { stopReason: stopReason(session) } }));
      return undefined;
    }
    const messageId = `conform-prompt-${++this.#turns}`;
    // Responds later, so that a second request with the same id is detected while the first is open.
    setImmediate(() => {
      this.driver.reply(id, { result: { messageId } });
      void this.#turnV2(name, session, messageId);
    });
    return undefined;
  }

  async #watchCancel(sessionId: string, session: Session): Promise<void> {
    const isCancel = await this.driver.until(
      message =>
        message.kind === "notification" &&
        message.method === AGENT_METHODS.session_cancel &&
        objectOr(message.params).sessionId === sessionId,
    );
    if (isCancel) session.isCancelled = true;
  }

  #update(sessionId: string, update: JsonObject): void {
    this.driver.notify(CLIENT_METHODS.session_update, { sessionId, update });
  }

  /**
   * Sends messages that a client must tolerate. A probe request after each message checks that the client still
   * responds.
   */
  async #common(sessionId: string): Promise<void> {
    this.#update(sessionId, { sessionUpdate: CUSTOM_UPDATE, note: "ignore" });
    await this.driver.request(PROBE_METHOD, {});
    this.driver.notify(UNKNOWN_METHOD, {});
    await this.driver.request(PROBE_METHOD, {});
    await this.driver.request(UNKNOWN_METHOD, {}, `unknown-${++this.#turns}`);
  }

  async #turn(sessionId: string, session: Session): Promise<void> {
    const toolCallId = `conform-call-${++this.#turns}`,
      { fs, terminal } = clientCapabilities(this.driver.conversation, "fromProgram");
    this.#update(sessionId, {
      sessionUpdate: UPDATE_KINDS.plan,
      entries: [{ content: "Check the client", priority: "medium", status: "pending" }],
    });
    await this.#common(sessionId);
    this.#update(sessionId, {
      sessionUpdate: UPDATE_KINDS.tool_call,
      toolCallId,
      title: "Conformance check",
      kind: "other",
      status: "pending",
    });
    await this.driver.request(CLIENT_METHODS.session_request_permission, {
      sessionId,
      toolCall: { toolCallId },
      options: OPTIONS,
    });
    if (isSupported(objectOr(fs).readTextFile)) {
      const path = `${session.cwd}/symposium-conform-no-such-file.txt`;
      await this.driver.request(CLIENT_METHODS.fs_read_text_file, { sessionId, path });
    }
    if (isSupported(terminal)) await this.#terminal(sessionId, session.cwd);
    this.#update(sessionId, { sessionUpdate: UPDATE_KINDS.tool_call_update, toolCallId, status: "completed" });
    this.#update(sessionId, {
      sessionUpdate: UPDATE_KINDS.agent_message_chunk,
      content: { type: "text", text: "The check is complete." },
    });
  }

  /** Runs the current Node executable, which exits immediately. */
  async #terminal(sessionId: string, cwd: string): Promise<void> {
    const outcome = await this.driver.request(CLIENT_METHODS.terminal_create, {
      sessionId,
      command: process.execPath,
      args: ["--version"],
      cwd,
    });
    const { terminalId } = outcome.kind === "result" ? objectOr(outcome.result) : {};
    if (typeof terminalId !== "string") return;
    for (const method of [
      CLIENT_METHODS.terminal_wait_for_exit,
      CLIENT_METHODS.terminal_output,
      CLIENT_METHODS.terminal_release,
    ]) {
      await this.driver.request(method, { sessionId, terminalId });
    }
  }

  async #turnV2(sessionId: string, session: Session, messageId: string): Promise<void> {
    const toolCallId = `conform-call-${++this.#turns}`;
    this.#update(sessionId, {
      sessionUpdate: UPDATE_KINDS.user_message,
      messageId,
      content: [{ type: "text", text: "…" }],
    });
    this.#update(sessionId, { sessionUpdate: UPDATE_KINDS.state_update, state: "running" });
    await this.#common(sessionId);
    this.#update(sessionId, {
      sessionUpdate: UPDATE_KINDS.tool_call_update,
      toolCallId,
      title: "Conformance check",
      kind: "other",
      status: "pending",
    });
    const subject = { type: "tool_call", toolCall: { toolCallId } };
    await this.driver.request(CLIENT_METHODS.session_request_permission, {
      sessionId,
      title: "Conformance check",
      subject,
      options: OPTIONS,
    });
    this.#update(sessionId, { sessionUpdate: UPDATE_KINDS.tool_call_update, toolCallId, status: "completed" });
    const content = { type: "text", text: "The check is complete." };
    this.#update(sessionId, {
      sessionUpdate: UPDATE_KINDS.agent_message_chunk,
      messageId: `${messageId}-answer`,
      content,
    });
    this.#update(sessionId, {
      sessionUpdate: UPDATE_KINDS.state_update,
      state: "idle",
      stopReason: stopReason(session),
    });
  }
}

function stopReason({ isCancelled }: Session): string {
  return isCancelled ? "cancelled" : "end_turn";
}
