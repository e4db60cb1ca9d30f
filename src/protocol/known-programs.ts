/**
 * Programs that may be on this computer already and are ACP agents, or have the sign-in that a built-in agent uses.
 * Pure. How each is started is what its entry in the ACP registry says (`args` of
 * github.com/agentclientprotocol/registry, ID/agent.json); of `kiro-cli-chat`, what kiro.dev/docs/cli/acp says.
 */
import type { AgentConfig } from "./agents";
import { BUILT_IN_AGENTS } from "./built-in-agents";

export interface KnownProgram {
  /** Its name on the PATH. */
  readonly program: string;
  readonly agentId: string;
  /**
   * What it is when it is no agent yet; absent: its agent is built in, has an installation of its own, and shares the
   * program's sign-in.
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
  isAgent("goose", "goose", "Goose", "Block's agent, open source", ["acp"]),
  isAgent("opencode", "opencode", "OpenCode", "The open source coding agent", ["acp"]),
  isAgent("qwen", "qwen-code", "Qwen Code", "Alibaba's coding agent", ["--acp"]),
  isAgent("auggie", "auggie", "Auggie CLI", "Augment Code's coding agent", ["--acp"]),
  isAgent("cline", "cline", "Cline", "Cline's coding agent", ["--acp"]),
  isAgent("vibe-acp", "mistral-vibe", "Mistral Vibe", "Mistral's coding agent", []),
];

/** The id is the registry's: who takes it from there later has it once. */
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

/** Where programs are, by their names (`agents/find`). */
export type FoundPrograms = Readonly<Record<string, string>>;

export interface FoundAgent {
  readonly agent: AgentConfig;
  readonly path: string;
  /** It has to be written down before it can be chosen. */
  readonly isNew: boolean;
}

/**
 * The agents of the programs that are here, in the order of the table. `agents`: those that there are; one of them
 * keeps what it says.
 */
export function foundAgents(agents: readonly AgentConfig[], found: FoundPrograms): readonly FoundAgent[] {
  return KNOWN_PROGRAMS.flatMap(({ program, agentId, agent: own }): FoundAgent[] => {
    const path = found[program],
      known = agents.find(({ id }) => id === agentId),
      agent = known ?? own;
    return path === undefined || agent === undefined ? [] : [{ agent, path, isNew: known === undefined }];
  });
}

/** What stands in `symposium.agents` for one that is new. */
export function entryOf({
  agent: { id, name, description, distribution },
}: FoundAgent): Readonly<Record<string, unknown>> {
  return { id, name, ...(description === undefined ? {} : { description }), distribution, _source: "custom" };
}
