/** `symposium-acp-agent conform` and `proxy check`: check an agent, a proxy or a client against the protocol. */
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { startChild, statusOf, type ProcessSpec, type ProcessDeps } from "../process/child";
import { TailBuffer } from "../process/tail-buffer";
import { redactText } from "../../src/protocol/redaction/redact";
import { AGENT_PLACEHOLDER } from "../conform/agent-placeholder";
import { runAgentScenarios, type CheckOptions } from "../conform/agent-scenarios";
import { exchanges, negotiated, paramsOf } from "../conform/conversation";
import { DEFAULT_LIMITS, type Subject } from "../conform/driver";
import { runProxyScenarios } from "../conform/proxy-scenarios";
import { readEvents, recordFiles } from "../conform/record-files";
import type { Conversation } from "../conform/recording";
import { exitCode, reportJson, reportText } from "../conform/report";
import { judgeAll, type ProgramKind, type Result } from "../conform/rule";
import { RULES } from "../conform/rules/catalogue";
import { VERSIONS, type Version } from "../conform/schema";
import { ownProgram } from "../mcp/shim";
import { realClock } from "../rpc/clock";
import { Scope } from "../rpc/scope";
import { CannotWrite, type Notify } from "./runtime/log";
import { endEarlierProcesses, openOwnLedger, ownProcesses } from "./runtime/command-ledger";
import { firstSignal } from "./runtime/stdio";
import { AGENT_METHODS } from "../acp/methods";
import { quoted } from "../extensions/shell-words";

export interface ConformRequest {
  readonly program: ProgramKind;
  readonly command: string;
  readonly args: readonly string[];
  /** Variables in addition to those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Empty: the default prompt. */
  readonly prompts: readonly string[];
  /** Id of the authentication method for agents that need one. */
  readonly auth: string | undefined;
  /** Milliseconds for one response. */
  readonly timeoutMs: number;
  readonly recordFolder: string | undefined;
  readonly json: boolean;
}

const DEFAULT_PROMPT = "Reply with one short sentence. Do not use any tool.";
/** Maximum runtime of a client, as a multiple of the response timeout. */
const CLIENT_RESPONSES = 4;
const STDERR_TAIL_BYTES = 2000;

/**
 * Prints the report. Resolves with exit code 1 if a rule of severity `must` fails or no conversation took place. After
 * signal n it stops the program under test and resolves with 128 + n. Throws `CannotWrite`.
 */
export async function runConform(request: ConformRequest, notify: Notify): Promise<number> {
  await using scope = new Scope("symposium-acp-agent", error => notify("error", "A resource was not released", error));
  const processes = ownProcesses(openOwnLedger(scope, notify), notify);
  endEarlierProcesses(notify);
  // Symbolic links are resolved, because agents compare paths.
  const cwd = realpathSync(mkdtempSync(path.join(tmpdir(), "symposium-conform-")));
  scope.defer(() => rmSync(cwd, { recursive: true, force: true }));
  if (request.recordFolder !== undefined) prepareFolder(request.recordFolder);
  const check = new Check(request, processes, cwd),
    running = check.run();
  const ended = await Promise.race([running, firstSignal()]);
  if (typeof ended === "number") {
    await check.stop();
    await running;
    return ended;
  }
  const conversations = ended;
  if (conversations.length === 0) {
    notify("error", `${path.basename(request.command)} did not start the agent: ${check.status}`, check.stderrTail());
    return 1;
  }
  const results = judgeAll(RULES, request.program, conversations);
  if (request.recordFolder !== undefined) record(request.recordFolder, request.program, conversations);
  await print(
    request.json
      ? reportJson(request.program, results)
      : reportText(request.program, path.basename(request.command), results),
  );
  const stderrTail = check.stderrTail();
  if (hasFailedStart(results) && stderrTail !== undefined) notify("error", "Last output on stderr:", stderrTail);
  return exitCode(results);
}

class Check {
  /** Output of the most recently started process. */
  #stderr = new TailBuffer(STDERR_TAIL_BYTES);
  /** The most recently started process. */
  #subject: Subject | undefined;
  #isStopped = false;
  /** Description of that process's exit code or signal. */
  status = "It is still running.";

  constructor(
    private readonly request: ConformRequest,
    private readonly processes: ProcessDeps,
    private readonly cwd: string,
  ) {}

