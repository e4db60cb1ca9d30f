/** Launches of agents with extensions for tests: each is a process, and the messages that they pass are recorded. */
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import type { ExtensionConfig } from "../../../src/protocol/agents/extensions";
import type { ProxyComponent } from "../../conductor/component";
import type { Channel, Closed } from "../../rpc/channel";
import { realClock, type Clock } from "../../rpc/clock";
import { objectOr } from "../../rpc/json";
import { temporaryFolder } from "../drive";
import { program, scriptedAgent } from "../programs/programs";
import type { StatusEvent } from "../../agents/agent-status-tracker";
import type { AgentConnection } from "../../acp/connection";
import { commandOf, type AgentCommand } from "../../agents/distributions/agent-command";
import { launch, type LaunchDeps } from "../../agents/launch";
import { openLedger } from "../../process/process-ledger";
import { startProcess, type ProcessSpec } from "../../process/stdio-process";
import { newRun } from "../../process/run-id";

export const NEVER = new AbortController().signal;
export const local = ({ command, args }: ProcessSpec) => ({ local: { command, args } });
export const extension = (name: string, distribution: ExtensionConfig["distribution"]): ExtensionConfig => ({
  id: name.toLowerCase().replaceAll(" ", "-"),
  name,
  distribution,
  _source: "custom",
});
export const rule = (name: string, ...rules: readonly string[]) =>
  extension(name, local(program("house-rules-proxy", rules)));
export const rogue = (name: string, ...flags: readonly string[]) =>
  extension(name, local(program("rogue-proxy", flags)));
export const ADA: AgentConfig = { id: "ada", name: "Ada", distribution: local(scriptedAgent()) };
export const ELIZA: AgentConfig = {
  id: "eliza",
  name: "Eliza",
  distribution: { symposium: { subcommand: "eliza", args: ["--deterministic"] } },
};

export class LaunchFixture implements AsyncDisposable {
  /** Sender and receiver of each prompt. */
  readonly passed: string[] = [];
  readonly statuses: string[] = [];
  readonly warned: string[] = [];
  readonly started: string[] = [];
  readonly folder = temporaryFolder();
  readonly #ledger = openLedger(this.folder.path, newRun());
  readonly #connections: AgentConnection[] = [];
  clock: Clock = realClock;
  command: NonNullable<LaunchDeps["extensionCommand"]> = async config => commandOf(config);

  /** Additional proxies of the chain. */
  proxies: readonly ProxyComponent[] = [];

  async launch(
    agent: AgentConfig,
    extensions: readonly ExtensionConfig[],
    signal = NEVER,
    agentCommand?: () => Promise<AgentCommand>,
  ): Promise<AgentConnection> {
    const connection = await launch({ agent, cwd: this.folder.path, protocol: 1, extensions }, signal, {
      version: "1",
      clock: this.clock,
      log: (level, message) => {
        if (level === "warn") this.warned.push(message);
      },
      proxies: () => this.proxies,
      extensionCommand: (config, signal) => this.command(config, signal),
      ...(agentCommand ? { command: agentCommand } : {}),
      trace: {
        message: (from, to, { envelope }) => {
          if (envelope.kind === "request" && envelope.method === "session/prompt") this.passed.push(`${from} → ${to}`);
        },
      },
      onStatus: (id, status) => this.statuses.push(`${id} ${statusText(status)}`),
      startProcess: spec => {
        this.started.push(spec.name);
        return startProcess(spec, {
          clock: realClock,
          ledger: this.#ledger,
          report: { started: () => undefined, ended: () => undefined },
          log: () => undefined,
        });
      },
    });
    this.#connections.push(connection);
    return connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#connections.map(connection => connection[Symbol.asyncDispose]()));
    this.#ledger.close();
    this.folder[Symbol.dispose]();
  }
}

export function statusText(status: StatusEvent): string {
  return "why" in status && status.why !== undefined ? `${status.kind}: ${status.why}` : status.kind;
}

export function passThrough(up: Channel, down: Channel): AsyncDisposable {
  const end = async (): Promise<void> => {
    await Promise.all([up[Symbol.asyncDispose](), down[Symbol.asyncDispose]()]);
  };
  up.start({
    receive: frame => {
      down.send(frame);
    },
    closed: () => void end(),
  });
  down.start({
    receive: frame => {
      up.send(frame);
    },
    closed: () => void end(),
  });
  return { [Symbol.asyncDispose]: end };
}

/** Sends one prompt in a new session. Returns the agent's text, and the reason if the session closes. */
export async function replyTo(
  connection: AgentConnection,
  text: string,
  opened: (sessionId: string) => void = () => undefined,
): Promise<{ readonly text: string; readonly closed?: Closed }> {
  let replyText = "",
    onClosed: (closed?: Closed) => void = () => undefined;
  const ended = new Promise<Closed | undefined>(resolve => {
    onClosed = resolve;
  });
  const { sessionId } = await connection.newSession(process.cwd(), {
    opened: () => undefined,
    isAsking: () => false,
    request: request => request.fail(new Error("unexpected request")),
    elicitationCompleted: () => undefined,
    closed: onClosed,
    update: update => {
      replyText += String(objectOr(objectOr(update).content).text ?? "");
    },
  });
  opened(sessionId);
  connection.prompt(sessionId, [{ type: "text", text }], () => onClosed());
  const closed = await ended;
  return { text: replyText, ...(closed === undefined ? {} : { closed }) };
}
