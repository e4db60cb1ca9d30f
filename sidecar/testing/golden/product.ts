/**
 * Symposium's sidecar in this process, from the host's connection to the agent: chat service, agent pool, conductor,
 * extensions and MCP bridge are the production modules. The agent is the scripted agent on streams. All messages
 * between host and sidecar and on each link of the chain are recorded.
 */
import { MemoryJournal } from "../sessions/memory-journal";
import { equal } from "node:assert/strict";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import {
  applyEvent,
  emptyConversation,
  type Conversation,
  type Entry,
  type PermissionOption,
} from "../../../src/protocol/chat/chat";
import { ErrorCode } from "../../../src/protocol/wire/errors";
import type { ExtensionConfig } from "../../../src/protocol/agents/extensions";
import type { HostToSidecar, NewChat, SidecarToHost } from "../../../src/protocol/sidecar";
import type { Calls, ParamsOf } from "../../../src/protocol/wire/wire";
import { launch } from "../../agents/launch";
import { AgentPool } from "../../agents/pool";
import { commandOf } from "../../agents/distributions/agent-command";
import { BATCH_MS } from "../../chat/outbox";
import { ChatService } from "../../chat/chat-service";
import { editorOperations } from "../../chat/agent/editor-operations";
import { traceEvent } from "../../conductor/trace";
import { builtInComponent } from "../../extensions/built-in";
import type { ExtensionDeps } from "../../extensions/extension";
import { ChannelTransport } from "../../mcp/transport";
import { BypassPolicy } from "../../permissions/bypass-policy";
import type { AgentProcess, ProcessSpec } from "../../process/stdio-process";
import { serveProxyOnStdio } from "../../proxies/stdio";
import type { Channel } from "../../rpc/channel";
import { arrayOr, isObject, objectOr } from "../../rpc/json";
import { RpcError } from "../../rpc/message";
import { memoryChannels } from "../../rpc/memory-channel";
import { ndjsonChannel } from "../../rpc/ndjson-channel";
import { ExtensionRig } from "../extensions/extension-rig";
import { FakeClock } from "../../../src/protocol/testing/fake-clock";
import { houseRules } from "../chain/house-rules";
import { testMcpServer } from "../mcp/mcp-server";
import { ScriptedAgent } from "../scripted-agent/agent";
import { parseFlags } from "../scripted-agent/flags";
import { Wire } from "../scripted-agent/wire";
import { json, StableNames, TranscriptLines, traceText } from "./lines";

type Asked = {
  [M in keyof Calls<SidecarToHost>]: { readonly method: M; readonly params: ParamsOf<SidecarToHost, M> };
}[keyof Calls<SidecarToHost>];
type ChatMethod = Extract<keyof HostToSidecar, `chat/${string}`>;

export interface ProductOptions {
  /** Command-line flags of the scripted agent. */
  readonly flags?: readonly string[];
  /** Replaces the scripted agent. Called for each start. */
  readonly agent?: () => Channel;
  readonly extensions?: readonly ExtensionConfig[];
  readonly deps?: Partial<ExtensionDeps>;
  readonly bypass?: boolean;
  /** Files in the chat's folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Members of `chat/new`. */
  readonly chat?: Partial<NewChat>;
  /** The stored conversation of an earlier sidecar. */
  readonly earlier?: Conversation;
  /** Records the chat's start, too. Without it the transcript begins with the first prompt. */
  readonly withStart?: boolean;
  /** Handles the sidecar's requests to the host. Default: an editor without unsaved changes. */
  readonly host?: (request: Asked) => unknown;
}

/** The response to `session/new`. */
const OPENED = /→ client {2}#\d+ (= {"sessionId"|!)/;
const NEVER = { aborted: false, addEventListener: () => undefined };

