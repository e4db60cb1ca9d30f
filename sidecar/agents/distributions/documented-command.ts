/**
 * The command of an agent as documented ("Spawning an Agent"), for other programs to start. For packages that a tool
 * downloads at each start, this is the command a user would type. For other distributions it is the path in our store.
 * Nothing is resolved or installed. Pure.
 */
import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { AgentConfig } from "../../../src/protocol/agents/agents";
import { typedCommand, type Environment, type Platform } from "../../../src/protocol/agents/distribution";
import { choose, missingSentence, type Choice } from "./choose";
import { requirementOf } from "../../../src/protocol/agents/package-spec";
import { isWindows, platformsFor } from "./platform";
import { isSegment, relativeParts, UNVERSIONED } from "./segment";

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
  /** Symposium itself, for its own subcommands. */
  readonly sidecar: Program;
}

/** `fromStore`: the command exists only after the agent is installed. `why`: a sentence for the user. */
export type Documented = { readonly server: McpServerCommand; readonly fromStore: boolean } | { readonly why: string };

/** `config.id` and `.version` may come from an untrusted document. */
export function documentedCommand(config: AgentConfig, deps: DocumentedDeps): Documented {
  // Installed tools are ignored: the documents' order is the same on every computer.
  const choice = choose(config.distribution, { platforms: platformsFor(deps.platform), has: () => true });
  if ("missing" in choice) return { why: missingSentence(config.name, choice.missing) };
  switch (choice.kind) {
    case "local":
      return typed(config, choice);
    case "symposium":
      return typed(config, { ...deps.sidecar, args: [...deps.sidecar.args, choice.subcommand, ...choice.args] });
    case "http":
      return { why: l10n.t`${config.name} is a remote server without a start command.` };
    case "npx":
    case "uvx":
    case "pipx":
      return typed(config, fetchedAtStart(choice, deps));
    case "cargo":
    case "binary":
      return stored(config, choice, deps);
  }
}

function fetchedAtStart(choice: Extract<Choice, { kind: "npx" | "uvx" | "pipx" }>, deps: DocumentedDeps): Program {
  const of = choice.kind === "pipx" ? { ...choice.of, package: requirementOf(choice.spec) } : choice.of;
  const { command = choice.kind, args = [], env = {} } = typedCommand({ [choice.kind]: of }) ?? {};
  return { command: choice.kind === "npx" && windows(deps) ? "npx.cmd" : command, args, env };
}

function stored(
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
      : ["bin", `${choice.of.binary ?? choice.of.crate}${windows(deps) ? ".exe" : ""}`];
  if (!parts) return { why: l10n.t`${name} cannot be started: its program is outside of its archive.` };
  const { join } = windows(deps) ? path.win32 : path.posix;
  return typed(config, { ...choice.of, command: join(deps.home, ".symposium", "bin", id, version, ...parts) }, true);
}

function typed(
  { name }: AgentConfig,
  { command, args = [], env = {} }: Omit<Program, "args"> & { readonly args?: readonly string[] },
  fromStore = false,
): Documented {
  return {
    server: { name, command, args, env: Object.entries(env).map(([key, value]) => ({ name: key, value })) },
    fromStore,
  };
}

function windows({ platform }: DocumentedDeps): boolean {
  return platform !== undefined && isWindows(platform);
}
