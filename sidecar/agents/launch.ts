/**
 * From an agent's configuration to a connection with it: Eliza in this process, all others as a child.
 * Which command a distribution means is decided by `commandOf`, purely; later distributions join there.
 */
import type { AgentConfig } from "../../src/protocol/agents";
import type { LogLevel } from "../../src/protocol/log";
import { noDistribution } from "../errors";
import type { Channel } from "../rpc/channel";
import type { Clock } from "../rpc/clock";
import { readable } from "../rpc/json";
import { memoryChannels } from "../rpc/memory";
import { AgentConnection } from "./connection";
import type { AgentKey } from "./pool";
import type { AgentProcess, ProcessSpec } from "./process";

export interface LaunchWorld {
  /** The version that we tell agents. */
  readonly version: string;
  readonly clock: Clock;
  readonly startProcess: (spec: ProcessSpec) => AgentProcess;
  readonly log: (level: LogLevel, message: string, detail: Readonly<Record<string, unknown>>) => void;
}

export type AgentCommand =
  | { readonly kind: "process"; readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: "eliza"; readonly deterministic: boolean };

/** Throws `noDistribution` when there is nothing that can be started here. */
export function commandOf({ name, distribution: { local, executable, symposium } }: AgentConfig): AgentCommand {
  if (local) return { kind: "process", command: local.command, args: local.args ?? [], env: local.env ?? {} };
  if (executable) return { kind: "process", command: executable.path, args: [], env: {} };
  if (symposium?.subcommand === "eliza") return { kind: "eliza", deterministic: symposium.args?.includes("--deterministic") ?? false };
  throw noDistribution(name);
}

/** Rejects with an `AgentError`; nothing is left running then. */
export async function launch({ agent, cwd }: AgentKey, slow: () => void, signal: AbortSignal, world: LaunchWorld): Promise<AgentConnection> {
  const command = commandOf(agent);
  world.log("info", "Starting agent", { agent: agent.id, kind: command.kind, cwd });
  const { channel, stop, lastWords } = command.kind === "eliza" ? await startEliza(command.deterministic, world.version) : startChild(agent, command, cwd, world);
  const giveUp = (): void => { stop().catch((error: unknown) => world.log("error", "An agent could not be stopped", { agent: agent.id, error: String(error) })); };
  signal.addEventListener("abort", giveUp);
  try {
    if (signal.aborted) giveUp();
    const connection = await AgentConnection.connect(channel, {
      name: agent.name, version: world.version, clock: world.clock, slow, stop, lastWords,
      odd: seldom((what, times, detail) => world.log("warn", what, { agent: agent.id, times, detail: readable(detail, ODD_LIMIT) })),
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

interface Started { readonly channel: Channel; readonly stop: () => Promise<void>; readonly lastWords: () => string }

async function startEliza(deterministic: boolean, version: string): Promise<Started> {
  const { serveEliza } = await import("./eliza/agent"); // its rules are read on first use
  const [channel, theirs] = memoryChannels();
  const eliza = serveEliza(theirs, { deterministic, version });
  return { channel, stop: async () => eliza[Symbol.asyncDispose](), lastWords: () => "" };
}

function startChild(agent: AgentConfig, { command, args, env }: Extract<AgentCommand, { readonly kind: "process" }>, cwd: string, world: LaunchWorld): Started {
  const child = world.startProcess({ name: agent.name, command, args, env, cwd });
  return { channel: child.channel, stop: async () => child[Symbol.asyncDispose](), lastWords: () => child.stderr() };
}
