/**
 * Programs that may already be installed and are ACP agents, or that share their sign-in with a built-in agent. Pure.
 * The start arguments come from the ACP registry (`args` in github.com/agentclientprotocol/registry, ID/agent.json);
 * for `kiro-cli-chat` from kiro.dev/docs/cli/acp.
 */
import type { AgentConfig } from "./agents";
import { BUILT_IN_AGENTS } from "./built-in-agents";

export interface KnownProgram {
  /** Name on the PATH. */
  readonly program: string;
  readonly agentId: string;
  /**
   * Configuration for a program that is not configured yet. Absent: the agent is built in, has its own installation,
   * and shares the program's sign-in.
   */
  readonly agent?: AgentConfig;
}

export const KNOWN_PROGRAMS: readonly KnownProgram[] = [
  { program: "claude", agentId: "zed-claude-code" },
  { program: "codex", agentId: "codex" },
  { program: "gemini", agentId: "gemini" },
  ...BUILT_IN_AGENTS.flatMap(({ needs, ...agent }): KnownProgram[] =>
    needs === undefined ? [] : [{ program: needs, agentId: agent.id, agent }],
  ),
  isAgent("copilot", "github-copilot-cli", "GitHub Copilot", "GitHub's coding agent", ["--acp"]),
  isAgent("cursor-agent", "cursor", "Cursor", "Cursor's coding agent", ["acp"]),
  isAgent("goose", "goose", "Goose", "Block's open source agent", ["acp"]),
  isAgent("opencode", "opencode", "OpenCode", "Open source coding agent", ["acp"]),
  isAgent("qwen", "qwen-code", "Qwen Code", "Alibaba's coding agent", ["--acp"]),
  isAgent("auggie", "auggie", "Auggie CLI", "Augment Code's coding agent", ["--acp"]),
  isAgent("cline", "cline", "Cline", "Cline's coding agent", ["--acp"]),
  isAgent("vibe-acp", "mistral-vibe", "Mistral Vibe", "Mistral's coding agent", []),
];

/** Uses the registry's id, so that adding the agent from the registry later creates no duplicate. */
function isAgent(
  program: string,
  agentId: string,
  name: string,
  description: string,
  args: readonly string[],
): KnownProgram {
  return {
    program,
    agentId,
    agent: {
      id: agentId,
      name,
      description,
      distribution: { local: { command: program, ...(args.length === 0 ? {} : { args }) } },
      _source: "custom",
    },
  };
}

/** Program name → path (`agents/find`). */
export type FoundPrograms = Readonly<Record<string, string>>;

export interface FoundAgent {
  readonly agent: AgentConfig;
  readonly path: string;
  /** Must be added to the settings before it can be selected. */
  readonly isNew: boolean;
}

/**
 * The agents of the programs found, in the order of the table. `agents`: the configured agents, whose configuration
 * takes precedence.
 */
export function foundAgents(agents: readonly AgentConfig[], found: FoundPrograms): readonly FoundAgent[] {
  return KNOWN_PROGRAMS.flatMap(({ program, agentId, agent: own }): FoundAgent[] => {
    const path = found[program],
      configured = agents.find(({ id }) => id === agentId),
      agent = configured ?? own;
    return path === undefined || agent === undefined ? [] : [{ agent, path, isNew: configured === undefined }];
  });
}

/** Value for `symposium.agents` of a new agent. */
export function entryOf({
  agent: { id, name, description, distribution },
}: FoundAgent): Readonly<Record<string, unknown>> {
  return { id, name, ...(description === undefined ? {} : { description }), distribution, _source: "custom" };
}
