/**
 * `installed.json` marks a folder as an installed version. The file is written last, so a folder without a readable
 * manifest is an incomplete installation and is ignored. Pure.
 */
import { isObject, isStrings } from "../../../rpc/json";
import { isExact } from "../../../../src/protocol/agents/package-spec";
import { relativeParts } from "../../distributions/folder-name";

export const MANIFEST = "installed.json";

/** The requested source. Equal sources share one installation. */
export interface Source {
  readonly kind: "npm" | "python" | "cargo" | "binary";
  /** Package with its extras, crate, or address of an archive. */
  readonly name: string;
  /** Program to start if the package has several. */
  readonly cmd?: string;
  /** Unresolved version, tag or range. For an archive: its SHA-256. */
  readonly asked?: string;
}

export interface Manifest {
  readonly version: 1;
  readonly source: Source;
  /** The installed version. */
  readonly release: string;
  /** Relative to the folder, with forward slashes. */
  readonly program: string;
  /** `node`: a script for the user's Node. Absent: an executable. */
  readonly runtime?: "node";
  /** Arguments of the runtime, before the program. */
  readonly runtimeArgs: readonly string[];
  /** Arguments from the package's metadata. The configuration takes precedence. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Sequence number per id. The highest was installed last. */
  readonly order: number;
  /** In ISO 8601 format. */
  readonly installedAt: string;
  readonly bytes: number;
}

/** Result of an installation. The store adds the other fields. */
export type Built = Pick<Manifest, "source" | "release" | "program" | "runtime" | "runtimeArgs" | "args" | "env">;

export function readManifest(text: string): Manifest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { version, release, program, runtime, runtimeArgs, args, env, order, installedAt, bytes } = value,
    source = sourceIn(value.source);
  if (version !== 1 || !source || typeof release !== "string" || typeof program !== "string" || !relativeParts(program))
    return undefined;
  if (
    typeof order !== "number" ||
    typeof installedAt !== "string" ||
    typeof bytes !== "number" ||
    !isStrings(runtimeArgs)
  )
    return undefined;
  if (runtime !== undefined && runtime !== "node") return undefined;
  if ((args !== undefined && !isStrings(args)) || (env !== undefined && !isEnvironment(env))) return undefined;
  return {
    version,
    source,
    release,
    program,
    ...(runtime === undefined ? {} : { runtime }),
    runtimeArgs,
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    order,
    installedAt,
    bytes,
  };
}

function sourceIn(value: unknown): Source | undefined {
  if (!isObject(value)) return undefined;
  const { kind, name, cmd, asked } = value;
  if ((kind !== "npm" && kind !== "python" && kind !== "cargo" && kind !== "binary") || typeof name !== "string")
    return undefined;
  if ((cmd !== undefined && typeof cmd !== "string") || (asked !== undefined && typeof asked !== "string"))
    return undefined;
  return { kind, name, ...(cmd === undefined ? {} : { cmd }), ...(asked === undefined ? {} : { asked }) };
}

function isEnvironment(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every(item => typeof item === "string");
}

/** Whether an installation has the same source, in any version. */
export function isOf(source: Source, { source: other }: Pick<Manifest, "source">): boolean {
  return (
    source.kind === other.kind && source.cmd === other.cmd && (source.name === other.name || source.kind === "binary")
  ); // the address of an archive changes with its version
}

/** Whether an installation satisfies the request. */
export function satisfies(source: Source, installed: Pick<Manifest, "source" | "release">): boolean {
  if (!isOf(source, installed) || source.name !== installed.source.name) return false;
  return (
    source.asked === installed.source.asked ||
    (source.kind !== "binary" &&
      source.asked !== undefined &&
      isExact(source.asked) &&
      source.asked === installed.release)
  );
}
