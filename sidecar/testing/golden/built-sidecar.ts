/** The built sidecar as a process, and predicates on its conversation. */
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import { applyEvent, emptyConversation, type Conversation } from "../../../src/protocol/chat/chat";
import {
  PROTOCOL,
  type HelloFromHost,
  type HostToSidecar,
  type NewChat,
  type SidecarToHost,
} from "../../../src/protocol/sidecar";
import type { Review } from "../../../src/protocol/review/review";
import type { Calls, ParamsOf, ResultOf } from "../../../src/protocol/wire/wire";
import { AGENT_METHODS } from "../../acp/methods";
import { temporaryFolder } from "../drive";
import { program, scriptedAgent } from "../programs/programs";
import { goldenFromTrace } from "./from-trace";
import { json, StableNames } from "./lines";

/**
 * The built sidecar as a process, with the scripted agent as its child. Its transcript consists of the trace and the
 * final conversation, because the batching of host events depends on real time.
 */
export class BuiltSidecar implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #connection: MessageConnection;
  /** Process ids of running agents and commands, oldest first. Without git, which the review starts at any time. */
  readonly children = new Set<number>();
  conversation: Conversation = emptyConversation({ id: "scripted", name: "Scripted" }, "/");
  sessionId = "";
  /** The newest states by id. */
  readonly reviews = new Map<string, Review>();
  /** Number of received events and snapshots. */
  received = 0;
  #onChange = (): void => undefined;

  private constructor(environment: Readonly<Record<string, string>>) {
    const { command, args } = program("symposium-acp-agent"),
      { SHELL: _, ...env } = process.env;
    mkdirSync(this.home);
    mkdirSync(this.cwd);
    this.#child = spawn(command, [...args, "serve"], {
      stdio: ["pipe", "pipe", "inherit"],
      cwd: this.#folder.path,
      env: {
        ...env,
        HOME: this.home,
        USERPROFILE: this.home,
        ...(process.platform === "win32" ? {} : { SHELL: "/bin/sh" }),
        ...environment,
      },
    });
    this.#closed = new Promise(resolve => this.#child.once("close", resolve));
    const { stdin, stdout } = this.#child;
    if (!stdin || !stdout) throw new Error("the sidecar has no pipes");
    this.#connection = createMessageConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    this.#on("chat/event", ({ event }) => {
      this.conversation = applyEvent(this.conversation, event);
      this.received++;
    });
    this.#on("chat/snapshot", ({ conversation }) => {
      this.conversation = conversation;
      this.received++;
    });
    this.#on("process/started", ({ pid, command }) => {
      if (path.parse(command).name !== "git") this.children.add(pid);
    });
    this.#on("process/ended", ({ pid }) => this.children.delete(pid));
    this.#on("review/changed", review => {
      this.reviews.set(review.id, review);
      this.#onChange();
    });
    this.#connection.onRequest("secrets/environment", () => ({ env: {} }));
    this.#connection.onRequest("editor/readTextFile", ({ path: file }: { readonly path: string }) => ({
      text: readFileSync(file, "utf8"),
    }));
    this.#connection.onRequest(
      "editor/writeTextFile",
      ({ path: file, text }: { readonly path: string; readonly text: string }) => {
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, text);
        return {};
      },
    );
    this.#connection.onNotification(() => undefined);
    this.#connection.listen();
  }

  /** `before`: the sidecar whose storage it uses. `environment`: added to the environment of the process. */
  static async start(
    before?: BuiltSidecar,
    changes: Partial<HelloFromHost> = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<BuiltSidecar> {
    const sidecar = new BuiltSidecar(environment);
    await sidecar.ask("hello", {
      protocol: PROTOCOL,
      build: "development",
      logLevel: "error",
      agentLogLevel: "error",
      storage: path.join((before ?? sidecar).#folder.path, "storage"),
      traceDir: sidecar.traceFolder,
      history: { days: 90, megabytes: 1024 },
      bypass: [],
      extensions: [],
      proxy: "",
      ...changes,
    });
    return sidecar;
  }

  get home(): string {
    return path.join(this.#folder.path, "home");
  }
  get cwd(): string {
    return path.join(this.#folder.path, "work");
  }
  get traceFolder(): string {
    return path.join(this.#folder.path, "trace");
  }

  ask<M extends keyof Calls<HostToSidecar>>(
    method: M,
    params: ParamsOf<HostToSidecar, M>,
  ): Promise<ResultOf<HostToSidecar, M>> {
    const name: string = method;
    return this.#connection.sendRequest<ResultOf<HostToSidecar, M>>(name, params);
  }

  /** `flags`: of the scripted agent. */
  async newChat(flags: readonly string[] = [], chat: Partial<NewChat> = {}): Promise<void> {
    const { command, args } = scriptedAgent(flags);
    const agent = { id: "scripted", name: "Scripted", distribution: { local: { command, args: [...args] } } };
    ({ sessionId: this.sessionId } = await this.ask("chat/new", {
      conversation: randomUUID(),
      agent,
      cwd: this.cwd,
      ...chat,
    }));
  }

  /** All children that this process has, by the system's process table. */
  childPids(): readonly string[] {
    const folder = `/proc/${this.#child.pid}/task`;
    return readdirSync(folder).flatMap(task =>
      readFileSync(`${folder}/${task}/children`, "utf8").split(" ").filter(Boolean),
    );
  }

  /** Requests the whole conversation. */
  replay(): Promise<void> {
    return this.#connection.sendNotification("chat/replay", { sessionId: this.sessionId, requestNumber: 1 });
  }

  /** Sends a prompt and waits until the conversation matches. */
  async prompt(text: string, until: (conversation: Conversation) => boolean): Promise<void> {
    await this.ask("chat/prompt", {
      sessionId: this.sessionId,
      messageId: `m${this.conversation.entries.length + 1}`,
      blocks: [{ type: "text", text }],
    });
    await this.until(until);
  }

  async until(condition: (conversation: Conversation) => boolean): Promise<void> {
    while (!condition(this.conversation))
      await new Promise<void>(resolve => {
        this.#onChange = resolve;
      });
  }

  /** Kills the sidecar. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
  }

  /** Closes the connection, as an extension host does that is killed. */
  async hangUp(): Promise<void> {
    this.#child.stdin?.destroy();
    await this.#closed;
  }

  /** Ends the sidecar and returns its trace until a session ends or the agent starts again, and the conversation. */
  async transcript(title: string, starts = 1): Promise<readonly string[]> {
    const { conversation } = this;
    this.#child.stdin?.end();
    await this.#closed;
    const trace = this.trace()
      .split("\n")
      .filter(line => line !== "");
    let started = 0;
    const end = trace.findIndex(
      line =>
        line.includes(`"method":"${AGENT_METHODS.session_close}"`) ||
        (/"from":"client".*"method":"initialize"/.test(line) && ++started > starts),
    );
    const names = new StableNames([
      [this.cwd, "/project"],
      [process.execPath, "node"],
    ]);
    return [
      ...goldenFromTrace(trace.slice(0, end === -1 ? undefined : end).join("\n"), { title }),
      ...conversation.entries.map(entry => names.in(`shown ${json(entry)}`)),
      ...(conversation.terminals ?? []).map(terminal => names.in(`terminal ${json(terminal)}`)),
    ];
  }

  trace(): string {
    return readdirSync(this.traceFolder)
      .sort()
      .map(file => readFileSync(path.join(this.traceFolder, file), "utf8"))
      .join("");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    await this.#closed;
    this.#connection.dispose();
    this.#folder[Symbol.dispose]();
  }

  #on<M extends keyof SidecarToHost & string>(method: M, take: (params: ParamsOf<SidecarToHost, M>) => unknown): void {
    this.#connection.onNotification(method, (params: ParamsOf<SidecarToHost, M>) => {
      take(params);
      this.#onChange();
    });
  }
}

export const isIdle = ({ turn }: Conversation): boolean => turn.state === "idle";
/** Whether the agent or a notice shows the text. */
export const shows =
  (text: string) =>
  ({ entries }: Conversation): boolean =>
    entries.some(entry => entry.kind !== "user" && JSON.stringify(entry).includes(text));
/** Whether the last turn has ended or failed. */
export const ended = (conversation: Conversation): boolean =>
  isIdle(conversation) &&
  conversation.entries.some(({ kind }) => kind === "user") &&
  conversation.entries.at(-1)?.kind !== "user";
