/** The shell command of a distribution. Separate from `distribution.ts`, whose schemas take time to load. Pure. */
import type { Distribution, PackageDistribution } from "./distribution";

/**
 * The shell command that starts the program without installation (documents, "Spawning an Agent"). `undefined` if it
 * must be installed first, is built in, or is remote.
 */
export function typedCommand({
  local,
  executable,
  symposium,
  http,
  npx,
  uvx,
  pipx,
}: Distribution): Required<NonNullable<Distribution["local"]>> | undefined {
  if (local) return { command: local.command, args: local.args ?? [], env: local.env ?? {} };
  if (executable) return { command: executable.path, args: [], env: {} };
  if (symposium || http) return undefined;
  if (npx)
    return packageCommand(
      "npx",
      npx,
      npx.cmd === undefined ? ["-y", npx.package] : ["-y", "--package", npx.package, npx.cmd],
    );
  if (uvx) return packageCommand("uvx", uvx, uvx.cmd === undefined ? [uvx.package] : ["--from", uvx.package, uvx.cmd]);
  return (
    pipx &&
    packageCommand(
      "pipx",
      pipx,
      pipx.cmd === undefined ? ["run", pipx.package] : ["run", "--spec", pipx.package, pipx.cmd],
    )
  );
}

/** On Windows PATHEXT resolves the name without `.cmd`. */
function packageCommand(
  command: string,
  { args = [], env = {} }: PackageDistribution,
  before: readonly string[],
): Required<NonNullable<Distribution["local"]>> {
  return { command, args: [...before, ...args], env };
}
