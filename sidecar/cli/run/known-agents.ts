/** The agents that the configuration agent offers, and the configuration file of each. Pure. */
import { BUILT_IN_AGENTS } from "../../../src/protocol/agents/built-in-agents";
import { typedCommand } from "../../../src/protocol/agents/typed-command";
import { DEFAULT_EXTENSIONS } from "../../../src/protocol/agents/extensions";

export interface KnownAgent {
  /** The documented name. */
  readonly name: string;
  /** Id of the built-in agent. */
  readonly id: string;
}

/** In the documented order. */
export const KNOWN_AGENTS: readonly KnownAgent[] = [
  { name: "Claude Code", id: "zed-claude-code" },
  { name: "Gemini CLI", id: "gemini" },
  { name: "Codex", id: "codex" },
  { name: "Kiro CLI", id: "kiro-cli" },
];

/** The words of the agent's command contain no character that a shell interprets. */
export function commandLineOf({ id }: KnownAgent): string {
  const agent = BUILT_IN_AGENTS.find(config => config.id === id),
    typed = agent?.distribution && typedCommand(agent.distribution);
  if (!typed) throw new Error(`no command starts ${id}`);
  return [typed.command, ...typed.args].join(" ");
}

/** The documented configuration file, with all default proxies enabled. */
export function configurationOf(agent: KnownAgent): string {
  const proxies = DEFAULT_EXTENSIONS.map(({ id }) => `    { "name": ${JSON.stringify(id)}, "enabled": true }`);
  return `{
  // Downstream agent command (parsed as shell words)
  "agent": ${JSON.stringify(commandLineOf(agent))},

  // Proxy extensions to enable
  "proxies": [
${proxies.join(",\n")}
  ]
}
`;
}
