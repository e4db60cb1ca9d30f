/**
 * Builds the command line of a Windows process. `npm`, `npx` and most agents are `.cmd` files, which only `cmd.exe`
 * runs. A Windows program receives a single string and parses its arguments itself. Pure except for `exists`.
 *
 * Invariants:
 * - No argument can terminate its quotes in `cmd.exe` or expand a variable there.
 * - An argument that cannot be quoted is rejected.
 * - A line intended for `cmd.exe` itself is passed unchanged.
 */
import path from "node:path";
import { findProgram, variable, withEndings } from "./find-program";

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** `args` are already quoted and are passed unchanged. */
  readonly verbatim: boolean;
}

/** An argument that cannot be passed to `cmd.exe`. */
export class UnquotableArgument extends Error {
  override readonly name = "UnquotableArgument";
}

/**
 * Has the code of the system's error. The program is not started, because Windows searches the current folder first,
 * and a repository must not provide programs.
 */
export class ProgramNotFound extends Error {
  override readonly name = "ProgramNotFound";
  readonly code = "ENOENT";
}

/**
 * Throws `UnquotableArgument` and `ProgramNotFound`. A missing path is returned unchanged: starting it reports the
 * error.
 */
export function windowsLaunch(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  exists: (file: string) => boolean,
): Launch {
  const isPath = /[\\/]/.test(command);
  const found = isPath
      ? withEndings(command, env).find(exists)
      : findProgram(command, { platform: "win32", env, isProgram: exists }),
    file = found ?? command;
  if (found === undefined && !isPath) throw new ProgramNotFound(`“${command}” is not on the PATH.`);
  if (/(?:^|[\\/])cmd\.exe$/i.test(file) && isLine(args))
    return { file, args: [...CMD_OPTIONS, `"${args[3]}"`], verbatim: true };
  if (!/\.(cmd|bat)$/i.test(file)) return { file, args, verbatim: false };
  const line = [`"${scriptPath(file)}"`, ...args.map(quoteForScript)].join(" ");
  // /s strips only the outermost quotes. /v:off disables `!` variables. /e:on enables the `%` expansion used below.
  return {
    file:
      variable(env, "ComSpec") ?? path.win32.join(variable(env, "SystemRoot") ?? "C:\\Windows", "System32", "cmd.exe"),
    args: ["/e:on", "/v:off", "/d", "/s", "/c", `"${line}"`],
    verbatim: true,
  };
}

/**
 * These options make `cmd.exe` strip the outermost quotes. Node would escape inner quotes with a backslash, which
 * `cmd.exe` does not support.
 */
const CMD_OPTIONS = ["/d", "/s", "/c"] as const;
function isLine(args: readonly string[]): boolean {
  return args.length === 4 && CMD_OPTIONS.every((option, i) => args[i] === option);
}

function scriptPath(file: string): string {
  if (/["%\r\n\0]/.test(file))
    throw new UnquotableArgument(`A script whose path has quotes or percent signs cannot be run: ${file}`);
  return path.win32.normalize(file);
}

/**
 * Quotes an argument. Inner quotes are doubled, so that quotes stay balanced when `cmd.exe` parses the line twice
 * (itself, and for `%*` in the script). Programs parse a doubled quote as one. Backslashes before a quote are doubled,
 * by the rule of those programs. `%` cannot be escaped; after an expansion to nothing it does not start a variable
 * name.
 */
function quoteForScript(argument: string): string {
  if (/[\r\n\0]/.test(argument))
    throw new UnquotableArgument("An argument with several lines cannot be passed to a .cmd or .bat file.");
  const escaped = argument
    .replaceAll(/(\\*)(")/g, '$1$1""')
    .replace(/\\+$/, "$&$&")
    .replaceAll("%", "%%cd:~,%");
  return `"${escaped}"`;
}
