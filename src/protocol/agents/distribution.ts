/**
 * How an agent or an extension is installed and started, with the keys of the documentation and the ACP registry.
 * Settings, registry documents and the command line contain distributions as JSON. Readers ignore unknown kinds and
 * reject a distribution without a valid one.
 */
import * as v from "valibot";
import { isFilled, isObject } from "../wire/json";
import { compact, ifValid, parsed, type Infer, type Schema } from "../wire/schema";

/** A text that is not blank. */
const filledText = v.custom<string>(isFilled, "a text");

export type Environment = Readonly<Record<string, string>>;
const environment = v.custom<Environment>(
  value => isObject(value) && Object.values(value).every(item => typeof item === "string"),
  "an object of texts",
);
const launch = { args: v.exactOptional(v.array(v.string())), env: v.exactOptional(environment) };

/**
 * `package`: with its version in the tool's own syntax, such as `@scope/name@1.2.3` or `name==1.2.3`. `cmd`: selects
 * one of several commands in the package.
 */
const packageDistribution = compact({ package: filledText, cmd: ifValid(filledText), ...launch });
export type PackageDistribution = Infer<typeof packageDistribution>;

/**
 * Distribution for one platform. `archive`: https URL of a zip, tar.gz, tgz, tar.bz2, tbz2 or of the program itself.
 * `cmd`: relative to the unpacked archive. `sha256`: hex digest of the archive; an invalid one must not disable the
 * check.
 */
const binaryDistribution = v.object({
  archive: filledText,
  cmd: filledText,
  sha256: v.exactOptional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/i))),
  ...launch,
});
export type BinaryDistribution = Infer<typeof binaryDistribution>;

/**
 * A remote MCP server over streamable HTTP: http or https URL. `headers`: sent with each request, by name; they may
 * contain keys.
 */
const httpDistribution = v.object({ url: filledText, headers: v.exactOptional(environment) });
export type HttpDistribution = Infer<typeof httpDistribution>;

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

const hasMembers = (value: object): boolean => Object.keys(value).length > 0;
const NO_KIND = "at least one supported kind";
const platform = ifValid(binaryDistribution);

const withHttp = <S extends v.GenericSchema>(http: S) =>
  v.pipe(
    compact({
      local: ifValid(v.object({ command: filledText, ...launch })),
      /** Equivalent to `local` without arguments. */
      executable: ifValid(v.object({ path: filledText })),
      /** A subcommand of the sidecar itself, such as `eliza`. */
      symposium: ifValid(v.object({ subcommand: filledText, args: launch.args })),
      /** Only for extensions that are MCP servers; no process is started. */
      http: ifValid(http),
      npx: ifValid(packageDistribution),
      uvx: ifValid(packageDistribution),
      pipx: ifValid(packageDistribution),
      /** Without `version`: the newest stable version. `binary`: selects one of several binaries. */
      cargo: ifValid(
        compact({ crate: filledText, version: ifValid(filledText), binary: ifValid(filledText), ...launch }),
      ),
      binary: ifValid(
        v.pipe(
          compact({
            "darwin-aarch64": platform,
            "darwin-x86_64": platform,
            "linux-aarch64": platform,
            "linux-x86_64": platform,
            "windows-aarch64": platform,
            "windows-x86_64": platform,
          } satisfies Record<Platform, typeof platform>),
          v.check(value => hasMembers(value), NO_KIND),
        ),
      ),
    }),
    v.check(value => hasMembers(value), NO_KIND),
  );

/** Distribution of an MCP server; only MCP servers support `http`. */
const serverDistribution = withHttp(httpDistribution);

/** At least one kind; the first kind that works on this machine is used. */
export type Distribution = Infer<typeof serverDistribution>;
export type DistributionKind = keyof Distribution;

/** Unknown and invalid kinds and platforms are ignored; at least one valid kind is required. */
export const distribution: Schema<Distribution> = withHttp(v.never());

/** Parses a distribution from settings or a registry. */
export function readDistribution(value: unknown, isServer = false): Distribution | undefined {
  return parsed(isServer ? serverDistribution : distribution, value);
}
