/**
 * How a command is started on Windows, where `npm`, `npx` and most agents are `.cmd` files that only `cmd.exe` runs,
 * and where a program gets one string that it takes apart itself. Pure but for `exists`.
 *
 * Invariant: no argument, whatever is in it, ends its quotes in `cmd.exe` or expands a variable there; what cannot be
 * quoted is refused. A line that is meant for `cmd.exe` itself reaches it as it was written.
 */
import path from "node:path";
import { findProgram, variable, withEndings } from "./find-program";

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** `args` are quoted already and pass as they are. */
  readonly verbatim: boolean;
}

/** An argument that `cmd.exe` cannot be given at all. */
export class UnquotableArgument extends Error {
  override readonly name = "UnquotableArgument";
}

/**
 * What the system says of it, too: but where only a name is given, Windows looks into the current folder first, and a
 * repository must not provide programs.
 */
export class ProgramNotFound extends Error {
  override readonly name = "ProgramNotFound";
  readonly code = "ENOENT";
}

/**
 * Throws `UnquotableArgument` and `ProgramNotFound`. A path that is not there is returned as it is: starting it says
 * so.
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
  if (found === undefined && !isPath) throw new ProgramNotFound(`“${command}” is nowhere on the PATH.`);
  if (/(?:^|[\\/])cmd\.exe$/i.test(file) && isLine(args))
    return { file, args: [...FOR_A_LINE, `"${args[3]}"`], verbatim: true };
  if (!/\.(cmd|bat)$/i.test(file)) return { file, args, verbatim: false };
  const line = [`"${scriptPath(file)}"`, ...args.map(quoteForScript)].join(" ");
  // /s strips the outermost quotes and nothing else; /v:off: `!` is no variable; /e:on: what `%` becomes below works
  return {
    file:
      variable(env, "ComSpec") ?? path.win32.join(variable(env, "SystemRoot") ?? "C:\\Windows", "System32", "cmd.exe"),
    args: ["/e:on", "/v:off", "/d", "/s", "/c", `"${line}"`],
    verbatim: true,
  };
}

/**
 * With these `cmd.exe` strips the outermost quotes; it knows none with a backslash before them, which Node would make
 * of those inside.
 */
const FOR_A_LINE = ["/d", "/s", "/c"] as const;
function isLine(args: readonly string[]): boolean {
  return args.length === 4 && FOR_A_LINE.every((option, i) => args[i] === option);
}

function scriptPath(file: string): string {
  if (/["%\r\n\0]/.test(file))
    throw new UnquotableArgument(`A script whose path has quotes or percent signs cannot be run: ${file}`);
  return path.win32.normalize(file);
}

/**
 * The argument in quotes. A quote inside is doubled, so that quotes stay balanced however often `cmd.exe` reads the
 * line (once for itself, once where the script says `%*`), and programs take two for one; backslashes before a quote
 * are doubled, by the rule of those programs. `%` cannot be escaped: behind an expansion to nothing it begins no
 * variable's name.
 */
function quoteForScript(argument: string): string {
  if (/[\r\n\0]/.test(argument))
    throw new UnquotableArgument("An argument with several lines cannot be given to a .cmd or .bat file.");
  const escaped = argument
    .replaceAll(/(\\*)(")/g, '$1$1""')
    .replace(/\\+$/, "$&$&")
    .replaceAll("%", "%%cd:~,%");
  return `"${escaped}"`;
}
