/**
 * How an agent or an extension is obtained and started: the keys of the documents, and those of the ACP registry.
 * Settings, registry documents and the command line have them as JSON; readers keep what they know and say what they do
 * not.
 */
import { isObject, type Fields } from "./json";

export type Environment = Readonly<Record<string, string>>;

/**
 * `package`: with its version, in the words of its own tool: `@scope/name@1.2.3`, `name==1.2.3`. `cmd`: the one of
 * several commands in it.
 */
export interface PackageDistribution {
  readonly package: string;
  readonly cmd?: string;
  readonly args?: readonly string[];
  readonly env?: Environment;
}

/**
 * Of one platform. `archive`: https; zip, tar.gz, tgz, tar.bz2, tbz2 or the program itself. `cmd`: relative to what was
 * unpacked. `sha256`: hex, of the archive.
 */
export interface BinaryDistribution {
  readonly archive: string;
  readonly cmd: string;
  readonly args?: readonly string[];
  readonly env?: Environment;
  readonly sha256?: string;
}

/**
 * An MCP server that runs somewhere, over streamable HTTP: http or https. `headers`: of each request, by name; people
 * put their keys there.
 */
export interface HttpDistribution {
  readonly url: string;
  readonly headers?: Environment;
}

/** Of the ACP registry's schema. */
export const PLATFORMS = [
  "darwin-aarch64",
  "darwin-x86_64",
  "linux-aarch64",
  "linux-x86_64",
  "windows-aarch64",
  "windows-x86_64",
] as const;
export type Platform = (typeof PLATFORMS)[number];

/** At least one; the first of these that can be used here is used. */
export interface Distribution {
  readonly local?: { readonly command: string; readonly args?: readonly string[]; readonly env?: Environment };
  /** The same as `local` without arguments. */
  readonly executable?: { readonly path: string };
  /** A subcommand of the sidecar itself: `eliza`. */
  readonly symposium?: { readonly subcommand: string; readonly args?: readonly string[] };
  /** Of extensions that are MCP servers alone: nothing is started there. */
  readonly http?: HttpDistribution;
  readonly npx?: PackageDistribution;
  readonly uvx?: PackageDistribution;
  readonly pipx?: PackageDistribution;
  /** Without `version` the newest stable one; `binary`: where the crate has several. */
  readonly cargo?: {
    readonly crate: string;
    readonly version?: string;
    readonly binary?: string;
    readonly args?: readonly string[];
    readonly env?: Environment;
  };
  readonly binary?: Readonly<Partial<Record<Platform, BinaryDistribution>>>;
}
export type DistributionKind = keyof Distribution;

/**
 * Reads what a person or a registry wrote. Kinds of later versions may stand beside ours, and one that is wrong beside
 * others; at least one must be of ours. `isServer`: of an MCP server, which alone may be at an address.
 */
export function readDistribution(value: unknown, isServer = false): Distribution | undefined {
  if (!isObject(value)) return undefined;
  const { local, executable, symposium, http, cargo } = value;
  const read: Distribution = {
    ...(isObject(local) && isText(local["command"]) && isLaunch(local)
      ? { local: { command: local["command"], ...launchOf(local) } }
      : {}),
    ...(isObject(executable) && isText(executable["path"]) ? { executable: { path: executable["path"] } } : {}),
    ...(isObject(symposium) && isText(symposium["subcommand"]) && isArgs(symposium["args"])
      ? {
          symposium: {
            subcommand: symposium["subcommand"],
            ...(symposium["args"] === undefined ? {} : { args: symposium["args"] }),
          },
        }
      : {}),
    ...(isServer && isObject(http) && isText(http["url"]) && isEnvironment(http["headers"])
      ? { http: { url: http["url"], ...(http["headers"] === undefined ? {} : { headers: http["headers"] }) } }
      : {}),
    ...packageIn("npx", value),
    ...packageIn("uvx", value),
    ...packageIn("pipx", value),
    ...(isObject(cargo) && isText(cargo["crate"]) && isLaunch(cargo)
      ? {
          cargo: {
            crate: cargo["crate"],
            ...(isText(cargo["version"]) ? { version: cargo["version"] } : {}),
            ...(isText(cargo["binary"]) ? { binary: cargo["binary"] } : {}),
            ...launchOf(cargo),
          },
        }
      : {}),
    ...binariesIn(value["binary"]),
  };
  return Object.keys(read).length > 0 ? read : undefined;
}

/**
 * What a person types to start it without an installation of ours (documents, "Spawning an Agent"); `undefined`: it has
 * to be installed first, is one of our own, or is at an address.
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

/** On Windows the name without `.cmd` is found, too: by PATHEXT. */
function packageCommand(
  command: string,
  { args = [], env = {} }: PackageDistribution,
  before: readonly string[],
): Required<NonNullable<Distribution["local"]>> {
  return { command, args: [...before, ...args], env };
}

function packageIn(
  kind: "npx" | "uvx" | "pipx",
  distribution: Fields,
): Partial<Record<typeof kind, PackageDistribution>> {
  const value = distribution[kind];
  return isObject(value) && isText(value["package"]) && isLaunch(value)
    ? {
        [kind]: {
          package: value["package"],
          ...(isText(value["cmd"]) ? { cmd: value["cmd"] } : {}),
          ...launchOf(value),
        },
      }
    : {};
}

/** Platforms that nobody here knows are left out. */
function binariesIn(value: unknown): Pick<Distribution, "binary"> {
  if (!isObject(value)) return {};
  const known = PLATFORMS.flatMap((platform): [Platform, BinaryDistribution][] => {
    const one = value[platform];
    if (!isObject(one) || !isText(one["archive"]) || !isText(one["cmd"]) || !isLaunch(one)) return [];
    const sha256 = one["sha256"];
    if (sha256 !== undefined && !isHash(sha256)) return []; // what was to be checked is not taken unchecked
    return [
      [
        platform,
        { archive: one["archive"], cmd: one["cmd"], ...(sha256 === undefined ? {} : { sha256 }), ...launchOf(one) },
      ],
    ];
  });
  return known.length > 0 ? { binary: Object.fromEntries(known) } : {};
}

interface Launch {
  readonly args?: readonly string[];
  readonly env?: Environment;
}
function isLaunch(fields: Fields): fields is Fields & Launch {
  return isArgs(fields["args"]) && isEnvironment(fields["env"]);
}
function launchOf({ args, env }: Launch): Launch {
  return { ...(args === undefined ? {} : { args }), ...(env === undefined ? {} : { env }) };
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isHash = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/i.test(value);
const isArgs = (value: unknown): value is readonly string[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every(item => typeof item === "string"));
const isEnvironment = (value: unknown): value is Environment | undefined =>
  value === undefined || (isObject(value) && Object.values(value).every(item => typeof item === "string"));
