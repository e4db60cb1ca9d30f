/**
 * Component of a chain as given on the command line: a shell command (`KEY=value … command argument…`) or JSON. One
 * plain word is the id of a built-in or registry component, or a program on the PATH. Pure.
 */
import { builtInAgent } from "../../src/protocol/agents/built-in-agents";
import { BUILT_IN_EXTENSIONS, DEFAULT_EXTENSIONS } from "../../src/protocol/agents/extensions";
import { CommandLineError, parseCommand, type CommandLine } from "../process/command-line";
import {
  commandOf,
  ELIZA,
  fromLine,
  ownProxy,
  UnreadableComponent,
  type ComponentSpec,
  type ProxySpec,
} from "./component-spec";

/** Parses the value of `--agent`. Rejects with `UnreadableComponent`. */
export async function readAgent(text: string, platform: string = process.platform): Promise<ComponentSpec> {
  const { name, command } = agentNamed(text.trim()) ?? (await readOne(text, platform));
  if (command.kind === "own")
    throw new UnreadableComponent(`names “${name}”, which is an agent extension, not an agent: use --proxy.`);
  if (command.kind === "mcp")
    throw new UnreadableComponent(`names “${name}”, which is an MCP server, not an agent: use --proxy.`);
  return { name, command };
}

/**
 * Parses the value of `--proxy`: a component as for `--agent`, a built-in extension, an MCP server, or `defaults` (the
 * extensions that are enabled by default). Rejects with `UnreadableComponent`.
 */
export async function readProxies(text: string, platform: string = process.platform): Promise<readonly ProxySpec[]> {
  const word = text.trim();
  if (word === "defaults") return DEFAULT_EXTENSIONS.map(config => ownProxy(config));
  const agent = word === "eliza" ? undefined : builtInAgent(word);
  if (agent)
    throw new UnreadableComponent(`names “${agent.name}”, which is an agent, not an agent extension: use --agent.`);
  return [await readOne(text, platform)];
}

/** A built-in agent by its id or short name. */
function agentNamed(word: string): ComponentSpec | undefined {
  const agent = builtInAgent(word);
  return agent && { name: agent.name, command: commandOf(agent.distribution, agent) };
}

async function readOne(text: string, platform: string): Promise<ProxySpec> {
  return text.trimStart().startsWith("{")
    ? (await import("./component-json")).fromJson(text)
    : fromShell(text, platform);
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

function parsed(text: string, platform: string): CommandLine {
  try {
    return parseCommand(text, platform);
  } catch (error) {
    if (error instanceof CommandLineError)
      throw new UnreadableComponent(`cannot be read as a command: ${error.message}`);
    throw error;
  }
}
