/** ACP implementation of the scripted agent (schema v1): sessions, and one turn per prompt. */
import { existsSync, rmSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import { LISTS_ON_DEMAND } from "../../mcp/agent-mcp-capabilities";
import { readMcpServers, type McpServer } from "../../mcp/read-mcp-servers";
import { arrayOr, objectOr, stringOr } from "../../rpc/json";
import { RpcCode, RpcError } from "../../rpc/message";
import type { Flags } from "./flags";
import { configuredServers, listTools } from "./own-configuration";
import { SessionMemory } from "./session-memory";
import { SessionOptions } from "./options";
import { parseScript, type Step } from "./script";
import { StoredSessions } from "./stored-sessions";
import { runTurn, type Ending } from "./turn";
import type { Wire } from "./wire";

interface Session {
  readonly cwd: string;
  readonly servers: readonly McpServer[];
  readonly options: SessionOptions;
  turn: { readonly id: unknown; readonly cancel: AbortController } | undefined;
}

const COMMANDS = [{ name: "early", description: "Announced before the session" }];

export class ScriptedAgent {
  readonly #flags: Flags;
  readonly #sessions = new Map<string, Session>();
  /** Number of sessions so far. The id of a closed session is not reused. */
  #opened = 0;
  readonly #memory: SessionMemory | undefined;
  readonly #stored: StoredSessions | undefined;
  #signedIn = false;
  #numbers = 0;

  constructor(
    private readonly wire: () => Wire,
    flags: Flags,
  ) {
    this.#flags = flags;
    this.#memory = flags.memory === undefined ? undefined : new SessionMemory(flags.memory);
    this.#stored = flags.sessions === undefined ? undefined : new StoredSessions(flags.sessions);
  }

  /** Responds to a request. Never rejects. */
  async request(id: unknown, method: string, params: unknown): Promise<void> {
    try {
      if (method === "session/prompt") return await this.#prompt(id, objectOr(params));
      this.wire().respond(id, await this.#answer(method, objectOr(params)));
      if (method === "initialize" && this.#flags.exitAfterInit !== undefined) process.exit(this.#flags.exitAfterInit);
    } catch (error) {
      const { code, message } = error instanceof RpcError ? error : new RpcError(RpcCode.internalError, String(error));
      this.wire().fail(id, code, message);
    }
  }

  notification(method: string, params: unknown): void {
    const { sessionId, requestId } = objectOr(params);
    if (method === "session/cancel") this.#sessions.get(stringOr(sessionId, ""))?.turn?.cancel.abort();
    if (method === "$/cancel_request")
      for (const { turn } of this.#sessions.values()) if (turn && turn.id === requestId) turn.cancel.abort();
  }

  async #answer(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    switch (method) {
      case "initialize":
        return this.#initialize();
      case "authenticate":
        this.#signedIn = true;
        return {};
      case "logout":
        return this.#logout();
      case "session/new":
        return this.#newSession(params);
      case "session/resume":
        return this.#resume(params);
      case "session/list":
        return this.#storedSessions().list();
      case "session/load":
        return this.#load(params);
      case "session/delete":
        this.#storedSessions().delete(String(params.sessionId));
        return {};
      case "session/set_model":
        this.#session(params).options.set("model", params.modelId);
        return {};
      case "session/set_config_option": {
        const { options } = this.#session(params);
        options.set(params.configId, params.value);
        return { configOptions: options.configOptions };
      }
      case "session/set_mode": {
        this.#session(params).options.set("mode", params.modeId);
        await this.wire().notify("session/update", {
          sessionId: params.sessionId,
          update: { sessionUpdate: "current_mode_update", currentModeId: params.modeId },
        });
        return {};
      }
      case "session/close": {
        this.#session(params).turn?.cancel.abort();
        this.#sessions.delete(String(params.sessionId));
        return {};
      }
      default:
        throw new RpcError(RpcCode.methodNotFound, `no method ${method}`);
    }
  }

  async #initialize(): Promise<unknown> {
    const { slowInit, hangInit, failInit, authRequired, authMethods, textOnly, logout, ignoreMcp } = this.#flags;
    if (slowInit > 0) await after(slowInit);
    if (hangInit) await new Promise(() => undefined);
    if (failInit) throw new RpcError(RpcCode.internalError, "scripted failure of initialize");
    return {
      protocolVersion: 1,
      agentInfo: { name: "scripted-agent", title: "Scripted agent", version: "1.0.0" },
      agentCapabilities: {
        ...(textOnly ? {} : { promptCapabilities: { image: true, embeddedContext: true } }),
        mcpCapabilities: { http: true },
        ...(this.#stored ? { loadSession: true } : {}),
        sessionCapabilities: {
          close: {},
          ...(this.#memory ? { resume: {} } : {}),
          ...(this.#stored ? { list: {}, delete: {} } : {}),
        },
        ...(ignoreMcp ? {} : { _meta: { [LISTS_ON_DEMAND]: true } }),
        ...(logout === undefined ? {} : { auth: { logout: {} } }),
      },
      authMethods: authMethods ?? (authRequired ? [{ id: "scripted", name: "Scripted sign-in" }] : []),
    };
  }

  async #newSession({ cwd, mcpServers }: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { authRequired, failNewSession, earlyCommands, ownConfiguration } = this.#flags;
    if (authRequired && !this.#isSignedIn()) throw new RpcError(RpcCode.authRequired, "Authentication required");
    if (failNewSession !== undefined) throw new RpcError(RpcCode.internalError, failNewSession);
    if (typeof cwd !== "string") throw new RpcError(RpcCode.invalidParams, "cwd must be a string");
    const sessionId = this.#memory?.begin() ?? `session-${++this.#opened}`;
    const options = new SessionOptions(this.#flags);
    const servers = ownConfiguration === undefined ? readMcpServers(mcpServers) : configuredServers(ownConfiguration);
    if (ownConfiguration !== undefined) await listTools(servers, cwd);
    this.#sessions.set(sessionId, { cwd, servers, options, turn: undefined });
    if (earlyCommands)
      await this.wire().notify("session/update", {
        sessionId,
        update: { sessionUpdate: "available_commands_update", availableCommands: COMMANDS },
      });
    return { sessionId, ...options.offered };
  }

  async #load({ sessionId, cwd, mcpServers }: Readonly<Record<string, unknown>>): Promise<unknown> {
    const id = String(sessionId),
      updates = this.#storedSessions().updates(id),
      options = new SessionOptions(this.#flags);
    this.#sessions.set(id, { cwd: String(cwd), servers: readMcpServers(mcpServers), options, turn: undefined });
    for (const update of updates) await this.wire().notify("session/update", { sessionId: id, update });
    return { ...options.offered };
  }

  #storedSessions(): StoredSessions {
    if (this.#stored === undefined) throw new RpcError(RpcCode.methodNotFound, "no stored sessions");
    return this.#stored;
  }

  #resume({ sessionId, cwd, mcpServers }: Readonly<Record<string, unknown>>): unknown {
    const id = String(sessionId);
    if (!this.#memory?.has(id)) throw new RpcError(RpcCode.notFound, `no session ${id}`);
    const options = new SessionOptions(this.#flags);
    this.#sessions.set(id, { cwd: String(cwd), servers: readMcpServers(mcpServers), options, turn: undefined });
    return { ...options.offered };
  }

  #logout(): unknown {
    const { logout, authFile } = this.#flags;
    if (logout === undefined) throw new RpcError(RpcCode.methodNotFound, "no method logout");
    if (logout !== "") throw new RpcError(RpcCode.internalError, logout);
    this.#signedIn = false;
    if (authFile !== undefined) rmSync(authFile, { force: true });
    return {};
  }

  #isSignedIn(): boolean {
    const { authFile, authVariable } = this.#flags;
    return (
      this.#signedIn ||
      (authFile !== undefined && existsSync(authFile)) ||
      (authVariable !== undefined && process.env[authVariable] !== undefined)
    );
  }

  async #prompt(id: unknown, params: Readonly<Record<string, unknown>>): Promise<void> {
    const sessionId = String(params.sessionId);
    const session = this.#session(params);
    if (session.turn) throw new RpcError(RpcCode.invalidRequest, "a turn is running in this session");
    const turn = { id, cancel: new AbortController() };
    session.turn = turn;
    const remembered = this.#memory?.prompts(sessionId) ?? [];
    this.#memory?.add(sessionId, textOf(params.prompt));
    try {
      const { cwd, servers, options } = session;
      this.#end(
        id,
        sessionId,
        await runTurn(stepsOf(params.prompt), {
          wire: this.wire(),
          sessionId,
          cwd,
          servers,
          options,
          prompt: arrayOr(params.prompt),
          cancelled: turn.cancel.signal,
          next: () => ++this.#numbers,
          remembered: () => remembered,
        }),
      );
    } finally {
      session.turn = undefined;
    }
  }

  #end(id: unknown, sessionId: string, { answer, twice, late }: Ending): void {
    for (let n = 0; n < (twice ? 2 : 1); n++) void this.wire().send({ id, ...answer });
    for (const { ms, text } of late) {
      setTimeout(
        () =>
          void this.wire().notify("session/update", {
            sessionId,
            update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
          }),
        ms,
      );
    }
  }

  #session({ sessionId }: Readonly<Record<string, unknown>>): Session {
    const session = this.#sessions.get(stringOr(sessionId, ""));
    if (!session) throw new RpcError(RpcCode.notFound, `no session ${String(sessionId)}`);
    return session;
  }
}

/** The text of the first block. */
function textOf(prompt: unknown): string {
  return stringOr(objectOr(arrayOr(prompt)[0]).text, "");
}

/** Parses the script. Attachments are not part of it. */
function stepsOf(prompt: unknown): readonly Step[] {
  const blocks = arrayOr(prompt).map(objectOr),
    [first] = blocks;
  const texts = blocks.map(({ type, text }) => (type === "text" ? String(text) : `(${String(type)})`));
  const script = parseScript(first?.type === "text" ? String(first.text) : "");
  if (script.kind === "script") return script.steps;
  process.stderr.write(`no script: ${script.why}\n`);
  return [{ step: "say", text: `You said: ${texts.join("\n")}` }];
}
