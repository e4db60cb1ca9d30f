/**
 * Recognises a package in a typed command, so that it starts from the store instead of a download at each start. The
 * inverse of `typedCommand`. Pure.
 */
import { createHash } from "node:crypto";
import { builtInAgentOf, currentPackage } from "../../../src/protocol/agents/built-in-agents";
import type { Distribution, Environment, PackageDistribution } from "../../../src/protocol/agents/distribution";
import { npmSpec, pythonSpec } from "../../../src/protocol/agents/package-spec";
import type { CommandLine } from "../../process/command-line";
import type { InstallConfig } from "../install/install-options";
import { isSegment } from "./folder-name";

/**
 * `npx -y PACKAGE …`, `uvx PACKAGE …`, `pipx run PACKAGE …`, and their forms with a separate program. Undefined for
 * every other command, also with other options of these tools or with variables that configure them.
 */
export function distributionOf({ command, args, env }: CommandLine): Distribution | undefined {
  if (Object.keys(env).some(name => TOOL_VARIABLE.test(name))) return undefined;
  switch (command.replace(/\.(?:cmd|exe)$/i, "")) {
    case "npx": {
      const npx = /^(?:-y|--yes)$/.test(args[0] ?? "") ? packageIn(args.slice(1), "--package", env) : undefined;
      const spec = npx && npmSpec(npx.package);
      // Without a version and with `latest`, the store keeps the installed version.
      return spec && { npx: spec.version === "latest" ? { ...npx, package: spec.name } : npx };
    }
    case "uvx": {
      const uvx = packageIn(args, "--from", env);
      return uvx && pythonSpec(uvx.package) && { uvx };
    }
    case "pipx": {
      const pipx = args[0] === "run" ? packageIn(args.slice(1), "--spec", env) : undefined;
      return pipx && pythonSpec(pipx.package) && { pipx };
    }
    default:
      return undefined;
  }
}

/** Variables that configure a package tool or the place where it is found. */
const TOOL_VARIABLE = /^(?:npm_config_|uv_|pipx?_|path$|home$|userprofile$)/i;

/** `option`: precedes the package if the program is named separately. */
function packageIn(args: readonly string[], option: string, env: Environment): PackageDistribution | undefined {
  const [first, ...others] = args[0] === "--" ? args.slice(1) : args;
  const variables = Object.keys(env).length === 0 ? {} : { env };
  const of = (name: string | undefined, rest: readonly string[], cmd?: string): PackageDistribution | undefined =>
    name === undefined || name.startsWith("-")
      ? undefined
      : {
          package: name,
          ...(cmd === undefined ? {} : { cmd }),
          ...(rest.length === 0 ? {} : { args: rest }),
          ...variables,
        };
  if (first !== option) return of(first, others);
  const [name, cmd, ...rest] = others;
  return cmd === undefined || cmd.startsWith("-") ? undefined : of(name, rest, cmd);
}

export interface GivenNames {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/**
 * The configuration of a package or an archive for the store. Without an id, an unpinned package of a built-in agent
 * shares its installation; others have an id of their package.
 */
export function storedConfig(distribution: Distribution, { id, name, version }: GivenNames = {}): InstallConfig {
  const { npx, uvx, pipx, cargo, binary } = distribution;
  const npm = npx && npmSpec(currentPackage(npx.package)),
    isPinned = npm?.version !== undefined && npm.version !== "latest",
    agent = npm && builtInAgentOf(npm.name);
  const python = pythonSpec((uvx ?? pipx)?.package ?? "")?.name;
  const [archive] = Object.values(binary ?? {});
  const [kind, own = ""] = npm
    ? ["npm", npm.name]
    : python !== undefined
      ? ["python", python.toLowerCase()]
      : cargo
        ? ["cargo", cargo.crate]
        : ["binary", archive && fileName(archive.cmd)];
  const derived = agent && !isPinned ? agent.id : `${kind}-${own.replace("/", "+")}`;
  return {
    id:
      id !== undefined && isSegment(id)
        ? id
        : isSegment(derived) && archive === undefined
          ? derived
          : hashed(kind, distribution),
    name: name ?? agent?.name ?? (npx ?? uvx ?? pipx)?.cmd ?? cargo?.binary ?? fileName(own),
    distribution,
    ...(version === undefined ? {} : { version }),
  };
}

function fileName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}

/** Archives have no name that is unique to them. */
function hashed(kind: string, distribution: Distribution): string {
  return `${kind}-${createHash("sha256").update(JSON.stringify(distribution)).digest("hex").slice(0, 24)}`;
}