  /** Returns undefined if the process wrote nothing. */
  stderrTail(): string | undefined {
    const text = redactText(this.#stderr.text().trim());
    return text === "" ? undefined : text;
  }

  /** Stops the program under test and prevents further starts. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#subject?.stop();
  }

  run(): Promise<readonly Conversation[]> {
    const { request } = this,
      options: CheckOptions = {
        start: () => this.#start(request.args),
        clock: realClock,
        cwd: this.cwd,
        auth: request.auth,
        limits: {
          ...DEFAULT_LIMITS,
          responseMs: request.timeoutMs,
          exitMs: Math.min(DEFAULT_LIMITS.exitMs, request.timeoutMs),
        },
        prompts: request.prompts.length > 0 ? request.prompts : [DEFAULT_PROMPT],
      };
    if (request.program === "agent") return runAgentScenarios(options);
    return request.program === "proxy" ? runProxyScenarios(options) : this.#client();
  }

  /** The client starts the kit's agent, which writes its recordings into a folder. */
  async #client(): Promise<readonly Conversation[]> {
    const conversations: Conversation[] = [];
    for (const version of VERSIONS) {
      const folder = path.join(this.cwd, `recordings-v${version}`);
      mkdirSync(folder);
      const agent = this.#agentCommand(folder, version);
      const subject = this.#start(this.request.args.map(arg => arg.replaceAll(AGENT_PLACEHOLDER, () => agent)));
      await exitOf(subject, CLIENT_RESPONSES * this.request.timeoutMs);
      await subject.stop();
      const own = recordingsIn(folder, version);
      conversations.push(...own);
      if (!own.some(asksForNewer)) break;
    }
    return conversations;
  }

  #agentCommand(folder: string, version: Version): string {
    const { command, script } = ownProgram();
    return [command, script, "conform-agent", folder, String(version), String(this.request.timeoutMs)]
      .map(quoted)
      .join(" ");
  }

  #start(args: readonly string[]): Subject {
    const subject = this.#isStopped ? notStarted(Promise.resolve("stopped")) : this.#started(args);
    this.#subject = subject;
    this.status = "It is still running.";
    void subject.exited.then(status => {
      if (this.#subject === subject) this.status = status;
    });
    return subject;
  }

  #started(args: readonly string[]): Subject {
    const { command, env, program } = this.request,
      // A client starts this program as its agent.
      ownEnvironment = program === "client" && ownProgram().electron ? { ELECTRON_RUN_AS_NODE: "1" } : {};
    const spec: ProcessSpec = {
      name: path.basename(command),
      command,
      args,
      cwd: process.cwd(),
      env: { ...env, ...ownEnvironment },
    };
    const started = startChild(spec, this.processes);
    if (started.kind === "failed") return notStarted(started.why.then(error => error.what));
    const { child } = started,
      stderr = new TailBuffer(STDERR_TAIL_BYTES);
    this.#stderr = stderr;
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    return { input: child.stdin, output: child.stdout, exited: child.exited.then(statusOf), stop: () => child.stop() };
  }
}

function hasFailedStart(results: readonly Result[]): boolean {
  return results.some(({ rule, verdict }) => rule.id.endsWith("/initialize") && verdict.kind === "fail");
}

/** A placeholder for a command that cannot be started. The first rule reports the reason. */
function notStarted(exited: Promise<string>): Subject {
  const input = new PassThrough().resume(),
    output = new PassThrough().end();
  return { input, output, exited, stop: () => Promise.resolve() };
}

/** Resolves on exit or after the limit. */
function exitOf(subject: Subject, limitMs: number): Promise<void> {
  return new Promise(resolve => {
    const late = realClock.after(limitMs, resolve);
    void subject.exited.then(() => {
      late[Symbol.dispose]();
      resolve();
    });
    subject.output.resume();
  });
}

/** Reads one conversation per file, because a client may start several agents. */
function recordingsIn(folder: string, version: Version): readonly Conversation[] {
  return readdirSync(folder)
    .sort()
    .map((file, i) => {
      const events = readEvents(readFileSync(path.join(folder, file), "utf8"), version),
        recorded = { scenario: `agent-${i + 1}-v${version}`, requested: version, version, events };
      return { ...recorded, version: negotiated(recorded, "fromProgram") === 1 ? 1 : version };
    });
}

/** Whether the client requested a version above 1, so that a second run can test it. */
function asksForNewer(conversation: Conversation): boolean {
  return exchanges(conversation, "fromProgram", AGENT_METHODS.initialize).some(
    ({ request }) => Number(paramsOf(request).protocolVersion) > 1,
  );
}

/** Creates the folder first, so that a run without a writable folder does not start. Throws `CannotWrite`. */
function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw cannotRecord(folder, error);
  }
}

function cannotRecord(folder: string, cause: unknown): CannotWrite {
  return new CannotWrite(`The recordings cannot be written to ${folder}: ${String(cause)}`, { cause });
}

/** Throws `CannotWrite`. */
function record(folder: string, program: ProgramKind, conversations: readonly Conversation[]): void {
  try {
    for (const { name, text } of conversations.flatMap((conversation, i) =>
      recordFiles(program, i + 1, conversation),
    )) {
      writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    }
  } catch (error) {
    throw cannotRecord(folder, error);
  }
}

function print(text: string): Promise<void> {
  return new Promise(resolve => {
    process.stdout.write(`${text}\n`, () => resolve());
  });
}
