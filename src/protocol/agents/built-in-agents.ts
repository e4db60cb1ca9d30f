/** Agents that are available without a registry, and renamed packages of documented agents. Pure. */
import { ELIZA, type AgentConfig } from "./agents";
import type { Distribution } from "./distribution";
import { npmSpec } from "./package-spec";

export interface BuiltInAgent extends AgentConfig {
  /** Shown only if this program is on the PATH, because Symposium cannot install it. */
  readonly needs?: string;
}

/** In the order of the pickers. */
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
    description: "Kiro's agent",
    distribution: { local: { command: "kiro-cli-chat", args: ["acp"] } },
    needs: "kiro-cli-chat",
  },
];

/** The built-in agents that work on this machine. `has`: whether a program is on the PATH. */
export function builtInAgents(has: (program: string) => boolean): readonly BuiltInAgent[] {
  return BUILT_IN_AGENTS.filter(({ needs }) => needs === undefined || has(needs));
}

/** Short names on the command line → ids. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ["eliza", "elizacp"],
  ["claude", "zed-claude-code"],
  ["kiro", "kiro-cli"],
]);

/** The built-in agent of an id or a short name, such as `claude`. */
export function builtInAgent(name: string): BuiltInAgent | undefined {
  const id = SHORT_NAMES.get(name) ?? name;
  return BUILT_IN_AGENTS.find(agent => agent.id === id);
}

/** The built-in agent that is this npm package. `name`: without a version. */
export function builtInAgentOf(name: string): BuiltInAgent | undefined {
  return BUILT_IN_AGENTS.find(({ distribution }) => distribution.npx?.package === name);
}

/** Old package name → new package name. */
const RENAMED_PACKAGES: ReadonlyMap<string, string> = new Map([
  ["@zed-industries/claude-code-acp", "@agentclientprotocol/claude-agent-acp"],
  ["@zed-industries/claude-agent-acp", "@agentclientprotocol/claude-agent-acp"],
  ["@zed-industries/codex-acp", "@agentclientprotocol/codex-acp"],
]);

/** Package → old argument → new argument. */
const RENAMED_ARGUMENTS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ["@google/gemini-cli", new Map([["--experimental-acp", "--acp"]])],
]);

/** Maps documented arguments of a package to their current names. Those of a pinned version are kept. */
export function currentArguments(spec: string, args: readonly string[]): readonly string[] {
  const renamed = RENAMED_ARGUMENTS.get(spec.replace(/@latest$/, ""));
  return renamed === undefined ? args : args.map(arg => renamed.get(arg) ?? arg);
}

/**
 * Maps a documented package to its current name and keeps the tag. A pinned version is not mapped, because it exists
 * only under the old name.
 */
export function currentPackage(spec: string): string {
  const [, name = spec, tag = ""] = /^(@[^@]+)(@latest)?$/.exec(spec) ?? [];
  const renamed = RENAMED_PACKAGES.get(name);
  return renamed === undefined ? spec : renamed + tag;
}

/** The current name of the distribution's npm package. Undefined: it has none, or it names a version, tag or range. */
export function unpinnedPackage({ npx }: Distribution): string | undefined {
  const spec = npx && npmSpec(currentPackage(npx.package));
  return spec && (spec.version === undefined || spec.version === "latest") ? spec.name : undefined;
}
