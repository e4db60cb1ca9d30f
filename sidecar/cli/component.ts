/**
 * A component of a chain as it stands on a command line: a shell command (`KEY=value … command argument…`), or JSON: a
 * distribution, or the whole entry that the settings have. Pure.
 */
import { readDistribution } from "../../src/protocol/agents";
import { CommandLineError, parseCommand } from "../agents/command-line";
import { commandOf, type AgentCommand } from "../agents/distribution";
import { isObject, stringOr } from "../rpc/json";

export interface ComponentSpec {
  /** In sentences, the log, the trace. */
  readonly name: string;
  readonly command: AgentCommand;
}

/** `message` is a sentence without its subject: the option is put before it. It never repeats what was given, which may hold secrets. */
export class UnreadableComponent extends Error { override readonly name = "UnreadableComponent"; }

/** Throws `UnreadableComponent`. */
export function readComponent(text: string, platform: string = process.platform): ComponentSpec {
  return text.trimStart().startsWith("{") ? fromJson(text) : fromShell(text, platform);
}

const ELIZA = "Eliza";

/** `eliza`, as the subcommand is called, needs no process; another program of that name is reached by its path. */
function fromShell(text: string, platform: string): ComponentSpec {
  const { command, args, env } = parsed(text, platform);
  const options = args.join(" ");
  if (command === "eliza" && Object.keys(env).length === 0 && (options === "" || options === "--deterministic"))
    return { name: ELIZA, command: { kind: "eliza", deterministic: options !== "" } };
  return { name: baseName(command), command: { kind: "process", command, args, env } };
}

function parsed(text: string, platform: string): ReturnType<typeof parseCommand> {
  try { return parseCommand(text, platform); }
  catch (error) {
    if (error instanceof CommandLineError) throw new UnreadableComponent(`cannot be read as a command: ${error.message}`);
    throw error;
  }
}

function fromJson(text: string): ComponentSpec {
  const value = json(text);
  const distribution = readDistribution(value.distribution ?? value);
  if (!distribution) throw new UnreadableComponent("is JSON that says no command: it needs “local” with a “command”, or “executable” with a “path”.");
  const { subcommand, args = [] } = distribution.symposium ?? {};
  if (subcommand !== undefined && subcommand !== "eliza") throw new UnreadableComponent(`names “${subcommand}”, which is none of Symposium's own components; eliza is.`);
  const unknown = args.find(arg => arg !== "--deterministic");
  if (unknown !== undefined) throw new UnreadableComponent("gives eliza an argument that she does not know.");
  const own = [value.name, value.id].map(name => stringOr(name, "").trim()).find(name => name !== "");
  const command = commandOf({ id: "", name: "", distribution });
  return { name: own ?? (command.kind === "eliza" ? ELIZA : baseName(command.command)), command };
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
