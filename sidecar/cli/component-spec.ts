/** A component of a chain, and its command. Packages and archives are resolved when the chain starts. Pure. */
import type { Distribution, HttpDistribution } from "../../src/protocol/agents/distribution";
import { BUILT_IN_EXTENSIONS, type ExtensionConfig } from "../../src/protocol/agents/extensions";
import { commandOf as literalCommand, type AgentCommand } from "../agents/distributions/agent-command";
import { distributionOf, storedConfig, type GivenNames } from "../agents/distributions/typed-distribution";
import type { InstallConfig } from "../agents/install/install-options";
import type { CommandLine } from "../process/command-line";
import type { JsonObject } from "../rpc/json";

/** A component whose command is resolved when the chain starts. */
export type Unresolved =
  /** Started from the store, and installed there first if it is missing. */
  | { readonly kind: "store"; readonly config: InstallConfig }
  /** An id of the registry, or else a program on the PATH. */
  | { readonly kind: "word"; readonly word: string };

export interface ComponentSpec {
  /** Used in messages, the log and the trace. */
  readonly name: string;
  readonly command: AgentCommand | Unresolved;
}

/** Built-in agent extension of Symposium, with its settings. */
export interface OwnProxy {
  readonly name: string;
  readonly command: { readonly kind: "own"; readonly id: string; readonly settings: JsonObject };
}

/** MCP server for the sessions of the chain. `id`: its name in the sessions. */
export interface ServerProxy {
  readonly name: string;
  readonly command: {
    readonly kind: "mcp";
    readonly id: string;
    readonly server:
      | Extract<AgentCommand, { kind: "process" }>
      | Extract<Unresolved, { kind: "store" }>
      | HttpDistribution;
  };
}
export type ProxySpec = ComponentSpec | OwnProxy | ServerProxy;

/**
 * `message` is a sentence without a subject; the caller puts the option before it. It never quotes the input, which can
 * contain secrets.
 */
export class UnreadableComponent extends Error {
  override readonly name = "UnreadableComponent";
}

export const ELIZA = "Eliza";

export function ownProxy({ id, name }: ExtensionConfig, settings: JsonObject = {}): OwnProxy {
  return { name, command: { kind: "own", id, settings } };
}

/** Names of the built-in proxies, for messages. */
export const OWN_PROXIES = BUILT_IN_EXTENSIONS.map(({ id }) => id)
  .join(", ")
  .replace(/, ([^,]*)$/, " and $1");

/** A package of a package tool, or a literal command. */
export function fromLine(line: CommandLine, names: GivenNames = {}): ComponentSpec {
  const distribution = distributionOf(line);
  if (!distribution) return { name: names.name ?? baseName(line.command), command: { kind: "process", ...line } };
  const config = storedConfig(distribution, names);
  return { name: config.name, command: { kind: "store", config } };
}

/** Packages and archives come from the store. */
export function commandOf(
  distribution: Distribution,
  names: GivenNames,
): AgentCommand | Extract<Unresolved, { kind: "store" }> {
  const { local, executable, symposium } = distribution;
  if (!local && !executable && !symposium) return { kind: "store", config: storedConfig(distribution, names) };
  return literalCommand({ name: names.name ?? "", distribution });
}

/** File name of the program, without its folder and without a Windows extension. */
export function baseName(command: string): string {
  return (
    command
      .split(/[\\/]/)
      .findLast(part => part !== "")
      ?.replace(/\.(exe|cmd|bat|com)$/i, "") ?? command
  );
}
