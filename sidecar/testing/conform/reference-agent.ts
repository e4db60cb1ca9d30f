/**
 * Conforming agent for ACP v1 and v2 that uses most of the specification, for tests of the conformance kit. Does not
 * use the project's JSON-RPC, so that both cannot share a bug. Hooks inject faults.
 */
import { arrayOr, objectOr, stringOr, type JsonObject } from "../../rpc/json";
import type { Served, Serving } from "./memory-subject";

/** One deviation from the protocol. */
export interface Fault {
  /** Replaces a message that the agent writes, by any number of messages or raw lines. */
  readonly out?: (message: JsonObject, agent: ReferenceAgent) => readonly (JsonObject | string)[];
  /** Replaces a message that the agent receives. If the hook returns undefined, the agent ignores the message. */
  readonly in?: (message: JsonObject, agent: ReferenceAgent) => JsonObject | undefined;
  readonly ignoresInputEnd?: true;
  readonly exitsOnGarbage?: true;
}

/** Persisted state of an agent: sessions that had a turn. */
export type Store = Map<string, { hasTurn: boolean }>;

interface Session {
  cancelled: boolean;
  busy: unknown;
  closed: boolean;
}

const INVALID_PARAMS = -32602,
  METHOD_NOT_FOUND = -32601,
  NOT_FOUND = -32002;

class Rejected extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export class ReferenceAgent implements Served {
  version = 1;
  /** Received requests of the client by id. */
  readonly asked = new Map<unknown, JsonObject>();
  /** State for faults. `hasClosed`: a session was closed. `dropped`: id of a cancelled request. */
  hasClosed = false;
  dropped: unknown;
  readonly #serving: Serving;
  readonly #store: Store;
  readonly #fault: Fault;
  readonly #sessions = new Map<string, Session>();
  readonly #open = new Map<unknown, (message: JsonObject) => void>();
  #client: JsonObject = {};
  #nextId = 0;
  #tools = 0;

  constructor(serving: Serving, store: Store, fault: Fault = {}) {
    this.#serving = serving;
    this.#store = store;
    this.#fault = fault;
  }

