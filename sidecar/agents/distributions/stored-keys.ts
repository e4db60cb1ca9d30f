/** Adds the user's stored keys to the command that starts an agent. */
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { knownSecrets } from "../../../src/protocol/redaction/redact";
import type { AgentCommand } from "./agent-command";

/** Resolves the command that starts an agent. */
export type CommandOf = (agent: AgentConfig, signal: AbortSignal) => Promise<AgentCommand>;

/** Adds the user's stored keys to the environment. Variables of the agent's configuration take precedence. */
export function withSecrets(
  commandOf: CommandOf,
  secrets: (agentId: string) => Promise<{ readonly env: Readonly<Record<string, string>> }>,
): CommandOf {
  return async (agent, signal) => {
    const command = await commandOf(agent, signal);
    if (command.kind !== "process") return command;
    const { env } = await secrets(agent.id);
    knownSecrets.add(Object.values(env));
    return { ...command, env: { ...env, ...command.env } };
  };
}