export class Product implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly computer: ExtensionRig;
  readonly policy: BypassPolicy;
  readonly lines = new TranscriptLines();
  readonly cwd: string;
  conversation: Conversation = emptyConversation({ id: "scripted", name: "Scripted" }, "/");
  sessionId = "";
  /** Id of the last MCP server over ACP that the agent received. */
  serverId = "";
  readonly #names: StableNames;
  readonly #pool: AgentPool;
  readonly #service: ChatService;
  readonly #agent: AgentConfig;
  #isRecording: boolean;
  #recorded: string[] = [];
  #watching: (() => void)[] = [];

  private constructor(private readonly options: ProductOptions) {
    const { flags = [], withStart = false, bypass = false, deps = {} } = options;
    this.#isRecording = withStart;
    this.computer = new ExtensionRig({
      clock: this.clock,
      environment: async () => ({}),
      find: async () => undefined,
      ...deps,
    });
    const home = realpathSync(this.computer.home);
    this.cwd = path.join(home, "work");
    mkdirSync(this.cwd);
    for (const [file, text] of Object.entries(options.files ?? {})) {
      mkdirSync(path.dirname(path.join(this.cwd, file)), { recursive: true });
      writeFileSync(path.join(this.cwd, file), text);
    }
    this.#names = new StableNames([[home, "~"]]);
    this.#agent = {
      id: "scripted",
      name: "Scripted",
      distribution: { local: { command: "scripted-agent", args: [...flags] } },
    };
    this.policy = new BypassPolicy(bypass ? [this.#agent.id] : []);
    this.#pool = new AgentPool(
      (key, signal) =>
        launch(key, signal, {
          version: "1.0.0",
          clock: this.clock,
          startProcess: spec => this.#start(spec),
          builtIn: async ({ id, settings = {} }, name, onWarning) =>
            builtInComponent(id, name, settings, this.computer.fixture, onWarning),
          ide: editorOperations((method, params) => this.#ask(method, params)),
          trace: {
            message: (from, to, frame) => {
              const event = traceEvent(from, to, frame, 0);
              if (event) this.#record(from, to, traceText(event));
              if (to === "agent" && event?.type === "request") this.#opened(event.params);
            },
          },
          log: () => undefined,
        }),
      error => {
        throw error;
      },
    );
    const journal = new MemoryJournal();
    if (options.earlier) journal.store("one", options.earlier);
    this.#service = new ChatService({
      journal,
      bootId: "boot",
      clock: this.clock,
      pool: this.#pool,
      policy: this.policy,
      command: async agent => commandOf(agent),
      startCommand: () => {
        throw new Error("no command is started");
      },
      extensions: () => options.extensions ?? [],
      log: () => undefined,
      host: {
        isCongested: () => false,
        request: (method, params) => this.#ask(method, params),
        notify: (method, params) => {
          this.#record("sidecar", "host", `${method}${json(params)}`);
          if (method === "chat/event")
            this.conversation = applyEvent(this.conversation, (params as ParamsOf<SidecarToHost, "chat/event">).event);
          if (method === "chat/snapshot")
            this.conversation = (params as ParamsOf<SidecarToHost, "chat/snapshot">).conversation;
        },
      },
    });
  }

  /** Opens a chat and waits until its agent is ready or has failed. */
  static async open(options: ProductOptions = {}): Promise<Product> {
    const product = new Product(options);
    await product.newChat(options.chat);
    if (options.extensions)
      await product.until(OPENED, 0); // extensions read files while they start
    else await product.frame();
    product.#isRecording = true;
    return product;
  }

  async newChat(chat: Partial<NewChat> = {}): Promise<void> {
    const answer = await this.send("chat/new", {
      conversation: "one",
      agent: this.#agent,
      cwd: this.cwd,
      ...chat,
    });
    this.sessionId = String(objectOr(answer).sessionId);
  }

  /** Sends a request of the host for this chat. Resolves with the response. A failure is recorded and returned. */
  async send<M extends ChatMethod>(
    method: M,
    params: Omit<ParamsOf<HostToSidecar, M>, "sessionId"> & { readonly sessionId?: string },
  ): Promise<unknown> {
    const all = method === "chat/new" ? params : { sessionId: this.sessionId, ...params };
    this.#record("host", "sidecar", `${method}${json(all)}`);
    const handler = this.#service.handlers[method] as (params: unknown, signal: unknown) => unknown;
    try {
      const answer: unknown = await handler(all, NEVER);
      if (method === "chat/new") this.#names.of(String(objectOr(answer).sessionId), "chat");
      if (isObject(answer) && Object.keys(answer).length > 0)
        this.#record("sidecar", "host", `${method} =${json(answer)}`);
      return answer;
    } catch (error) {
      const { code, message } = error as RpcError;
      this.#record("sidecar", "host", `${method} !${json({ code, message })}`);
      return error;
    }
  }

  /** Sends a prompt and runs all resulting work in memory, for example until the agent waits for a response. */
  async prompt(text: string, messageId = `m${++this.#prompts}`): Promise<void> {
    await this.send("chat/prompt", { messageId, blocks: [{ type: "text", text }] });
    await this.frame();
  }
  #prompts = 0;

  /** Like `prompt`, for work that uses HTTP or files: waits until a recorded line matches, then ends the frame. */
  async promptUntil(text: string, line: RegExp): Promise<void> {
    const from = this.#recorded.length;
    await this.send("chat/prompt", { messageId: `m${++this.#prompts}`, blocks: [{ type: "text", text }] });
    await this.until(line, from);
  }

  /** `from`: number of recorded lines to skip. Default: all lines so far. */
  async until(line: RegExp, from = this.#recorded.length): Promise<void> {
    while (!this.#recorded.slice(from).some(each => line.test(each)))
      await new Promise<void>(resolve => this.#watching.push(resolve));
    await this.frame();
  }

  /** Runs all pending work in memory and ends the frame. */
  async frame(ms = BATCH_MS): Promise<void> {
    for (let i = 0; i < 100; i++) await new Promise(resolve => setImmediate(resolve));
    this.clock.advance(ms);
    for (let i = 0; i < 10; i++) await new Promise(resolve => setImmediate(resolve));
  }

  /** The newest entry of this kind, also inside subagents. */
  entry<K extends Entry["kind"]>(kind: K): Extract<Entry, { readonly kind: K }> {
    const all = (entries: readonly Entry[]): readonly Entry[] =>
      entries.flatMap(entry => [entry, ...(entry.kind === "subagent" ? all(entry.entries) : [])]);
    const found = all(this.conversation.entries).findLast(
      (entry): entry is Extract<Entry, { readonly kind: K }> => entry.kind === kind,
    );
    if (!found) throw new Error(`no entry ${kind}`);
    return found;
  }

  /** Selects the first option of this kind in the newest permission request. */
  async choose(kind: PermissionOption["kind"]): Promise<void> {
    await this.#answer(kind);
    await this.frame();
  }
  async chooseUntil(kind: PermissionOption["kind"], line: RegExp): Promise<void> {
    const from = this.#recorded.length;
    await this.#answer(kind);
    await this.until(line, from);
  }
  async #answer(kind: PermissionOption["kind"]): Promise<void> {
    const { id, options } = this.entry("permission"),
      optionId = options.find(option => option.kind === kind)?.optionId;
    if (optionId === undefined) throw new Error(`no option ${kind}`);
    await this.send("chat/answerPermission", { permissionId: id, choice: { kind: "option", optionId } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isRecording = false;
    await this.#service[Symbol.asyncDispose]();
    await this.#pool[Symbol.asyncDispose]();
    this.clock.advance(BATCH_MS);
    equal(this.clock.waiting, 0, "a timer was leaked");
    this.computer[Symbol.dispose]();
  }

  #record(from: string, to: string, text: string): void {
    const stable = this.#names.in(text);
    this.#recorded.push(`${from} → ${to}  ${stable}`);
    if (this.#isRecording) this.lines.add(from, to, stable);
    for (const wake of this.#watching.splice(0)) wake();
  }

  async #ask<M extends keyof Calls<SidecarToHost>>(method: M, params: ParamsOf<SidecarToHost, M>): Promise<never> {
    this.#record("sidecar", "host", `${method}${json(params)}`);
    const respond = this.options.host ?? editorOfDisk;
    try {
      const answer = await respond({ method, params } as Asked);
      this.#record("host", "sidecar", `${method} =${json(answer)}`);
      return answer as never;
    } catch (error) {
      const { code, message } = error as RpcError;
      this.#record("host", "sidecar", `${method} !${json({ code, message })}`);
      throw error;
    }
  }

  #opened(params: unknown): void {
    for (const { serverId } of arrayOr(objectOr(params).mcpServers).map(objectOr)) this.serverId = String(serverId);
  }

  #start(spec: ProcessSpec): AgentProcess {
    if (spec.command === "mcp-server") {
      const [channel, farEnd] = memoryChannels();
      void testMcpServer(() => undefined).connect(new ChannelTransport(farEnd));
      return processOf(channel);
    }
    if (spec.command === "exits") {
      const [channel, farEnd] = memoryChannels();
      void farEnd[Symbol.asyncDispose]();
      return processOf(channel);
    }
    if (spec.command === "house-rules") {
      const input = new PassThrough(),
        output = new PassThrough();
      serveProxyOnStdio(houseRules(spec.args.join(" ")), { input, output, onWarning: () => undefined });
      return processOf(ndjsonChannel(output, input));
    }
    return processOf(this.options.agent?.() ?? scripted(spec.args));
  }
}

function editorOfDisk({ method, params }: Asked): unknown {
  try {
    if (method === "editor/readTextFile") return { text: readFileSync(params.path, "utf8") };
    if (method === "editor/writeTextFile") {
      writeFileSync(params.path, params.text);
      return {};
    }
  } catch {
    throw new RpcError(ErrorCode.noFile, "There is no such file.");
  }
  throw new RpcError(ErrorCode.refused, `The editor of this test does not support ${method}.`);
}

function scripted(args: readonly string[]): Channel {
  const input = new PassThrough(),
    output = new PassThrough();
  const agent = new ScriptedAgent(() => wire, parseFlags(args));
  const wire = new Wire(input, output, {
    request: (id, method, params) => void agent.request(id, method, params),
    notification: (method, params) => agent.notification(method, params),
    line: () => undefined,
    ended: () => output.end(),
  });
  return ndjsonChannel(output, input);
}

function processOf(channel: Channel): AgentProcess {
  return {
    pid: undefined,
    channel,
    stderr: () => "",
    exited: new Promise(() => undefined),
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}
