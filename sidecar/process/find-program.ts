/**
 * Finds a program as the system does: on PATH, and on Windows with the extensions of PATHEXT. The current folder is
 * never searched, because a repository must not provide programs.
 */
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

export interface FindDeps {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether `file` is an executable file. */
  readonly isProgram: (file: string) => boolean;
}

/** Returns the absolute path or `undefined`. A command that is itself a path is not searched on PATH. */
export function findProgram(command: string, { platform, env, isProgram }: FindDeps): string | undefined {
  const paths = platform === "win32" ? path.win32 : path.posix,
    names = platform === "win32" ? withEndings(command, env) : [command];
  if (/\//.test(command) || (platform === "win32" && command.includes("\\")))
    return names.find(name => paths.isAbsolute(name) && isProgram(name));
  const folders = ((platform === "win32" ? variable(env, "PATH") : env["PATH"]) ?? "")
    .split(paths.delimiter)
    .map(folder => (platform === "win32" ? folder.replaceAll('"', "") : folder));
  return folders
    .filter(folder => paths.isAbsolute(folder))
    .flatMap(folder => names.map(name => paths.join(folder, name)))
    .find(isProgram);
}

/** On Windows, a command may omit its extension. Returns the possible file names by PATHEXT. */
export function withEndings(command: string, env: FindDeps["env"]): readonly string[] {
  const all = (variable(env, "PATHEXT") || ".COM;.EXE;.BAT;.CMD").split(";").filter(ending => ending !== "");
  return all.some(ending => command.toLowerCase().endsWith(ending.toLowerCase()))
    ? [command]
    : all.map(ending => command + ending);
}

/** Environment variable names are case-insensitive on Windows. */
export function variable(env: FindDeps["env"], name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toUpperCase() === name.toUpperCase())?.[1];
}

export function isProgramFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A program on the PATH of this process. */
export function findOnPath(program: string): string | undefined {
  return findProgram(program, { platform: process.platform, env: process.env, isProgram: isProgramFile });
}

const CACHE_MS = 1_000;

/**
 * Caches results for one second. Evaluating a whole registry looks up the same few tools, and each lookup searches
 * every folder of PATH.
 */
export function remembering(
  find: (program: string) => string | undefined,
  now: () => number,
): (program: string) => string | undefined {
  const found = new Map<string, { readonly path: string | undefined; readonly at: number }>();
  return program => {
    const cached = found.get(program),
      at = now();
    if (cached && at - cached.at < CACHE_MS) return cached.path;
    const result = find(program);
    found.set(program, { path: result, at });
    return result;
  };
}
