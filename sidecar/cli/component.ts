/**
 * A component of a chain as it stands on a command line: a shell command (`KEY=value … command argument…`), or JSON: a
 * distribution, or the whole entry that the settings have. Pure.
 */
import { readDistribution, type Distribution } from "../../src/protocol/agents";
import { CommandLineError, parseCommand } from "../agents/command-line";
import { BUILT_IN_EXTENSIONS, DEFAULT_EXTENSIONS, PROXY_SUBCOMMAND, type ExtensionConfig } from "../../src/protocol/extensions";
import { commandOf, type AgentCommand } from "../agents/distribution";
import { isObject, objectOr, stringOr, type JsonObject } from "../rpc/json";

export interface ComponentSpec {
  /** In sentences, the log, the trace. */
  readonly name: string;
  readonly command: AgentCommand;
}

/** An agent extension of Symposium's own, with what is configured of it. */
export interface OwnProxy { readonly name: string; readonly command: { readonly kind: "own"; readonly id: string; readonly settings: JsonObject } }
export type ProxySpec = ComponentSpec | OwnProxy;

/** `message` is a sentence without its subject: the option is put before it. It never repeats what was given, which may hold secrets. */
export class UnreadableComponent extends Error { override readonly name = "UnreadableComponent"; }

/** What `--agent` takes. Throws `UnreadableComponent`. */
export function readAgent(text: string, platform: string = process.platform): ComponentSpec {
  const { name, command } = readOne(text, platform);
  if (command.kind === "own") throw new UnreadableComponent(`names “${name}”, which is an agent extension, and no agent: --proxy takes it.`);
  return { name, command };
}

/** What `--proxy` takes: the same, our own extensions, and `defaults` for those that are on by default. Throws `UnreadableComponent`. */
export function readProxies(text: string, platform: string = process.platform): readonly ProxySpec[] {
  return text.trim() === "defaults" ? DEFAULT_EXTENSIONS.map(config => ownProxy(config)) : [readOne(text, platform)];
}

function readOne(text: string, platform: string): ProxySpec {
  return text.trimStart().startsWith("{") ? fromJson(text) : fromShell(text, platform);
}

const ELIZA = "Eliza";

function ownProxy({ id, name }: ExtensionConfig, settings: JsonObject = {}): OwnProxy { return { name, command: { kind: "own", id, settings } }; }

/** `eliza`, as the subcommand is called, and our own extensions need no process; another program of that name is reached by its path. */
function fromShell(text: string, platform: string): ProxySpec {
  const { command, args, env } = parsed(text, platform);
  const options = args.join(" ");
  if (command === "eliza" && Object.keys(env).length === 0 && (options === "" || options === "--deterministic"))
    return { name: ELIZA, command: { kind: "eliza", deterministic: options !== "" } };
  const own = BUILT_IN_EXTENSIONS.find(({ id }) => id === command);
  if (own && args.length === 0 && Object.keys(env).length === 0) return ownProxy(own);
  return { name: baseName(command), command: { kind: "process", command, args, env } };
}

function parsed(text: string, platform: string): ReturnType<typeof parseCommand> {
  try { return parseCommand(text, platform); }
  catch (error) {
    if (error instanceof CommandLineError) throw new UnreadableComponent(`cannot be read as a command: ${error.message}`);
    throw error;
  }
}

function fromJson(text: string): ProxySpec {
  const value = json(text), id = stringOr(value.id, "").trim();
  // In the settings those that are built in have no distribution.
  const entry = value._source === "built-in" || Object.keys(value).every(key => key === "id" || key === "settings") ? BUILT_IN_EXTENSIONS.find(one => one.id === id) : undefined;
  if (entry) return ownProxy(entry, objectOr(value.settings));
  const distribution = readDistribution(value.distribution ?? value);
  if (!distribution) throw new UnreadableComponent("is JSON that says no command: it needs “local” with a “command”, “executable” with a “path”, or “npx”, “uvx” or “pipx” with a “package”.");
  const { subcommand, args = [] } = distribution.symposium ?? {};
  if (subcommand === PROXY_SUBCOMMAND) {
    const own = BUILT_IN_EXTENSIONS.find(one => one.id === args[0]);
    if (!own || args.length > 1) throw new UnreadableComponent(`names none of Symposium's own proxies; they are ${OWN_PROXIES}.`);
    return ownProxy(own, objectOr(value.settings));
  }
  if (subcommand !== undefined && subcommand !== "eliza") throw new UnreadableComponent(`names “${subcommand}”, which is none of Symposium's own components; eliza is, and proxy with ${OWN_PROXIES}.`);
  const unknown = args.find(arg => arg !== "--deterministic");
  if (unknown !== undefined) throw new UnreadableComponent("gives eliza an argument that she does not know.");
  const own = [value.name, value.id].map(name => stringOr(name, "").trim()).find(name => name !== "");
  const command = started(distribution);
  return { name: own ?? (command.kind === "eliza" ? ELIZA : baseName(command.command)), command };
}

/** For sentences. */
export const OWN_PROXIES = BUILT_IN_EXTENSIONS.map(({ id }) => id).join(", ").replace(/, ([^,]*)$/, " and $1");

function started(distribution: Distribution): AgentCommand {
  try { return commandOf({ name: "", distribution }); }
  catch (error) { throw new UnreadableComponent("names something that has to be installed first: “local” with its “command” can be started.", { cause: error }); }
}

function json(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch { /* The parser's message quotes what was given. */ }
  throw new UnreadableComponent("begins like JSON and is none.");
}

/** The program without its folder, and without what Windows calls it by. */
function baseName(command: string): string {
  return command.split(/[\\/]/).findLast(part => part !== "")?.replace(/\.(exe|cmd|bat|com)$/i, "") ?? command;
}
