/** Exits of the agent and the sidecar, commands in terminals, and a trace of the built sidecar as a transcript. */
import { deepEqual, doesNotMatch, equal, rejects } from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
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
import type { Calls, ParamsOf, ResultOf } from "../../../src/protocol/wire/wire";
import { AGENT_METHODS } from "../../acp/methods";
import { temporaryFolder } from "../drive";
import { program, scriptedAgent } from "../programs/programs";
import { goldenFromTrace } from "./from-trace";
import { compare, onlyPosix } from "./golden";
import { json, StableNames } from "./lines";

/**
 * The built sidecar as a process, with the scripted agent as its child. Its transcript consists of the trace and the
 * final conversation, because the batching of host events depends on real time.
 */
class BuiltSidecar implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #connection: MessageConnection;
  /** Process ids of running agents and commands, oldest first. */
  readonly children = new Set<number>();
  conversation: Conversation = emptyConversation({ id: "scripted", name: "Scripted" }, "/");
  sessionId = "";
  #onChange = (): void => undefined;

  private constructor() {
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
      },
    });
    this.#closed = new Promise(resolve => this.#child.once("close", resolve));
    const { stdin, stdout } = this.#child;
    if (!stdin || !stdout) throw new Error("the sidecar has no pipes");
    this.#connection = createMessageConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    this.#on("chat/event", ({ event }) => {
      this.conversation = applyEvent(this.conversation, event);
    });
    this.#on("chat/snapshot", ({ conversation }) => {
      this.conversation = conversation;
    });
    this.#on("process/started", ({ pid }) => this.children.add(pid));
    this.#on("process/ended", ({ pid }) => this.children.delete(pid));
    this.#connection.onRequest("secrets/environment", () => ({ env: {} }));
    this.#connection.onNotification(() => undefined);
    this.#connection.listen();
  }

  /** `before`: the sidecar whose storage it uses. */
  static async start(before?: BuiltSidecar, changes: Partial<HelloFromHost> = {}): Promise<BuiltSidecar> {
    const sidecar = new BuiltSidecar();
    await sidecar.ask("hello", {
      protocol: PROTOCOL,
      build: "development",
      logLevel: "error",
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

const isIdle = ({ turn }: Conversation): boolean => turn.state === "idle";
/** Whether the agent or a notice shows the text. */
const shows =
  (text: string) =>
  ({ entries }: Conversation): boolean =>
    entries.some(entry => entry.kind !== "user" && JSON.stringify(entry).includes(text));
/** Whether the last turn has ended or failed. */
const ended = (conversation: Conversation): boolean =>
  isIdle(conversation) &&
  conversation.entries.some(({ kind }) => kind === "user") &&
  conversation.entries.at(-1)?.kind !== "user";

/** `starts`: number of the agent's starts in the transcript. */
function golden(name: string, behavior: string, run: (sidecar: BuiltSidecar) => Promise<void>, starts?: number): void {
  test(`${behavior} (${name})`, async () => {
    await using sidecar = await BuiltSidecar.start();
    await run(sidecar);
    const [, ...lines] = await sidecar.transcript(behavior, starts);
    compare(name, behavior, lines);
  });
}

suite("golden transcripts: processes", () => {
  suiteSetup(function () {
    onlyPosix(this);
  });

  golden(
    "agent-killed",
    "reports an agent killed in the middle of a turn and starts it with the next prompt",
    async sidecar => {
      await sidecar.newChat();
      await sidecar.prompt("say Half an answer; hang", shows("Half an answer"));
      const agent = [...sidecar.children].at(-1);
      if (agent === undefined) throw new Error("no agent runs");
      process.kill(agent, "SIGKILL");
      await sidecar.until(isIdle);
      await sidecar.until(shows("does not remember"));
      await sidecar.prompt("say A new process.", shows("A new process."));
      await sidecar.until(isIdle);
    },
    2,
  );

  golden("agent-crashed", "shows the last words of an agent that exits with an error", async sidecar => {
    await sidecar.newChat();
    await sidecar.prompt("stderr out of memory; crash 7", ended);
  });

  golden("agent-exits-at-start", "shows why an agent could not start", async sidecar => {
    await sidecar.newChat(["--exit-at-start", "3"]);
    await sidecar.until(shows("no licence was found"));
  });

  golden("terminal-run", "runs a command for the agent and returns its output and exit code", async sidecar => {
    await sidecar.newChat();
    await sidecar.prompt("terminal echo hello", ended);
  });

  golden("terminal-killed", "kills a command at the agent's request", async sidecar => {
    await sidecar.newChat();
    await sidecar.prompt("terminal-start sleep 100; terminal-kill; terminal-wait", ended);
  });

  test("continues a chat in a new sidecar after the first one was killed (sidecar-killed)", async () => {
    const behavior = "continues a chat in a new sidecar after the first one was killed";
    await using first = await BuiltSidecar.start();
    const conversation = randomUUID();
    await first.newChat([], { conversation });
    await first.prompt("say Half an answer; hang", shows("Half an answer"));
    await first.kill();
    await using second = await BuiltSidecar.start(first);
    await second.newChat([], { conversation });
    await second.replay();
    await second.until(shows("does not remember"));
    await second.prompt("say I start anew.", shows("I start anew."));
    await second.until(isIdle);
    const [, ...lines] = await second.transcript(behavior);
    compare("sidecar-killed", behavior, lines);
  });

  test("is read-only in a second sidecar, until the user takes the conversation over", async () => {
    await using first = await BuiltSidecar.start();
    const conversation = randomUUID();
    await first.newChat([], { conversation });
    await first.prompt("say One.", ended);
    await using second = await BuiltSidecar.start(first);
    await second.newChat([], { conversation });
    await second.replay();
    await second.until(shows("open in another window"));
    equal(second.children.size, 0, "no agent");
    await rejects(
      second.ask("chat/prompt", { sessionId: second.sessionId, messageId: "p", blocks: [] }),
      /another window/,
    );
    await second.ask("chat/close", { sessionId: second.sessionId });
    await second.newChat([], { conversation, start: "takeOver" });
    await second.replay();
    await second.until(shows("One."));
    await second.prompt("say Two.", shows("Two."));
    await rejects(
      first.ask("chat/prompt", { sessionId: first.sessionId, messageId: "q", blocks: [] }),
      /another window/,
    );
    await first.until(shows("open in another window"));
    await second.until(isIdle);
    await second.kill();
    await using third = await BuiltSidecar.start(first);
    await third.newChat([], { conversation });
    await third.replay();
    await third.until(shows("Two."));
  });

  test("can be read in an untrusted workspace, where no process starts", async function () {
    if (process.platform !== "linux") {
      Object.assign(this, { skipReason: "It reads /proc." });
      this.skip();
    }
    await using first = await BuiltSidecar.start();
    const conversation = randomUUID();
    await first.newChat([], { conversation });
    await first.prompt("say Read me.", ended);
    await first.kill();
    await using second = await BuiltSidecar.start(first, { restricted: true });
    await second.newChat([], { conversation });
    await second.replay();
    await second.until(shows("Read me."));
    await rejects(second.ask("chat/prompt", { sessionId: second.sessionId, messageId: "p", blocks: [] }), /Trust this/);
    await second.ask("chat/restartAgent", { sessionId: second.sessionId });
    // Looks for programs with the user's shell, if it may.
    await second.ask("agents/find", { programs: ["git"] }).catch(() => undefined);
    deepEqual(second.childPids(), []);
  });

  test("converts a trace of the built sidecar with scripts/trace-to-golden.mjs (trace-two-sessions)", async () => {
    await using sidecar = await BuiltSidecar.start();
    await sidecar.newChat();
    await sidecar.prompt("say The key is sk-ant-api03-planted0planted0planted0planted0planted0AA.", ended);
    const folder = sidecar.traceFolder;
    await sidecar.newChat();
    await sidecar.prompt("say The second session.", shows("The second session."));
    await sidecar.until(isIdle);
    await sidecar.transcript("");
    const [file] = readdirSync(folder);
    const convert = (...args: readonly string[]): string => {
      const script = path.resolve("scripts/trace-to-golden.mjs");
      const ran = spawnSync(process.execPath, [script, path.join(folder, String(file)), ...args], { encoding: "utf8" });
      equal(ran.status, 0, ran.stderr);
      return ran.stdout;
    };
    const all = convert("trace", "--out", "-");
    doesNotMatch(all, /planted0/);
    doesNotMatch(all, new RegExp(sidecar.home.replaceAll("\\", ".")));
    const [, ...one] = convert("trace", "--out", "-", "--session", "session-2").trimEnd().split("\n");
    const end = one.findIndex(line => line.includes(AGENT_METHODS.session_close));
    compare("trace-two-sessions", "keeps one session of a trace", one.slice(0, end));
    deepEqual(
      one.filter(line => line.includes("The key is")),
      [],
    );
  });
});
