/**
 * Component of a chain as given on the command line: a shell command (`KEY=value … command argument…`) or JSON. JSON is
 * a distribution, a whole entry of the settings, or the output of `registry resolve`. One plain word is the id of a
 * built-in or registry component, or a program on the PATH. Packages and archives are resolved when the chain starts
 * (`runtime/component-resolver.ts`). Pure.
 */
import { readDistribution, type Distribution } from "../../src/protocol/agents/agents";
import { typedCommand, type HttpDistribution } from "../../src/protocol/agents/distribution";
import { CommandLineError, parseCommand, type CommandLine } from "../process/command-line";
import { builtInAgent } from "../../src/protocol/agents/built-in-agents";
import {
  BUILT_IN_EXTENSIONS,
  DEFAULT_EXTENSIONS,
  PROXY_SUBCOMMAND,
  type ExtensionConfig,
} from "../../src/protocol/agents/extensions";
import { commandOf as literalCommand, type AgentCommand } from "../agents/distributions/agent-command";
import { addressIn, wrongAddress } from "../agents/distributions/server-address";
import { distributionOf, storedConfig, type GivenNames } from "../agents/distributions/typed-distribution";
import type { InstallConfig } from "../agents/install/install-options";
import { isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";

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

/** Parses the value of `--agent`. Throws `UnreadableComponent`. */
export function readAgent(text: string, platform: string = process.platform): ComponentSpec {
  const { name, command } = agentNamed(text.trim()) ?? readOne(text, platform);
  if (command.kind === "own")
    throw new UnreadableComponent(`names “${name}”, which is an agent extension, not an agent: use --proxy.`);
  if (command.kind === "mcp")
    throw new UnreadableComponent(`names “${name}”, which is an MCP server, not an agent: use --proxy.`);
  return { name, command };
}

/**
 * Parses the value of `--proxy`: a component as for `--agent`, a built-in extension, an MCP server, or `defaults` (the
 * extensions that are enabled by default). Throws `UnreadableComponent`.
 */
export function readProxies(text: string, platform: string = process.platform): readonly ProxySpec[] {
  const word = text.trim();
  if (word === "defaults") return DEFAULT_EXTENSIONS.map(config => ownProxy(config));
  const agent = word === "eliza" ? undefined : builtInAgent(word);
  if (agent)
    throw new UnreadableComponent(`names “${agent.name}”, which is an agent, not an agent extension: use --agent.`);
  return [readOne(text, platform)];
}

/** A built-in agent by its id or short name. */
function agentNamed(word: string): ComponentSpec | undefined {
  const agent = builtInAgent(word);
  return agent && { name: agent.name, command: commandOf(agent.distribution, agent) };
}

function readOne(text: string, platform: string): ProxySpec {
  return text.trimStart().startsWith("{") ? fromJson(text) : fromShell(text, platform);
}

const ELIZA = "Eliza";

function ownProxy({ id, name }: ExtensionConfig, settings: JsonObject = {}): OwnProxy {
  return { name, command: { kind: "own", id, settings } };
}

/**
 * `eliza` (the name of the subcommand) and built-in extensions need no process. Another program of that name requires
 * its path.
 */
function fromShell(text: string, platform: string): ProxySpec {
  const line = parsed(text, platform),
    { command, args, env } = line;
  const options = args.join(" ");
  if (command === "eliza" && Object.keys(env).length === 0 && (options === "" || options === "--deterministic"))
    return { name: ELIZA, command: { kind: "eliza", deterministic: options !== "" } };
  const own = BUILT_IN_EXTENSIONS.find(({ id }) => id === command);
  const isWord = args.length === 0 && Object.keys(env).length === 0;
  if (own && isWord) return ownProxy(own);
  if (isWord && REGISTRY_ID.test(command)) return { name: command, command: { kind: "word", word: command } };
  return fromLine(line);
}

const REGISTRY_ID = /^[a-z][a-z0-9-]*$/;

/** A package of a package tool, or a literal command. */
function fromLine(line: CommandLine, names: GivenNames = {}): ComponentSpec {
  const distribution = distributionOf(line);
  if (!distribution) return { name: names.name ?? baseName(line.command), command: { kind: "process", ...line } };
  const config = storedConfig(distribution, names);
  return { name: config.name, command: { kind: "store", config } };
}

function parsed(text: string, platform: string): CommandLine {
  try {
    return parseCommand(text, platform);
  } catch (error) {
    if (error instanceof CommandLineError)
      throw new UnreadableComponent(`cannot be read as a command: ${error.message}`);
    throw error;
  }
}

function fromJson(text: string): ProxySpec {
  const value = json(text),
    id = stringOr(value.id, "").trim();
  // Built-in extensions have no distribution in the settings.
  const entry =
    value._source === "built-in" || Object.keys(value).every(key => key === "id" || key === "settings")
      ? BUILT_IN_EXTENSIONS.find(config => config.id === id)
      : undefined;
  if (entry) return ownProxy(entry, objectOr(value.settings));
  const kind = value.kind ?? "proxy",
    documented = value.distribution === undefined ? documentedForm(value) : undefined,
    given = value.distribution ?? documented ?? value,
    distribution = readDistribution(given, kind === "mcp");
  if (kind !== "proxy" && kind !== "mcp")
    throw new UnreadableComponent("has a “kind” that is neither “proxy” nor “mcp”.");
  if (!distribution && readDistribution(given, true))
    throw new UnreadableComponent("names a URL, which is only valid for an MCP server: add “kind”: “mcp”.");
  if (!distribution)
    throw new UnreadableComponent(
      "is JSON without a valid command: add “command” with “args” and “env”, or “local” with a “command”, “executable” with a “path”, or “npx”, “uvx” or “pipx” with a “package”; for an MCP server also “http” with a “url”.",
    );
  const names = namesIn(value),
    own = names.name,
    line = documented && typedCommand(distribution);
  if (kind === "mcp") return serverProxy(distribution, id, names);
  if (line) return fromLine(line, names);
  const { subcommand, args = [] } = distribution.symposium ?? {};
  if (subcommand === PROXY_SUBCOMMAND) {
    const ours = BUILT_IN_EXTENSIONS.find(config => config.id === args[0]);
    if (!ours || args.length > 1)
      throw new UnreadableComponent(`names no proxy of Symposium. Proxies: ${OWN_PROXIES}.`);
    return ownProxy(ours, objectOr(value.settings));
  }
  if (subcommand !== undefined && subcommand !== "eliza")
    throw new UnreadableComponent(
      `names “${subcommand}”, which is not a component of Symposium. Components: eliza, and proxy with ${OWN_PROXIES}.`,
    );
  const unknown = args.find(arg => arg !== "--deterministic");
  if (unknown !== undefined) throw new UnreadableComponent("passes an unknown argument to eliza.");
  const command = commandOf(distribution, names);
  return { name: own ?? nameOf(command), command };
}

function namesIn({ id, name, version }: JsonObject): GivenNames {
  const text = (value: unknown): string | undefined => stringOr(value, "").trim() || undefined;
  return { id: text(id), name: text(name) ?? text(id), version: text(version) };
}

function nameOf(command: AgentCommand | Extract<Unresolved, { kind: "store" }>): string {
  switch (command.kind) {
    case "eliza":
      return ELIZA;
    case "process":
      return baseName(command.command);
    case "store":
      return command.config.name;
  }
}

/** The form that `registry resolve` prints, and the stdio server form of MCP: the command is beside the name. */
function documentedForm({ command, args = [], env = [] }: JsonObject): object | undefined {
  if (command === undefined) return undefined;
  const variables = Array.isArray(env) ? variablesIn(env) : env;
  return { local: { command, args, env: variables } };
}

/** Undefined if an element is not a variable with a value. */
function variablesIn(list: readonly unknown[]): Readonly<Record<string, string>> | undefined {
  const pairs = list.map(item => {
    const { name, value } = objectOr(item);
    return typeof name === "string" && name !== "" && typeof value === "string" ? ([name, value] as const) : undefined;
  });
  return pairs.every(pair => pair !== undefined) ? Object.fromEntries(pairs) : undefined;
}

/** Does not check whether a server at an address is reachable. */
function serverProxy(distribution: Distribution, id: string, names: GivenNames): ServerProxy {
  const address = addressIn(distribution),
    wrong = address && wrongAddress(address);
  if (wrong !== undefined) throw new UnreadableComponent(`names an MCP server that cannot be used: ${wrong}.`);
  const ours = new UnreadableComponent("names a component of Symposium, which is not an MCP server.");
  if (distribution.symposium && !distribution.local && !distribution.executable) throw ours;
  const server = address ?? commandOf(distribution, names);
  if ("kind" in server && server.kind === "eliza") throw ours;
  const name = names.name ?? ("url" in server ? new URL(server.url).hostname : nameOf(server));
  return { name, command: { kind: "mcp", id: id === "" ? name : id, server } };
}

/** Names of the built-in proxies, for messages. */
export const OWN_PROXIES = BUILT_IN_EXTENSIONS.map(({ id }) => id)
  .join(", ")
  .replace(/, ([^,]*)$/, " and $1");

/** Packages and archives come from the store. */
function commandOf(
  distribution: Distribution,
  names: GivenNames,
): AgentCommand | Extract<Unresolved, { kind: "store" }> {
  const { local, executable, symposium } = distribution;
  if (!local && !executable && !symposium) return { kind: "store", config: storedConfig(distribution, names) };
  return literalCommand({ name: names.name ?? "", distribution });
}

function json(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    /* The parser's message quotes the input. */
  }
  throw new UnreadableComponent("starts like JSON but is not valid JSON.");
}

/** File name of the program, without its folder and without a Windows extension. */
function baseName(command: string): string {
  return (
    command
      .split(/[\\/]/)
      .findLast(part => part !== "")
      ?.replace(/\.(exe|cmd|bat|com)$/i, "") ?? command
  );
}
