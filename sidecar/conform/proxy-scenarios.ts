/**
 * Conversations with a proxy under test, one process per conversation. The kit is the conductor: the proxy's client and
 * its successor.
 */
import { arrayOr, isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { initializeParams, ScriptedClient } from "./agent-client";
import type { CheckOptions } from "./agent-scenarios";
import type { RequestMessage } from "./conversation";
import { Driver, type Outcome, type Reply } from "./driver";
import type { Conversation } from "./recording";
import {
  addedServerIds,
  CLIENT_SERVER,
  CLIENT_SERVERS,
  CLIENT_TOOLS,
  CONFORM_META,
  ECHO,
  EXACT,
  FAIL,
  FAILURE,
  MARK,
  PERMISSION,
  TRIED_DIALECTS,
  SESSION,
  NOTIFY,
  UPDATES,
  WAIT,
  type TriedDialect,
} from "./proxy-traffic";
import { PROBE_METHOD, UNKNOWN_METHOD } from "./rules/wire-rules";
import { VERSIONS, type Version } from "./schema";
import { MCP_METHODS } from "../mcp/methods";
import { McpCode, Meta, STATELESS_REVISION, withMeta } from "../mcp/revision";
import { AGENT_METHODS, CLIENT_METHODS, PROTOCOL_METHODS, UPDATE_KINDS } from "../acp/methods";

export async function runProxyScenarios(options: CheckOptions): Promise<readonly Conversation[]> {
  const conversations: Conversation[] = [];
  const record = async (session: ProxySession): Promise<void> => {
    const conversation = await session.driver.end();
    conversations.push(conversation);
    options.onConversation?.(conversation);
  };
  for (const version of VERSIONS) {
    let supported: TriedDialect | undefined;
    for (const dialect of TRIED_DIALECTS) {
      const session = new ProxySession(options, dialect, version);
      if (await session.initialize()) {
        supported = dialect;
        await session.run();
      }
      await record(session);
      if (supported) break;
    }
    if (supported?.name !== "proxy") continue;
    const proxySession = new ProxySession(options, TRIED_DIALECTS[1] ?? supported, version, "other-dialect");
    await proxySession.initialize();
    await record(proxySession);
  }
  return conversations;
}

class ProxySession {
  readonly driver: Driver;
  readonly #client = new ScriptedClient(true);
  readonly #dialect: TriedDialect;
  readonly #version: Version;
  /** Version between the proxy and its successor. */
  #successorVersion: Version = 1;
  /** Ids of the MCP servers over ACP that the proxy has added to `session/new`. */
  #addedServers: readonly string[] = [];
  /** Id of the envelope of a request that is waiting for its cancellation. */
  #waiting: unknown;

  constructor(
    private readonly options: CheckOptions,
    dialect: TriedDialect,
    version: Version,
    name = `dialect-${dialect.name}`,
  ) {
    this.#dialect = dialect;
    this.#version = version;
    this.driver = new Driver(options.start(), {
      scenario: `${name}-v${version}`,
      requested: version,
      version,
      clock: options.clock,
      limits: options.limits,
      respond: request => this.#respond(request),
    });
  }

  async initialize(): Promise<boolean> {
    const params = marked(initializeParams(this.#version, this.#version, true));
    const ofDialect = this.#dialect.name === "meta" ? { ...params, _meta: { proxy: true } } : params;
    const outcome = await this.driver.request(this.#dialect.initialize, ofDialect, "initialize-1");
    return outcome.kind === "result" && objectOr(outcome.result).protocolVersion === this.#version;
  }

  async run(): Promise<void> {
    const { driver } = this;
    const setup = { cwd: this.options.cwd, mcpServers: CLIENT_SERVERS[this.#version] };
    await driver.request(AGENT_METHODS.session_new, setup);
    await this.#callServers();
    await this.#requestExact(ECHO);
    driver.sendLine(`{"jsonrpc":"2.0","method":"${NOTIFY}","params":${EXACT}}`);
    await driver.request(FAIL, {});
    await driver.request(UNKNOWN_METHOD, {}, "unknown-1");
    await driver.request(AGENT_METHODS.session_prompt, {
      sessionId: SESSION,
      prompt: [{ type: "text", text: "Hello" }],
    });
    this.#notifyFromSuccessor(NOTIFY, EXACT);
    await this.#requestFromSuccessor(ECHO, EXACT);
    driver.notify(AGENT_METHODS.session_cancel, { sessionId: SESSION });
    const id = driver.newId(),
      response = driver.request(WAIT, {}, id);
    await driver.until(message => message.kind === "request" && objectOr(message.params).method === WAIT);
    driver.notify(PROTOCOL_METHODS.cancel_request, { requestId: id });
    await response;
    driver.notify(UNKNOWN_METHOD, {});
    await driver.request(PROBE_METHOD, {});
    await driver.request(AGENT_METHODS.session_resume, { sessionId: SESSION, ...setup });
  }

  /** Calls the servers that the proxy has added, and the server of the client, as an agent does. */
  async #callServers(): Promise<void> {
    for (const serverId of this.#addedServers) {
      await this.#callServer(serverId, MCP_METHODS.tools_list);
      await this.#callServer(serverId, UNKNOWN_METHOD);
    }
    await this.#callServer(CLIENT_SERVER, MCP_METHODS.tools_list);
  }

  #callServer(serverId: string, method: string): Promise<Outcome> {
    const params = withMeta({}, { [Meta.version]: STATELESS_REVISION, [Meta.capabilities]: {} });
    const requestId = `conform-${this.driver.newId()}`;
    return this.#requestFromSuccessor(
      CLIENT_METHODS.mcp_message,
      JSON.stringify({ serverId, requestId, method, params }),
    );
  }

  /** Sends a request with `EXACT` as params. */
  #requestExact(method: string): Promise<Outcome> {
    const id = this.driver.newId(),
      response = this.driver.expect(id);
    this.driver.sendLine(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${EXACT}}`);
    return response;
  }

  #notifyFromSuccessor(method: string, params: string): void {
    const envelope = `{"method":"${method}","params":${params}}`;
    this.driver.sendLine(`{"jsonrpc":"2.0","method":"${this.#dialect.notification}","params":${envelope}}`);
  }

  #requestFromSuccessor(method: string, params: string): Promise<Outcome> {
    const id = this.driver.newId(),
      response = this.driver.expect(id);
    const envelope = `{"method":"${method}","params":${params}}`;
    this.driver.sendLine(`{"jsonrpc":"2.0","id":${id},"method":"${this.#dialect.request}","params":${envelope}}`);
    return response;
  }

  #respond(request: RequestMessage): Reply {
    const { method, params } = objectOr(request.params);
    if (request.method === this.#dialect.request && typeof method === "string")
      return this.#successor(request.id, method, params);
    if (request.method === ECHO) return this.#echo(request.id);
    if (request.method === CLIENT_METHODS.mcp_message) return this.#clientServer(request);
    if (request.method !== CLIENT_METHODS.session_request_permission) return this.#client.respond(request);
    return { result: { outcome: { outcome: "selected", optionId: PERMISSION.options[1].optionId } } };
  }

  #clientServer({ params }: RequestMessage): Reply {
    const { serverId } = objectOr(params);
    return serverId === CLIENT_SERVER
      ? { result: { result: CLIENT_TOOLS } }
      : { error: { code: McpCode.unavailable, message: "The client has no MCP server of this id." } };
  }

  /** Responds with `EXACT`. */
  #echo(id: unknown): undefined {
    this.driver.sendLine(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${EXACT}}`);
  }

  /** The kit's agent, as the successor of the proxy. */
  #successor(id: unknown, method: string, params: unknown): Reply {
    switch (method) {
      case AGENT_METHODS.initialize:
        return { result: this.#initialized(objectOr(params)) };
      case AGENT_METHODS.session_new:
        this.#addedServers = addedServerIds(arrayOr(objectOr(params).mcpServers));
        return { result: { sessionId: SESSION } };
      case AGENT_METHODS.session_resume:
        return { result: {} };
      case AGENT_METHODS.session_prompt:
        void this.#turn(id, stringOr(objectOr(params).sessionId, SESSION));
        return undefined;
      case ECHO:
        return this.#echo(id);
      case FAIL:
        return { error: FAILURE };
      case WAIT:
        this.#waitForCancel(id);
        return undefined;
      default:
        return { error: { code: -32_601, message: `The successor has no method ${method}.` } };
    }
  }

  /** Agrees on the version that the proxy requests, up to the version of the scenario. */
  #initialized({ protocolVersion }: JsonObject): JsonObject {
    const info = { name: "symposium-conform-agent", version: "1.0.0" };
    this.#successorVersion = this.#version === 2 && Number(protocolVersion) >= 2 ? 2 : 1;
    return marked(
      this.#successorVersion === 1
        ? {
            protocolVersion: 1,
            agentInfo: info,
            agentCapabilities: { mcpCapabilities: { acp: true }, sessionCapabilities: { resume: {} } },
          }
        : { protocolVersion: 2, info, capabilities: { session: { mcp: { stdio: {}, acp: {} } } } },
    );
  }

  async #turn(id: unknown, sessionId: string): Promise<void> {
    const update = (body: JsonObject): void =>
      this.#notifyFromSuccessor(CLIENT_METHODS.session_update, JSON.stringify({ sessionId, update: body }));
    const messageId = "conform-message",
      isV2 = this.#successorVersion === 2;
    if (isV2) this.driver.reply(id, { result: { messageId: "conform-prompt" } });
    for (let n = 1; n <= UPDATES; n++) {
      update({
        sessionUpdate: UPDATE_KINDS.agent_message_chunk,
        messageId,
        content: { type: "text", text: `update ${n}` },
      });
    }
    await this.#requestFromSuccessor(
      CLIENT_METHODS.session_request_permission,
      JSON.stringify(isV2 ? { ...withoutCall(), sessionId, title: "Do nothing" } : { ...PERMISSION, sessionId }),
    );
    for (let n = UPDATES + 1; n <= 2 * UPDATES; n++) {
      update({
        sessionUpdate: UPDATE_KINDS.agent_message_chunk,
        messageId,
        content: { type: "text", text: `update ${n}` },
      });
    }
    if (isV2) update({ sessionUpdate: UPDATE_KINDS.state_update, state: "idle", stopReason: "end_turn" });
    else this.driver.reply(id, { result: { stopReason: "end_turn" } });
  }

  #waitForCancel(id: unknown): void {
    this.#waiting = id;
    void this.driver
      .until(message => message.kind === "notification" && this.#cancels(message.method, message.params), WAIT_MS)
      .then(() => this.driver.reply(id, { error: { code: -32_800, message: "The request was cancelled." } }));
  }

  /** A cancellation arrives on the connection itself or, in older dialects, in an envelope. */
  #cancels(method: string, params: unknown): boolean {
    if (method === PROTOCOL_METHODS.cancel_request) return objectOr(params).requestId === this.#waiting;
    const inner = objectOr(params);
    return inner.method === PROTOCOL_METHODS.cancel_request && isObject(inner.params);
  }
}

/** Time in milliseconds that the successor waits for a cancellation. */
const WAIT_MS = 3000;

/** Adds a custom member to `_meta` of the capabilities. */
function marked(message: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) =>
      /^(client|agent)?capabilities$/i.test(name)
        ? [name, { ...objectOr(value), _meta: { [CONFORM_META]: MARK } }]
        : [name, value],
    ),
  );
}

function withoutCall(): JsonObject {
  return { options: PERMISSION.options };
}
