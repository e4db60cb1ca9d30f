/** Arguments of `conform` and `proxy check`, which use the same kit. Pure. */
import { AGENT_PLACEHOLDER } from "../conform/agent-placeholder";
import type { ProgramKind } from "../conform/rule";
import { CommandLineError, parseCommand, type CommandLine } from "../process/command-line";
import type { ConformRequest } from "./conform";
import { UsageError, type Values } from "./options";

const PROGRAMS: readonly ProgramKind[] = ["agent", "proxy", "client"];
const DEFAULT_TIMEOUT_S = 30,
  MAX_TIMEOUT_S = 3600;

/** `command`: the words after `--`. */
export function conformRequest(
  [kind, ...surplus]: readonly string[],
  [command, ...args]: readonly string[],
  values: Values,
): ConformRequest {
  const program = PROGRAMS.find(known => known === kind);
  if (!program)
    throw new UsageError(
      kind === undefined
        ? "The type of program is missing: agent, proxy or client."
        : `“${kind}” is not agent, proxy or client.`,
      "conform",
    );
  if (surplus.length > 0)
    throw new UsageError(`Unexpected argument “${surplus.join(" ")}”. The command follows --.`, "conform");
  if (command === undefined || command === "")
    throw new UsageError("The command is missing. It follows --.", "conform");
  if (program === "client" && !args.some(arg => arg.includes(AGENT_PLACEHOLDER))) {
    throw new UsageError(
      `An argument of the client must contain ${AGENT_PLACEHOLDER}, which is replaced by the agent's command line.`,
      "conform",
    );
  }
  if (program !== "agent" && (values.has("prompt") || values.has("auth")))
    throw new UsageError("Only conform agent sends prompts and signs in.", "conform");
  return requestFor(program, { command, args, env: {} }, values, "conform");
}

/** The request of `conform proxy`. The command is one word of shell syntax, or follows `--`. */
export function checkRequest(
  [line, ...surplus]: readonly string[],
  [command, ...args]: readonly string[],
  values: Values,
  platform: string,
): ConformRequest {
  const unexpected = line !== undefined && command !== undefined ? [line, ...surplus] : surplus;
  if (unexpected.length > 0)
    throw new UsageError(
      `Unexpected argument “${unexpected.join(" ")}”. Quote the command with its arguments, or write it after --.`,
      "proxy",
    );
  if (values.has("settings")) throw new UsageError("--settings is only valid with the name of a proxy.", "proxy");
  if (command !== undefined && command !== "") return requestFor("proxy", { command, args, env: {} }, values, "proxy");
  if (line === undefined || line.trim() === "")
    throw new UsageError("The command is missing: proxy check COMMAND.", "proxy");
  return requestFor("proxy", parsed(line, platform), values, "proxy");
}

function parsed(line: string, platform: string): CommandLine {
  try {
    return parseCommand(line, platform);
  } catch (error) {
    if (error instanceof CommandLineError)
      throw new UsageError(`The command cannot be read: ${error.message}`, "proxy");
    throw error;
  }
}

/** `subcommand`: its help explains a wrong value. */
function requestFor(
  program: ProgramKind,
  { command, args, env }: CommandLine,
  values: Values,
  subcommand: "conform" | "proxy",
): ConformRequest {
  const seconds = Number(values.first("timeout") ?? DEFAULT_TIMEOUT_S);
  if (!(seconds > 0 && seconds <= MAX_TIMEOUT_S))
    throw new UsageError(`--timeout takes a number of seconds up to ${MAX_TIMEOUT_S}.`, subcommand);
  return {
    program,
    command,
    args,
    env,
    prompts: values.all("prompt"),
    auth: values.first("auth"),
    timeoutMs: seconds * 1000,
    recordFolder: values.first("record"),
    json: values.has("json"),
  };
}
