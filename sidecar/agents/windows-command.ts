/**
 * How a command is started on Windows, where `npm`, `npx` and most agents are `.cmd` files that only `cmd.exe` runs, and where
 * a program gets one string that it takes apart itself. Pure but for `exists`.
 *
 * Invariant: no argument, whatever is in it, ends its quotes in `cmd.exe` or expands a variable there; what cannot be quoted is refused.
 */
import path from "node:path";

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** `args` are quoted already and pass as they are. */
  readonly verbatim: boolean;
}

/** An argument that `cmd.exe` cannot be given at all. */
export class UnquotableArgument extends Error { override readonly name = "UnquotableArgument"; }

/** Throws `UnquotableArgument`. A command that is not found is returned as it is: starting it says so. */
export function windowsLaunch(command: string, args: readonly string[], env: Readonly<Record<string, string>>, exists: (file: string) => boolean): Launch {
  const file = find(command, env, exists) ?? command;
  if (!/\.(cmd|bat)$/i.test(file)) return { file, args, verbatim: false };
  const line = [`"${scriptPath(file)}"`, ...args.map(quoteForScript)].join(" ");
  // /s strips the outermost quotes and nothing else; /v:off: `!` is no variable; /e:on: what `%` becomes below works
  return { file: valueOf(env, "ComSpec") ?? "cmd.exe", args: ["/e:on", "/v:off", "/d", "/s", "/c", `"${line}"`], verbatim: true };
}

/** By `PATH` and `PATHEXT`, as `cmd.exe` does, but never in the current folder: a repository must not provide programs. */
function find(command: string, env: Readonly<Record<string, string>>, exists: (file: string) => boolean): string | undefined {
  const extensions = (valueOf(env, "PATHEXT") || ".COM;.EXE;.BAT;.CMD").split(";").filter(Boolean);
  const names = extensions.some(extension => command.toLowerCase().endsWith(extension.toLowerCase()))
    ? [command] : extensions.map(extension => command + extension);
  const folders = /[\\/]/.test(command) ? [""] : (valueOf(env, "PATH") ?? "").split(";").map(folder => folder.replaceAll("\"", "")).filter(folder => path.win32.isAbsolute(folder));
  for (const folder of folders) {
    for (const name of names) {
      const file = folder === "" ? name : path.win32.join(folder, name);
      if (exists(file)) return file;
    }
  }
  return undefined;
}

function scriptPath(file: string): string {
  if (/["%\r\n\0]/.test(file)) throw new UnquotableArgument(`A script whose path has quotes or percent signs cannot be run: ${file}`);
  return path.win32.normalize(file);
}

/**
 * The argument in quotes. A quote inside is doubled, so that quotes stay balanced however often `cmd.exe` reads the line (once
 * for itself, once where the script says `%*`), and programs take two for one; backslashes before a quote are doubled, by
 * the rule of those programs. `%` cannot be escaped: behind an expansion to nothing it begins no variable's name.
 */
function quoteForScript(argument: string): string {
  if (/[\r\n\0]/.test(argument)) throw new UnquotableArgument("An argument with several lines cannot be given to a .cmd or .bat file.");
  const escaped = argument.replaceAll(/(\\*)(")/g, "$1$1\"\"").replace(/\\+$/, "$&$&").replaceAll("%", "%%cd:~,%");
  return `"${escaped}"`;
}

function valueOf(env: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toUpperCase() === name.toUpperCase())?.[1];
}