  line(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return this.#garbage(-32700);
    }
    if (Array.isArray(value)) return this.#garbage(-32600);
    const message = this.#fault.in ? this.#fault.in(objectOr(value), this) : objectOr(value);
    if (message) this.#receive(message);
  }

  inputClosed(): void {
    if (!this.#fault.ignoresInputEnd) this.#serving.exit("exit code 0");
  }

  write(message: JsonObject): void {
    const written = this.#fault.out
      ? this.#fault.out({ jsonrpc: "2.0", ...message }, this)
      : [{ jsonrpc: "2.0", ...message }];
    for (const item of written) this.#serving.write(typeof item === "string" ? item : JSON.stringify(item));
  }

  update(sessionId: string, update: JsonObject): void {
    this.write({ method: "session/update", params: { sessionId, update } });
  }

  request(method: string, params: JsonObject): Promise<JsonObject> {
    const id = this.#nextId++;
    return new Promise(resolve => {
      this.#open.set(id, resolve);
      this.write({ id, method, params });
    });
  }

  #garbage(code: number): void {
    if (this.#fault.exitsOnGarbage) return this.#serving.exit("exit code 1");
    this.write({ id: null, error: { code: code, message: "The line was not understood." } });
  }

  #receive(message: JsonObject): void {
    const { id, method } = message;
    if (typeof method !== "string") {
      this.#open.get(id)?.(message);
      this.#open.delete(id);
      return;
    }
    if (!("id" in message)) return this.#notified(method, objectOr(message.params));
    this.asked.set(id, message);
    void this.#answer(id, method, objectOr(message.params)).catch((error: unknown) => {
      const { code, message: why } = error instanceof Rejected ? error : new Rejected(-32603, String(error));
      this.write({ id, error: { code, message: why } });
    });
  }

  #notified(method: string, { sessionId, requestId }: JsonObject): void {
    for (const [id, session] of this.#sessions) {
      const isMeant =
        method === "session/cancel" ? id === sessionId : method === "$/cancel_request" && session.busy === requestId;
      if (isMeant && session.busy !== undefined) session.cancelled = true;
    }
  }

  async #answer(id: unknown, method: string, params: JsonObject): Promise<void> {
    if (method === "session/prompt") return this.#prompt(id, params);
    this.write({ id, result: await this.#result(method, params) });
  }

  async #result(method: string, params: JsonObject): Promise<unknown> {
    const isV2 = this.version === 2;
    if (isV2 && (method === "session/load" || method === "session/set_mode"))
      throw new Rejected(METHOD_NOT_FOUND, method);
    switch (method) {
      case "initialize":
        return this.#initialize(params);
      case "authenticate":
      case "auth/login":
      case "auth/logout":
        return {};
      case "session/new":
        return { sessionId: this.#create(params), ...this.#controls() };
      case "session/fork":
        return { sessionId: this.#create(params), ...this.#controls() };
      case "session/load":
        return this.#reopen(params, true);
      case "session/resume":
        return this.#reopen(params, objectOr(params.replayFrom).type === "start");
      case "session/list":
        return this.#list(params);
      case "session/delete":
        return {};
      case "session/close":
        return this.#close(params);
      case "session/set_mode":
        return {};
      case "session/set_config_option":
        return { configOptions: this.#options() };
      default:
        throw new Rejected(METHOD_NOT_FOUND, `no method ${method}`);
    }
  }

  #initialize({ protocolVersion, clientCapabilities, capabilities }: JsonObject): JsonObject {
    this.version = protocolVersion === 1 ? 1 : 2;
    this.#client = objectOr(this.version === 1 ? clientCapabilities : capabilities);
    const info = { name: "reference-agent", version: "1.0.0" },
      prompt = { embeddedContext: true };
    if (this.version === 2) {
      return {
        protocolVersion: 2,
        info,
        authMethods: [{ type: "agent", methodId: "conform", name: "Sign in" }],
        capabilities: { session: { prompt: { embeddedContext: {} }, delete: {}, fork: {} } },
      };
    }
    return {
      protocolVersion: 1,
      agentInfo: info,
      authMethods: [{ id: "conform", name: "Sign in" }],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: prompt,
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
      },
    };
  }

  #create({ cwd }: JsonObject): string {
    if (typeof cwd !== "string" || !cwd.startsWith("/")) throw new Rejected(INVALID_PARAMS, "cwd must be absolute");
    const sessionId = `session-${this.#store.size + 1}`;
    this.#store.set(sessionId, { hasTurn: false });
    this.#sessions.set(sessionId, { cancelled: false, busy: undefined, closed: false });
    return sessionId;
  }

  #controls(): JsonObject {
    const configOptions = this.#options();
    if (this.version === 2) return { configOptions };
    return {
      configOptions,
      modes: {
        currentModeId: "ask",
        availableModes: [
          { id: "ask", name: "Ask" },
          { id: "code", name: "Code" },
        ],
      },
    };
  }

  #options(): readonly JsonObject[] {
    const idName = this.version === 1 ? "id" : "configId",
      { configOptions } = objectOr(this.#client.session);
    const select = {
      [idName]: "model",
      name: "Model",
      type: "select",
      currentValue: "small",
      options: [{ value: "small", name: "Small" }],
    };
    const hasBoolean = this.version === 2 || objectOr(configOptions).boolean !== undefined;
    return hasBoolean ? [select, { [idName]: "fast", name: "Fast", type: "boolean", currentValue: false }] : [select];
  }

  #reopen(params: JsonObject, replays: boolean): JsonObject {
    const sessionId = stringOr(params.sessionId, ""),
      stored = this.#store.get(sessionId);
    if (!stored) throw new Rejected(NOT_FOUND, "no such session");
    this.#sessions.set(sessionId, { cancelled: false, busy: undefined, closed: false });
    if (replays && stored.hasTurn) {
      this.update(sessionId, {
        sessionUpdate: "user_message_chunk",
        messageId: "m1",
        content: { type: "text", text: "Hello" },
      });
    }
    return this.#controls();
  }

  #list({ cursor }: JsonObject): JsonObject {
    if (typeof cursor === "string") throw new Rejected(INVALID_PARAMS, "no such cursor");
    return { sessions: [...this.#store.keys()].map(sessionId => ({ sessionId, cwd: "/workspace" })) };
  }

  #close({ sessionId }: JsonObject): JsonObject {
    const session = this.#sessions.get(stringOr(sessionId, ""));
    if (session) session.cancelled = session.closed = true;
    return {};
  }

  async #prompt(id: unknown, params: JsonObject): Promise<void> {
    const sessionId = stringOr(params.sessionId, ""),
      session = this.#sessions.get(sessionId);
    if (!session) throw new Rejected(NOT_FOUND, "no such session");
    session.busy = id;
    session.cancelled = false;
    this.#store.set(sessionId, { hasTurn: true });
    const messageId = `prompt-${String(id)}`;
    if (this.version === 2) {
      this.write({ id, result: { messageId } });
      this.update(sessionId, { sessionUpdate: "user_message", messageId, content: arrayOr(params.prompt) });
      this.update(sessionId, { sessionUpdate: "state_update", state: "running" });
    }
    await (this.version === 1 ? this.#turn(sessionId, session) : this.#turnV2(sessionId, session));
    session.busy = undefined;
    const stopReason = session.cancelled ? "cancelled" : "end_turn";
    if (this.version === 1) this.write({ id, result: { stopReason } });
    else this.update(sessionId, { sessionUpdate: "state_update", state: "idle", stopReason });
  }

  async #turn(sessionId: string, session: Session): Promise<void> {
    const toolCallId = `call-${++this.#tools}`,
      { fs, terminal, elicitation } = this.#client;
    const content: JsonObject[] = [];
    if (terminal === true) {
      const { result } = await this.request("terminal/create", { sessionId, command: "true", cwd: "/workspace" });
      content.push({ type: "terminal", terminalId: objectOr(result).terminalId });
    }
    this.update(sessionId, {
      sessionUpdate: "tool_call",
      toolCallId,
      title: "Read a file",
      kind: "read",
      status: "pending",
      content,
      locations: [{ path: "/workspace/notes.txt" }],
    });
    const allowed = await this.request("session/request_permission", {
      sessionId,
      toolCall: { toolCallId },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    if (objectOr(objectOr(allowed.result).outcome).outcome === "cancelled") session.cancelled = true;
    this.update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
    if (objectOr(fs).readTextFile === true)
      await this.request("fs/read_text_file", { sessionId, path: "/workspace/notes.txt" });
    for (const { terminalId } of content) await this.request("terminal/release", { sessionId, terminalId });
    if (elicitation !== undefined && !session.cancelled)
      await this.request("elicitation/create", elicitationOf(sessionId));
    this.update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
    this.update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Done." } });
  }

  async #turnV2(sessionId: string, session: Session): Promise<void> {
    const toolCallId = `call-${++this.#tools}`;
    this.update(sessionId, {
      sessionUpdate: "tool_call_update",
      toolCallId,
      title: "Read a file",
      kind: "read",
      status: "in_progress",
      locations: [{ path: "/workspace/notes.txt" }],
    });
    const allowed = await this.request("session/request_permission", {
      sessionId,
      title: "Read a file",
      subject: { type: "tool_call", toolCall: { toolCallId } },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    if (objectOr(objectOr(allowed.result).outcome).outcome === "cancelled") session.cancelled = true;
    if (this.#client.elicitation !== undefined && !session.cancelled)
      await this.request("elicitation/create", elicitationOf(sessionId));
    this.update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
    this.update(sessionId, {
      sessionUpdate: "agent_message_chunk",
      messageId: "m1",
      content: { type: "text", text: "Done." },
    });
  }
}

function elicitationOf(sessionId: string): JsonObject {
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  return { sessionId, mode: "form", message: "Which name?", requestedSchema };
}
