/**
 * Locations and formats of the agents' own lists of MCP servers (issue 14 item 5). This list only determines *how*
 * Symposium's entry is written. The agent's observed behaviour determines whether the entry is offered. A file named in
 * the agent's settings takes precedence. Pure.
 *
 * Sources, read in November 2026: Claude Code https://code.claude.com/docs/en/mcp (user scope), Gemini CLI
 * https://geminicli.com/docs/tools/mcp-server, Codex https://developers.openai.com/codex/mcp, OpenCode
 * https://opencode.ai/docs/mcp-servers.
 */
import path from "node:path";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import type { ConfigurationFormat } from "../../../src/protocol/agents/own-configuration";

export interface ConfigurationPlace {
  readonly file: string;
  readonly format: ConfigurationFormat;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Known {
  readonly ids: readonly string[];
  readonly format: ConfigurationFormat;
  readonly file: (home: string, env: Environment) => string;
}

const KNOWN: readonly Known[] = [
  {
    ids: ["zed-claude-code", "claude-acp", "claude-code-acp"],
    format: "claude",
    file: (home, { CLAUDE_CONFIG_DIR: folder }) => path.join(folder || home, ".claude.json"),
  },
  { ids: ["gemini"], format: "gemini", file: home => path.join(home, ".gemini", "settings.json") },
  {
    ids: ["codex", "codex-acp"],
    format: "codex",
    file: (home, { CODEX_HOME: folder }) => path.join(folder || path.join(home, ".codex"), "config.toml"),
  },
  {
    ids: ["opencode"],
    format: "opencode",
    file: (home, { XDG_CONFIG_HOME: folder }) =>
      path.join(folder || path.join(home, ".config"), "opencode", "opencode.json"),
  },
];

/** `env`: the environment of the agent's process. Undefined: the location is unknown, and the settings contain none. */
export function configurationOf(
  { id, ownConfiguration, distribution }: AgentConfig,
  home: string,
  env: Environment,
): ConfigurationPlace | undefined {
  if (ownConfiguration) {
    const { file, format } = ownConfiguration;
    return { file: /^~[\\/]/.test(file) ? path.join(home, file.slice(2)) : file, format };
  }
  const known = KNOWN.find(({ ids }) => ids.includes(id));
  return known && { format: known.format, file: known.file(home, { ...env, ...distribution.local?.env }) };
}
