/** Shared code of installations with a tool of the user (npm, uv, pipx, cargo). */
import * as l10n from "@vscode/l10n";
import { AgentError } from "../../../errors";
import { isObject, type JsonObject } from "../../../rpc/json";
import { statusOf, type Exit, type ProcessSpec } from "../../../process/child";
import { ToolSilent, type ToolOptions, type ToolResult } from "../../../process/tool-run";
import { absent, type Files } from "../store/files";
import { InstallError, noProgram, toolFailed } from "../store/install-error";

/** `runTool` with its dependencies bound. */
export type RunTool = (spec: ProcessSpec, options: ToolOptions) => Promise<ToolResult>;

export interface ToolDeps {
  readonly files: Files;
  readonly run: RunTool;
  readonly signal: AbortSignal;
  /** Receives lines of the tool's output, to show progress. */
  readonly line: (line: string) => void;
  readonly platform: string;
}

/** `name`: for messages. `command`: path of the program. */
export interface ToolProgram {
  readonly name: string;
  readonly command: string;
}

/** Resolves for any exit code. Rejects with `InstallError`, or with the signal's reason. */
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
      throw new InstallError("slow", error.message, {
        advice: l10n.t("It was stopped. Try again later."),
        cause: error,
      });
    if (error instanceof AgentError)
      throw new InstallError("noTool", l10n.t`${name} cannot be started.`, {
        advice: l10n.t`Check that “${command}” works in a terminal.`,
        cause: error,
      });
    throw error;
  }
}

/** Like `tryTool`, but also rejects for a non-zero exit code. */
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
  return toolFailed(name, statusOf(exit), outputTail(stderr) || outputTail(stdout));
}

/** Returns the last non-empty lines, without npm's references to a log that is deleted with the folder. */
function outputTail(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    .map(line => line.trim())
    .filter(line => line !== "" && !/complete log of this run|_logs[\\/]/i.test(line));
  return lines.slice(-6).join(" ").slice(-600);
}

/**
 * Returns the program named `cmd`. Without `cmd`: the only program, or the one with the package's name. Throws
 * `InstallError`.
 */
export function chosenProgram(
  names: readonly string[],
  { cmd, like }: { readonly cmd: string | undefined; readonly like: string },
): string {
  if (names.length === 0) throw noProgram(l10n.t`${like} has no program to start.`);
  const chosen =
    cmd !== undefined
      ? names.find(name => name === cmd)
      : names.length === 1
        ? names[0]
        : names.find(name => normalised(name) === normalised(like));
  if (chosen === undefined)
    throw noProgram(
      cmd === undefined
        ? l10n.t`${like} has the programs ${names.slice(0, 20).join(", ")}, and specifies none of them.`
        : l10n.t`${like} has the programs ${names.slice(0, 20).join(", ")}, but no “${cmd}”.`,
    );
  return chosen;
}

function normalised(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}

/** Returns undefined if the file is missing or not a JSON object. */
export async function readJson(file: string, files: Files): Promise<JsonObject | undefined> {
  const text = await files.readFile(file, "utf8").catch(absent(""));
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
