/**
 * How an agent or an extension is installed and started: the keys of the documents and of the ACP registry. Settings,
 * registry documents and the command line contain them as JSON. Readers ignore unknown kinds and report a distribution
 * without a valid one.
 */
import { isFilled, isObject, isStrings, type Fields } from "../wire/json";

export type Environment = Readonly<Record<string, string>>;

/**
 * `package`: with its version in the tool's own syntax, such as `@scope/name@1.2.3` or `name==1.2.3`. `cmd`: selects
 * one of several commands in the package.
 */
export interface PackageDistribution {
  readonly package: string;
  readonly cmd?: string;
  readonly args?: readonly string[];
  readonly env?: Environment;
}

/**
 * Distribution for one platform. `archive`: https URL of a zip, tar.gz, tgz, tar.bz2, tbz2 or of the program itself.
 * `cmd`: relative to the unpacked archive. `sha256`: hex digest of the archive.
 */
export interface BinaryDistribution {
  readonly archive: string;
  readonly cmd: string;
  readonly args?: readonly string[];
  readonly env?: Environment;
  readonly sha256?: string;
}

/**
 * A remote MCP server over streamable HTTP: http or https URL. `headers`: sent with each request, by name; they may
 * contain keys.
 */
export interface HttpDistribution {
  readonly url: string;
  readonly headers?: Environment;
}

/** Platforms of the ACP registry's schema. */
export const PLATFORMS = [
  "darwin-aarch64",
  "darwin-x86_64",
  "linux-aarch64",
  "linux-x86_64",
  "windows-aarch64",
  "windows-x86_64",
] as const;
export type Platform = (typeof PLATFORMS)[number];

/** At least one; the first that works on this machine is used. */
export interface Distribution {
  readonly local?: { readonly command: string; readonly args?: readonly string[]; readonly env?: Environment };
  /** Equivalent to `local` without arguments. */
  readonly executable?: { readonly path: string };
  /** A subcommand of the sidecar itself, such as `eliza`. */
  readonly symposium?: { readonly subcommand: string; readonly args?: readonly string[] };
  /** Only for extensions that are MCP servers; no process is started. */
  readonly http?: HttpDistribution;
  readonly npx?: PackageDistribution;
  readonly uvx?: PackageDistribution;
  readonly pipx?: PackageDistribution;
  /** Without `version`: the newest stable one. `binary`: selects one if the crate has several. */
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
 * Parses a distribution from settings or a registry. Unknown and invalid kinds are ignored; at least one valid kind is
 * required. `isServer`: the distribution of an MCP server, for which alone `http` is allowed.
 */
export function readDistribution(value: unknown, isServer = false): Distribution | undefined {
  if (!isObject(value)) return undefined;
  const { local, executable, symposium, http, cargo } = value;
  const read: Distribution = {
    ...(isObject(local) && isFilled(local["command"]) && isLaunch(local)
      ? { local: { command: local["command"], ...launchOf(local) } }
      : {}),
    ...(isObject(executable) && isFilled(executable["path"]) ? { executable: { path: executable["path"] } } : {}),
    ...(isObject(symposium) && isFilled(symposium["subcommand"]) && isArgs(symposium["args"])
      ? {
          symposium: {
            subcommand: symposium["subcommand"],
            ...(symposium["args"] === undefined ? {} : { args: symposium["args"] }),
          },
        }
      : {}),
    ...(isServer && isObject(http) && isFilled(http["url"]) && isEnvironment(http["headers"])
      ? { http: { url: http["url"], ...(http["headers"] === undefined ? {} : { headers: http["headers"] }) } }
      : {}),
    ...packageIn("npx", value),
    ...packageIn("uvx", value),
    ...packageIn("pipx", value),
    ...(isObject(cargo) && isFilled(cargo["crate"]) && isLaunch(cargo)
      ? {
          cargo: {
            crate: cargo["crate"],
            ...(isFilled(cargo["version"]) ? { version: cargo["version"] } : {}),
            ...(isFilled(cargo["binary"]) ? { binary: cargo["binary"] } : {}),
            ...launchOf(cargo),
          },
        }
      : {}),
    ...binariesIn(value["binary"]),
  };
  return Object.keys(read).length > 0 ? read : undefined;
}

/**
 * The shell command that starts it without installation (documents, "Spawning an Agent"). `undefined` if it must be
 * installed first, is built in, or is remote.
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

function packageIn(
  kind: "npx" | "uvx" | "pipx",
  distribution: Fields,
): Partial<Record<typeof kind, PackageDistribution>> {
  const value = distribution[kind];
  return isObject(value) && isFilled(value["package"]) && isLaunch(value)
    ? {
        [kind]: {
          package: value["package"],
          ...(isFilled(value["cmd"]) ? { cmd: value["cmd"] } : {}),
          ...launchOf(value),
        },
      }
    : {};
}

/** Ignores unknown platforms. */
function binariesIn(value: unknown): Pick<Distribution, "binary"> {
  if (!isObject(value)) return {};
  const known = PLATFORMS.flatMap((platform): [Platform, BinaryDistribution][] => {
    const first = value[platform];
    if (!isObject(first) || !isFilled(first["archive"]) || !isFilled(first["cmd"]) || !isLaunch(first)) return [];
    const sha256 = first["sha256"];
    if (sha256 !== undefined && !isHash(sha256)) return []; // an invalid checksum must not disable the check
    return [
      [
        platform,
        {
          archive: first["archive"],
          cmd: first["cmd"],
          ...(sha256 === undefined ? {} : { sha256 }),
          ...launchOf(first),
        },
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

const isHash = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/i.test(value);
const isArgs = (value: unknown): value is readonly string[] | undefined => value === undefined || isStrings(value);
const isEnvironment = (value: unknown): value is Environment | undefined =>
  value === undefined || (isObject(value) && Object.values(value).every(item => typeof item === "string"));
