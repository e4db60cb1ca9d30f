/**
 * From an agent's configuration to a connection with it: Eliza in this process, all others as a child.
 * Which command a distribution means is decided in distribution.ts, purely.
 */
import type { LogLevel } from "../../src/protocol/log";
import type { ProxyComponent, Trace } from "../conductor/component";
import { conduct } from "../conductor/conductor";
import type { Channel } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { readable } from "../rpc/json";
import { memoryChannels } from "../rpc/memory";
import { AgentConnection } from "./connection";
import { commandOf, type AgentCommand } from "./distribution";
import type { AgentKey } from "./pool";
import type { AgentProcess, ProcessSpec } from "./process";

export interface LaunchWorld {
  /** The version that we tell agents. */
  readonly version: string;
  readonly clock: Clock;
  readonly startProcess: (spec: ProcessSpec) => AgentProcess;
  readonly trace?: Trace | undefined;
  /** What stands between the client and the agent, from the client on; nothing unless given. `odd`: for the log. */
  readonly proxies?: (key: AgentKey, odd: (what: string, detail: unknown) => void) => readonly ProxyComponent[];
  readonly log: (level: LogLevel, message: string, detail: Readonly<Record<string, unknown>>) => void;
}

/** Every agent runs behind a conductor, also with no proxy in its chain. Rejects with an `AgentError`; nothing is left running then. */
export async function launch(key: AgentKey, signal: AbortSignal, world: LaunchWorld): Promise<AgentConnection> {
  const { agent, cwd, protocol, role } = key;
  const command = commandOf(agent);
  world.log("info", "Starting agent", { agent: agent.id, kind: command.kind, cwd });
  const odd = seldom((what, times, detail) => world.log("warn", what, { agent: agent.id, times, detail: readable(detail, ODD_LIMIT) }));
  const [channel, upstream] = memoryChannels();
  let lastWords = (): string => "";
  const conductor = conduct(upstream, {
    proxies: world.proxies?.(key, odd) ?? [], clock: world.clock, odd, ...(world.trace === undefined ? {} : { trace: world.trace }),
    last: { kind: "agent", name: agent.name, start: async () => {
      const started = await startCommand(agent.name, command, cwd, world);
      lastWords = started.lastWords;
      return started;
    } },
    notice: ({ kind, message, cause }) => world.log(kind === "slow" ? "info" : "warn", message, { agent: agent.id, ...(cause === undefined ? {} : { cause: String(cause) }) }),
  });
  const stop = (): Promise<void> => conductor[Symbol.asyncDispose]();
  const giveUp = (): void => { stop().catch((error: unknown) => world.log("error", "An agent could not be stopped", { agent: agent.id, error: String(error) })); };
  signal.addEventListener("abort", giveUp);
  try {
    if (signal.aborted) giveUp();
    const connection = await AgentConnection.connect(channel, {
      name: agent.name, version: world.version, protocol, ...(role === undefined ? {} : { role }), clock: world.clock, stop, odd,
      lastWords: () => lastWords(), failure: () => conductor.failure?.reason,
    });
    world.log("info", "Agent ready", { agent: agent.id });
    return connection;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** Characters of what an agent said that was odd. */
const ODD_LIMIT = 2000;

/** The first few of each kind, then each thousandth: an agent that does the same again and again does not fill the log. */
function seldom(tell: (what: string, times: number, detail: unknown) => void): (what: string, detail: unknown) => void {
  const counts = new Map<string, number>();
  return (what, detail) => {
    const times = (counts.get(what) ?? 0) + 1;
    counts.set(what, times);
    if (times <= 10 || times % 1000 === 0) tell(what, times, detail);
  };
}

export interface Started { readonly channel: Channel; readonly stop: () => Promise<void>; readonly lastWords: () => string }

/** `name`: for sentences. A process that cannot be started is a channel that closes with the reason. */
export async function startCommand(name: string, command: AgentCommand, cwd: string, { version, startProcess }: Pick<LaunchWorld, "version" | "startProcess">): Promise<Started> {
  if (command.kind === "eliza") return startEliza(command.deterministic, version);
  const { args, env } = command;
  const child = startProcess({ name, command: command.command, args, env, cwd });
  return { channel: child.channel, stop: async () => child[Symbol.asyncDispose](), lastWords: () => child.stderr() };
}

async function startEliza(deterministic: boolean, version: string): Promise<Started> {
  const { serveEliza } = await import("./eliza/agent"); // its rules are read on first use
  const [channel, theirs] = memoryChannels();
  const eliza = serveEliza(theirs, { deterministic, version });
  return { channel, stop: async () => eliza[Symbol.asyncDispose](), lastWords: () => "" };
}
