/**
 * Starts the command of a component. Eliza runs in this process, all others as child processes. Separate from
 * `launch.ts`, whose client `run-with` does not load (issue 18 point 8).
 */
import * as l10n from "@vscode/l10n";
import type { ServerStarter } from "../proxies/added-server";
import type { Running } from "../conductor/component";
import type { Clock } from "../rpc/clock";
import { memoryChannels } from "../rpc/memory-channel";
import type { AgentProcess, ProcessSpec } from "../process/stdio-process";
import type { AgentCommand } from "./distributions/agent-command";

export interface StartDeps {
  /** The version of Eliza. */
  readonly version: string;
  readonly startProcess: (spec: ProcessSpec) => AgentProcess;
}

/**
 * `name`: for messages. `extra`: additional environment variables. If the process cannot be started, the channel closes
 * with the reason.
 */
export async function startComponent(
  name: string,
  command: AgentCommand,
  cwd: string,
  { version, startProcess }: StartDeps,
  extra: Readonly<Record<string, string>> = {},
): Promise<Running> {
  if (command.kind === "eliza") return startEliza(command.deterministic, version);
  const { args, env } = command;
  const child = startProcess({ name, command: command.command, args, env: { ...env, ...extra }, cwd });
  return { channel: child.channel, stop: async () => child[Symbol.asyncDispose](), lastWords: () => child.stderr() };
}

/** Starts MCP servers in the folder of their session, or else in `folder`. */
export function serverStarter(folder: string, deps: StartDeps & { readonly clock: Clock }): ServerStarter {
  return {
    clock: deps.clock,
    start: (title, server, cwd = folder) =>
      startComponent(l10n.t`The MCP server “${title}”`, { kind: "process", ...server }, cwd, deps),
  };
}

async function startEliza(deterministic: boolean, version: string): Promise<Running> {
  const { serveEliza } = await import("../eliza/agent"); // loads Eliza's script on first use
  const [channel, agentChannel] = memoryChannels();
  const eliza = serveEliza(agentChannel, { deterministic, version });
  return { channel, stop: async () => eliza[Symbol.asyncDispose](), lastWords: () => "" };
}
