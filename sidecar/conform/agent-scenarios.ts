/** Conversations with an agent under test, one process per conversation. The kit is the client. */
import type { Clock } from "../rpc/clock";
import { isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import { initializeParams, ScriptedClient } from "./agent-client";
import { agentCapabilities, configOptionsIn, isSupported } from "./conversation";
import { Driver, type Limits, type Outcome, type Subject } from "./driver";
import type { Conversation, WireMessage } from "./recording";
import { TOO_NEW, TOO_OLD, UNKNOWN_SESSION } from "./rules/agent-initialize-rules";
import { DELETED_SESSION, INVALID_CURSOR, supportsMethod } from "./rules/agent-session-rules";
import { PROBE_METHOD, UNKNOWN_METHOD } from "./rules/wire-rules";
import { VERSIONS, type Version } from "./schema";
import { AGENT_METHODS, CLIENT_METHODS, PROTOCOL_METHODS, UPDATE_KINDS } from "../acp/methods";

export interface CheckOptions {
  /** Starts the program. Each conversation uses a separate process. */
  readonly start: () => Subject;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Absolute path: the working directory of sessions. */
  readonly cwd: string;
  /** Texts that are sent as prompts. */
  readonly prompts: readonly string[];
  /** Id of the authentication method to use, if any. */
  readonly auth?: string | undefined;
  /** Called when a conversation has ended. */
  readonly onConversation?: (conversation: Conversation) => void;
}

/** Runs all scenarios. Never rejects because of a failure of the program. */
export async function runAgentScenarios(options: CheckOptions): Promise<readonly Conversation[]> {
  const conversations: Conversation[] = [];
  const run = async (
    scenario: string,
    version: Version,
    script: (session: AgentSession) => Promise<void>,
    requested: number = version,
  ) => {
    const session = new AgentSession(options, `${scenario}-v${version}`, version, requested, scenario !== "bare");
    if (await session.initialize()) await script(session);
    const conversation = await session.driver.end();
    conversations.push(conversation);
    options.onConversation?.(conversation);
    return session;
  };
  await run("too-old", 1, async () => undefined, TOO_OLD);
  await run("too-new", 1, async () => undefined, TOO_NEW);
  for (const version of VERSIONS) {
    const first = await run("session", version, sessionScript);
    if (!first.isInitialized) continue;
    await run("bare", version, bareScript);
    await run("cancel", version, cancelScript);
    await run("malformed", version, malformedScript);
    await run("stored", version, session => storedScript(session, first.sessionId));
  }
  return conversations;
}

class AgentSession {
  readonly driver: Driver;
  readonly client: ScriptedClient;
  isInitialized = false;
  /** The first session of the conversation. */
  sessionId = "";
  /** Result of the request that opened the session. */
  opened: JsonObject = {};

  constructor(
    readonly options: CheckOptions,
    scenario: string,
    readonly version: Version,
    readonly requested: number,
    readonly full: boolean,
  ) {
    this.client = new ScriptedClient(full);
    this.driver = new Driver(options.start(), {
      scenario,
      requested,
      version,
      clock: options.clock,
      limits: options.limits,
      respond: request => this.client.respond(request),
    });
  }

  get capabilities(): JsonObject {
    return agentCapabilities(this.driver.conversation);
  }

  /** Returns true if the agent agreed on the version of the scenario. */
  async initialize(): Promise<boolean> {
    const outcome = await this.driver.request(
      AGENT_METHODS.initialize,
      initializeParams(this.requested, this.version, this.full),
      "initialize-1",
    );
    const result = resultIn(outcome),
      { auth } = this.options;
    this.isInitialized = result.protocolVersion === this.version && this.requested === this.version;
    if (this.isInitialized && auth !== undefined) {
      await this.driver.request(this.version === 1 ? AGENT_METHODS.authenticate : AGENT_METHODS.auth_login, {
        methodId: auth,
      });
    }
    return this.isInitialized;
  }

  async open(extra: JsonObject = {}): Promise<JsonObject> {
    const result = resultIn(
      await this.driver.request(AGENT_METHODS.session_new, { cwd: this.options.cwd, mcpServers: [], ...extra }),
    );
    if (this.sessionId === "" && typeof result.sessionId === "string") {
      this.sessionId = result.sessionId;
      this.opened = result;
    }
    return result;
  }

  /** Resolves when the turn has ended. `during`: called after the prompt was sent. */
  async prompt(blocks: readonly JsonObject[], during?: (id: number) => Promise<void>): Promise<void> {
    const id = this.driver.newId(),
      response = this.driver.expect(id);
    const idle = this.version === 1 ? undefined : this.driver.until(message => isIdle(message, this.sessionId));
    this.driver.send({
      id,
      method: AGENT_METHODS.session_prompt,
      params: { sessionId: this.sessionId, prompt: blocks },
    });
    await during?.(id);
    const outcome = await response;
    if (outcome.kind === "result") await idle;
    await this.probe();
  }

  /** Resolves when all earlier output of the program has been recorded. */
  async probe(): Promise<void> {
    await this.driver.request(PROBE_METHOD, {});
  }

  /** Waits until the turn has sent an update or has ended. `prompt`: id of the request. */
  async untilProgress(prompt: number): Promise<void> {
    await this.driver.until(message =>
      message.kind === "response"
        ? this.version === 1 && message.id === prompt
        : objectOr(message.params).sessionId === this.sessionId &&
          (!isStart(message.params) || isIdle(message, this.sessionId)),
    );
  }
}

function resultIn(outcome: Outcome): JsonObject {
  return outcome.kind === "result" && isObject(outcome.result) ? outcome.result : {};
}

function isIdle(message: WireMessage, sessionId: string): boolean {
  if (message.kind !== "notification" || message.method !== CLIENT_METHODS.session_update) return false;
  const params = objectOr(message.params),
    update = objectOr(params.update);
  return (
    params.sessionId === sessionId && update.sessionUpdate === UPDATE_KINDS.state_update && update.state === "idle"
  );
}

/** Whether the params are an update that starts a turn in v2, or an update that belongs to no turn. */
function isStart(params: unknown): boolean {
  const type = stringOr(objectOr(objectOr(params).update).sessionUpdate, ""),
    kinds: readonly string[] = [
      UPDATE_KINDS.user_message,
      UPDATE_KINDS.user_message_chunk,
      UPDATE_KINDS.available_commands_update,
      UPDATE_KINDS.session_info_update,
      UPDATE_KINDS.state_update,
    ];
  return kinds.includes(type);
}

const text = (value: string): JsonObject => ({ type: "text", text: value });

async function sessionScript(session: AgentSession): Promise<void> {
  const { driver, options, version } = session;
  const result = await session.open();
  await driver.request(UNKNOWN_METHOD, {}, "unknown-1");
  await session.open({ _meta: { "symposium.dev/conform": { note: "ignore" } } });
  await session.open({ cwd: "relative/directory" });
  await driver.request(AGENT_METHODS.session_prompt, { sessionId: UNKNOWN_SESSION, prompt: [text("Hello")] });
  if (session.sessionId === "") return;
  await chooseControls(session, result);
  for (const promptText of options.prompts) await session.prompt([text(promptText)]);
  const [promptText = ""] = options.prompts,
    uri = "file:///symposium-conform/notes.txt";
  await session.prompt([text(promptText), { type: "resource_link", name: "notes.txt", uri }]);
  const { promptCapabilities, session: v2 } = session.capabilities;
  const { embeddedContext } = objectOr(version === 1 ? promptCapabilities : objectOr(v2).prompt);
  if (isSupported(embeddedContext))
    await session.prompt([text(promptText), { type: "resource", resource: { uri, text: "Notes" } }]);
  await listAndDelete(session);
}

/** Sets a mode and a config option to their current values, so that nothing changes for the user. */
async function chooseControls({ driver, sessionId, version }: AgentSession, opened: JsonObject): Promise<void> {
  const { currentModeId } = objectOr(opened.modes),
    [option] = configOptionsIn(opened);
  if (typeof currentModeId === "string")
    await driver.request(AGENT_METHODS.session_set_mode, { sessionId, modeId: currentModeId });
  if (!option) return;
  const value = option.currentValue,
    configId = option.id ?? option.configId,
    isBoolean = option.type === "boolean";
  const typed =
    version === 2 ? { type: isBoolean ? "boolean" : "id", value } : isBoolean ? { type: "boolean", value } : { value };
  await driver.request(AGENT_METHODS.session_set_config_option, { sessionId, configId, ...typed });
}

async function listAndDelete({ driver, capabilities, version }: AgentSession): Promise<void> {
  await driver.request(AGENT_METHODS.session_list, {});
  if (supportsMethod(version, capabilities, AGENT_METHODS.session_list))
    await driver.request(AGENT_METHODS.session_list, { cursor: INVALID_CURSOR });
  if (supportsMethod(version, capabilities, AGENT_METHODS.session_delete))
    await driver.request(AGENT_METHODS.session_delete, { sessionId: DELETED_SESSION });
}

/** Sends the prompts of a client that declares no capability. */
async function bareScript(session: AgentSession): Promise<void> {
  await session.open();
  if (session.sessionId === "") return;
  for (const promptText of session.options.prompts) await session.prompt([text(promptText)]);
}

async function cancelScript(session: AgentSession): Promise<void> {
  const { driver, client, options } = session,
    promptText = options.prompts.at(-1) ?? "";
  await session.open();
  if (session.sessionId === "") return;
  client.hold();
  await session.prompt([text(promptText)], async id => {
    await session.untilProgress(id);
    driver.notify(AGENT_METHODS.session_cancel, { sessionId: session.sessionId });
    client.cancelHeld(driver);
  });
  client.answer();
  await session.prompt([text(promptText)], async id => {
    await session.untilProgress(id);
    driver.notify(PROTOCOL_METHODS.cancel_request, { requestId: id });
    if (session.version === 2) driver.notify(AGENT_METHODS.session_cancel, { sessionId: session.sessionId });
  });
  if (!supportsMethod(session.version, session.capabilities, AGENT_METHODS.session_close)) return;
  client.hold();
  await session.prompt([text(promptText)], async id => {
    await session.untilProgress(id);
    const closed = driver.request(AGENT_METHODS.session_close, { sessionId: session.sessionId });
    client.cancelHeld(driver);
    await closed;
  });
}

async function malformedScript(session: AgentSession): Promise<void> {
  session.driver.sendLine(`{"jsonrpc":"2.0","id":"broken","method":`);
  await session.probe();
  const batch = ["batch-1", "batch-2"].map(id => ({ jsonrpc: "2.0", id, method: PROBE_METHOD, params: {} }));
  session.driver.sendLine(JSON.stringify(batch));
  await session.probe();
  session.driver.notify(UNKNOWN_METHOD, {});
  await session.probe();
}

/** Reopens the session of an earlier process. */
async function storedScript(session: AgentSession, sessionId: string): Promise<void> {
  const { driver, capabilities, version, options } = session;
  const params = { sessionId, cwd: options.cwd, mcpServers: [] };
  if (sessionId === "") return;
  const supports = (method: Parameters<typeof supportsMethod>[2]): boolean =>
    supportsMethod(version, capabilities, method);
  if (supports(AGENT_METHODS.session_resume)) await driver.request(AGENT_METHODS.session_resume, params);
  if (supports(AGENT_METHODS.session_resume) && version === 2) {
    await driver.request(AGENT_METHODS.session_resume, { ...params, replayFrom: { type: "start" } });
  }
  if (supports(AGENT_METHODS.session_load)) await driver.request(AGENT_METHODS.session_load, params);
  if (supports(AGENT_METHODS.session_fork)) await driver.request(AGENT_METHODS.session_fork, params);
  const isOpen = supports(AGENT_METHODS.session_resume) || supports(AGENT_METHODS.session_load);
  if (isOpen && supports(AGENT_METHODS.session_close)) await driver.request(AGENT_METHODS.session_close, { sessionId });
  await session.probe();
}
