/**
 * The agents that are there without a registry, and the names that packages of agents had when the documents were
 * written. Pure.
 */
import { ELIZA, type AgentConfig } from "./agents";

export interface BuiltInAgent extends AgentConfig {
  /** Shown only where this program is on the PATH: nothing here could install it. */
  readonly needs?: string;
}

/** In the order in which pickers show them. */
export const BUILT_IN_AGENTS: readonly BuiltInAgent[] = [
  ELIZA,
  {
    id: "zed-claude-code",
    name: "Claude",
    description: "Anthropic's Claude Code",
    distribution: { npx: { package: "@agentclientprotocol/claude-agent-acp" } },
  },
  {
    id: "codex",
    name: "Codex",
    description: "OpenAI's coding agent",
    distribution: { npx: { package: "@agentclientprotocol/codex-acp" } },
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    description: "Google's coding agent",
    distribution: { npx: { package: "@google/gemini-cli", args: ["--acp"] } },
  },
  {
    id: "kiro-cli",
    name: "Kiro CLI",
    description: "The agent of Kiro",
    distribution: { local: { command: "kiro-cli-chat", args: ["acp"] } },
    needs: "kiro-cli-chat",
  },
];

/** Those that can be used here. `has`: whether a program is on the PATH. */
export function builtInAgents(has: (program: string) => boolean): readonly BuiltInAgent[] {
  return BUILT_IN_AGENTS.filter(({ needs }) => needs === undefined || has(needs));
}

/** Where a package went. */
const MOVED: ReadonlyMap<string, string> = new Map([
  ["@zed-industries/claude-code-acp", "@agentclientprotocol/claude-agent-acp"],
  ["@zed-industries/claude-agent-acp", "@agentclientprotocol/claude-agent-acp"],
  ["@zed-industries/codex-acp", "@agentclientprotocol/codex-acp"],
]);

/** The package of today for a documented one, with its tag. A version means what was published as that, and stays. */
export function currentPackage(spec: string): string {
  const [, name = spec, tag = ""] = /^(@[^@]+)(@latest)?$/.exec(spec) ?? [];
  const now = MOVED.get(name);
  return now === undefined ? spec : now + tag;
}
