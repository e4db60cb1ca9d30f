/**
 * A component of a chain as JSON: a distribution, a whole entry of the settings, or the output of `registry resolve`.
 * Loaded on first use, because most components are given as commands. Pure.
 */
import { readDistribution, type Distribution } from "../../src/protocol/agents/distribution";
import { BUILT_IN_EXTENSIONS, PROXY_SUBCOMMAND } from "../../src/protocol/agents/extensions";
import { typedCommand } from "../../src/protocol/agents/typed-command";
import type { AgentCommand } from "../agents/distributions/agent-command";
import { addressIn, wrongAddress } from "../agents/distributions/server-address";
import type { GivenNames } from "../agents/distributions/typed-distribution";
import { isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";
import {
  baseName,
  commandOf,
  ELIZA,
  fromLine,
  OWN_PROXIES,
  ownProxy,
  UnreadableComponent,
  type ProxySpec,
  type ServerProxy,
  type Unresolved,
} from "./component-spec";

/** Throws `UnreadableComponent`. */
export function fromJson(text: string): ProxySpec {
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

function json(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    /* The parser's message quotes the input. */
  }
  throw new UnreadableComponent("starts like JSON but is not valid JSON.");
}
