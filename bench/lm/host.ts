/**
 * The extension host's part of a request. The production provider and client run in this process, and the production
 * sidecar in another. Messages arrive as VS Code delivers them, as new objects with new strings each time.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PersistedSessions } from "../../src/lm/persisted-sessions";
import type { PartClasses } from "../../src/lm/convert-parts";
import { LmProvider } from "../../src/lm/provider";
import { modelIdOf } from "../../src/lm/models";
import type { AgentConfig } from "../../src/protocol/agents/agents";
import type { ChatMessage, ChatPart, ChatRequest } from "../../src/protocol/lm/lm";
import { realClock } from "../../src/clock";
import { PROTOCOL } from "../../src/protocol/sidecar";
import { StreamClient } from "../../src/sidecar/client";
import { listeners } from "../../src/testing/listeners";
import { BUILD } from "./build";
import { program } from "./wire";

class TextPart {
  constructor(readonly value: string) {}
}
class ToolCallPart {
  constructor(
    readonly callId: string,
    readonly name: string,
    readonly input: object,
  ) {}
}
class ToolResultPart {
  constructor(
    readonly callId: string,
    readonly content: readonly unknown[],
  ) {}
}
const CLASSES: PartClasses = { LanguageModelTextPart: TextPart, LanguageModelToolCallPart: ToolCallPart };
const ROLES: Readonly<Record<ChatMessage["role"], number>> = { user: 1, assistant: 2, system: 3 };

const AGENT: AgentConfig = {
  id: "agent",
  name: "agent",
  distribution: { local: { command: process.execPath, args: [program("agent")], env: {} } },
};

type Given = Parameters<LmProvider["respond"]>;
/** Arguments that VS Code passes to a provider. */
export interface Delivered {
  readonly messages: Given[1];
  readonly options: Given[2];
}

export class Host implements AsyncDisposable {
  readonly #storage = mkdtempSync(path.join(tmpdir(), "symposium-bench-"));
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #client: StreamClient;
  readonly #provider: LmProvider;

  constructor() {
    this.#child = spawn(process.execPath, [...process.execArgv, program("sidecar")], {
      stdio: ["pipe", "pipe", "inherit", "ipc"],
    });
    this.#exited = new Promise(resolve => this.#child.once("exit", resolve));
    const { stdin, stdout } = this.#child,
      storedSessions = new PersistedSessions(memory(), quietLog(), realClock);
    if (!stdin || !stdout) throw new Error("a child with pipes has no stdin or stdout");
    const ignore = (): void => undefined;
    this.#client = new StreamClient(
      stdout,
      stdin,
      {
        ...listeners(),
        "process/started": ignore,
        "process/ended": ignore,
        "lm/responsePart": ({ requestId, part }) => this.#provider.part(requestId, part),
        "lm/persistedSessions": async () => ({ sessions: storedSessions.all() }),
        "lm/keepSession": ({ id, session, turns }) => storedSessions.keep(id, session, turns),
        "lm/forgetSessions": ({ ids }) => storedSessions.forget(ids),
      },
      { broken: ignore, report: ignore },
    );
    this.#provider = new LmProvider({
      client: async () => this.#client,
      settings: () => ({ agents: [AGENT], configured: [AGENT.id], currentAgentId: AGENT.id }),
      capabilities: { takesImages: () => false, contextTokens: () => undefined },
      isTrusted: () => true,
      cwd: () => "/",
      folders: () => [],
      permissionGroup: () => undefined,
      classes: CLASSES,
      errors: { NotFound: message => new Error(message), NoPermissions: message => new Error(message) },
      partsTaken: () => Promise.resolve(),
      leftOut: ignore,
    });
  }

  async hello(): Promise<void> {
    await this.#client.request("hello", {
      protocol: PROTOCOL,
      build: BUILD,
      logLevel: "info",
      agentLogLevel: "info",
      storage: this.#storage,
      traceDir: "",
      history: { days: 90, megabytes: 1024 },
      bypass: [],
      extensions: [],
      proxy: "",
    });
  }

  /** Resolves with the text and the milliseconds of a request. */
  async respond({ messages, options }: Delivered): Promise<{ readonly text: string; readonly milliseconds: number }> {
    let text = "";
    const begin = performance.now();
    await this.#provider.respond(
      { id: modelIdOf(AGENT.id) },
      messages,
      options,
      part => {
        if (part instanceof TextPart) text += part.value;
      },
      NEVER,
    );
    return { text, milliseconds: performance.now() - begin };
  }

  /** Bytes on the sidecar's heap after a collection. */
  async heap(): Promise<number> {
    const answer = new Promise<number>(resolve => this.#child.once("message", bytes => resolve(Number(bytes))));
    this.#child.send("heap");
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    await this.#exited;
    this.#client.close("the bench has ended");
    rmSync(this.#storage, { recursive: true, force: true });
  }
}

const NEVER: Given[4] = {
  isCancellationRequested: false,
  onCancellationRequested: () => ({ dispose: () => undefined }),
};

/** Creates messages like VS Code's RPC: parses JSON and converts it to VS Code's classes. */
export function deliver({ messages, options }: ChatRequest): Delivered {
  // created by the bench
  const fresh = JSON.parse(JSON.stringify({ messages, options })) as Pick<ChatRequest, "messages" | "options">;
  return {
    messages: fresh.messages.map(({ role, content }) => ({
      role: ROLES[role],
      content: content.map(partOf),
      name: undefined,
    })) as unknown as Delivered["messages"],
    options: {
      toolMode: 1,
      tools: fresh.options?.tools ?? [],
      modelOptions: fresh.options?.modelOptions,
      requestInitiator: fresh.options?.requestInitiator,
    } as Delivered["options"],
  };
}

function partOf(part: ChatPart): object {
  switch (part.type) {
    case "tool_call":
      return new ToolCallPart(part.toolCallId, part.toolName, part.parameters as object);
    case "tool_result":
      return new ToolResultPart(
        part.toolCallId,
        (part.result as readonly { readonly value: string }[]).map(({ value }) => new TextPart(value)),
      );
    case "text":
    case "thinking":
      return new TextPart(part.value);
    case "data":
      throw new Error("the bench sends no data");
  }
}

/** Like VS Code's storage: each change serializes the whole value. */
function memory() {
  const values = new Map<string, unknown>();
  return {
    get: (key: string) => values.get(key),
    update: (key: string, value: unknown) => {
      values.set(key, value);
      return Promise.resolve(void JSON.stringify(value));
    },
  };
}

function quietLog(): ConstructorParameters<typeof PersistedSessions>[1] {
  const ignore = (): void => undefined;
  return { emit: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore } as unknown as ConstructorParameters<
    typeof PersistedSessions
  >[1];
}
