/** What the installations by a tool of the user's (npm, uv, pipx, cargo) have in common. */
import { AgentError } from "../../errors";
import { isObject, type JsonObject } from "../../rpc/json";
import { statusOf, type Exit, type ProcessSpec } from "../../process/child";
import { ToolSilent, type ToolOptions, type ToolResult } from "../../process/tool-run";
import { absent, type Files } from "./files";
import { InstallError, noProgram, toolFailed } from "./install-error";

/** `runTool` with its process world. */
export type RunTool = (spec: ProcessSpec, options: ToolOptions) => Promise<ToolResult>;

export interface ToolDeps {
  readonly files: Files;
  readonly run: RunTool;
  readonly signal: AbortSignal;
  /** What the tool says, for a person to see that something happens. */
  readonly line: (line: string) => void;
  readonly platform: string;
}

/** A tool: its name for sentences, and the program. */
export interface ToolProgram {
  readonly name: string;
  readonly command: string;
}

/** Whatever its exit code. Rejects with `InstallError`, or with the signal's reason. */
export async function tryTool(
  { name, command }: ToolProgram,
  args: readonly string[],
  how: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  { run, signal, line }: ToolDeps,
): Promise<ToolResult> {
  try {
    return await run({ name, command, args, cwd: how.cwd, env: how.env ?? {} }, { signal, line });
  } catch (error) {
    if (error instanceof ToolSilent)
      throw new InstallError("slow", error.message, { advice: "It was ended. Try again later.", cause: error });
    if (error instanceof AgentError)
      throw new InstallError("noTool", `${name} cannot be started.`, {
        advice: `Does “${command}” work in a terminal?`,
        cause: error,
      });
    throw error;
  }
}

/** As `tryTool`; rejects also when it fails. */
export async function useTool(
  tool: ToolProgram,
  args: readonly string[],
  how: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  deps: ToolDeps,
): Promise<ToolResult> {
  const result = await tryTool(tool, args, how, deps);
  if (result.exit.code !== 0) throw failure(tool, result);
  return result;
}

export function failure(
  { name }: ToolProgram,
  { exit, stdout, stderr }: { readonly exit: Exit; readonly stdout: string; readonly stderr: string },
): InstallError {
  return toolFailed(name, statusOf(exit), lastWords(stderr) || lastWords(stdout));
}

/** Its last lines that say something, without npm's pointers to a log that is deleted with the folder. */
function lastWords(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    .map(line => line.trim())
    .filter(line => line !== "" && !/complete log of this run|_logs[\\/]/i.test(line));
  return lines.slice(-6).join(" ").slice(-600);
}

/** The named program, else the only one, else the one called like the package. */
export function chosenProgram(
  names: readonly string[],
  { cmd, like }: { readonly cmd: string | undefined; readonly like: string },
): string {
  if (names.length === 0) throw noProgram(`${like} has no program that could be started.`);
  const chosen =
    cmd !== undefined
      ? names.find(name => name === cmd)
      : names.length === 1
        ? names[0]
        : names.find(name => plain(name) === plain(like));
  if (chosen === undefined)
    throw noProgram(
      `${like} has the programs ${names.slice(0, 20).join(", ")}${cmd === undefined ? ", and does not say which one is meant" : `, and no “${cmd}”`}.`,
    );
  return chosen;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}

/** Undefined: it is not there, or no JSON object. */
export async function readJson(file: string, files: Files): Promise<JsonObject | undefined> {
  const text = await files.readFile(file, "utf8").catch(absent(""));
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
