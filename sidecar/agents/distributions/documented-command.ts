/**
 * The command of an agent as documented ("Spawning an Agent"), for other programs to start. For a package that its tool
 * downloads at each start, this is the command as the user would type it. For other distributions, this is the path in
 * our store. Nothing is resolved or installed. Pure.
 */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import type { Environment, Platform } from "../../../src/protocol/agents/distribution";
import { typedCommand } from "../../../src/protocol/agents/typed-command";
import { choose, missingSentence, type Choice } from "./choose";
import { requirementOf } from "../../../src/protocol/agents/package-spec";
import { isWindows, platformsFor } from "./platform";
import { isSegment, relativeParts, UNVERSIONED } from "./folder-name";

/** The stdio server form of MCP and ACP, which the documents use for agents. */
export interface McpServerCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** A program and its leading arguments. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Environment;
}

export interface DocumentedDeps {
  /** Undefined: registries have no key for this platform. */
  readonly platform: Platform | undefined;
  readonly home: string;
  /** Command of Symposium itself, for its subcommands. */
  readonly sidecar: Program;
}

/** `fromStore`: the command exists only after the agent is installed. `why`: a sentence for the user. */
export type Documented = { readonly server: McpServerCommand; readonly fromStore: boolean } | { readonly why: string };

/** `config.id` and `.version` may come from an untrusted document. */
export function documentedCommand(config: AgentConfig, deps: DocumentedDeps): Documented {
  // Ignores which tools are installed, because the documented command is the same on every computer.
  const choice = choose(config.distribution, { platforms: platformsFor(deps.platform), has: () => true });
  if ("missing" in choice) return { why: missingSentence(config.name, choice.missing) };
  switch (choice.kind) {
    case "local":
      return documented(config, choice);
    case "symposium":
      return documented(config, { ...deps.sidecar, args: [...deps.sidecar.args, choice.subcommand, ...choice.args] });
    case "http":
      return { why: l10n.t`${config.name} is a remote server without a start command.` };
    case "npx":
    case "uvx":
    case "pipx":
      return documented(config, packageCommand(choice, deps));
    case "cargo":
    case "binary":
      return storeCommand(config, choice, deps);
  }
}

function packageCommand(choice: Extract<Choice, { kind: "npx" | "uvx" | "pipx" }>, deps: DocumentedDeps): Program {
  const distribution = choice.kind === "pipx" ? { ...choice.of, package: requirementOf(choice.spec) } : choice.of;
  const { command = choice.kind, args = [], env = {} } = typedCommand({ [choice.kind]: distribution }) ?? {};
  return { command: choice.kind === "npx" && isOnWindows(deps) ? "npx.cmd" : command, args, env };
}

function storeCommand(
  config: AgentConfig,
  choice: Extract<Choice, { kind: "cargo" | "binary" }>,
  deps: DocumentedDeps,
): Documented {
  const { id, name } = config,
    version = choice.kind === "cargo" ? (choice.of.version ?? config.version) : (config.version ?? UNVERSIONED);
  if (version === undefined)
    return { why: l10n.t`${name} specifies no version, and only cargo can resolve the newest one.` };
  if (!isSegment(id) || !isSegment(version))
    return { why: l10n.t`${name} cannot be installed: its id and version must be valid folder names.` };
  const parts =
    choice.kind === "binary"
      ? relativeParts(choice.of.cmd)
      : ["bin", `${choice.of.binary ?? choice.of.crate}${isOnWindows(deps) ? ".exe" : ""}`];
  if (!parts) return { why: l10n.t`${name} cannot be started: its program is outside of its archive.` };
  const { join } = isOnWindows(deps) ? path.win32 : path.posix;
  return documented(
    config,
    { ...choice.of, command: join(deps.home, ".symposium", "bin", id, version, ...parts) },
    true,
  );
}

function documented(
  { name }: AgentConfig,
  { command, args = [], env = {} }: Omit<Program, "args"> & { readonly args?: readonly string[] },
  fromStore = false,
): Documented {
  return {
    server: { name, command, args, env: Object.entries(env).map(([key, value]) => ({ name: key, value })) },
    fromStore,
  };
}

function isOnWindows({ platform }: DocumentedDeps): boolean {
  return platform !== undefined && isWindows(platform);
}
