/**
 * `installed.json`: what makes a folder an installed version. Written last; without it, or with one that cannot be
 * read, the folder is half an install, which is none. Pure.
 */
import { isObject } from "../../rpc/json";
import { isExact } from "../distributions/package-spec";
import { relativeParts } from "../distributions/segment";

export const MANIFEST = "installed.json";

/** What was asked for; two sources that are equal need one installation. */
export interface Source {
  readonly kind: "npm" | "python" | "cargo" | "binary";
  /** Package, with its extras; crate; or an archive's address. */
  readonly name: string;
  /** The one of several programs. */
  readonly cmd?: string;
  /** A version, a tag or a range as it was written; of an archive its SHA-256. */
  readonly asked?: string;
}

export interface Manifest {
  readonly version: 1;
  readonly source: Source;
  /** The version that it is. */
  readonly release: string;
  /** Relative to the folder, with slashes. */
  readonly program: string;
  /** `node`: a script that is run by the user's Node; otherwise it runs by itself. */
  readonly runtime?: "node";
  /** Of the runtime, before the program. */
  readonly runtimeArgs: readonly string[];
  /** What the package itself says that its program is started with; the configuration may say something else. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of those of one id the highest was installed last. */
  readonly order: number;
  /** ISO 8601. */
  readonly installedAt: string;
  readonly bytes: number;
}

/** What an installation made; the store adds the rest. */
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
    !isTexts(runtimeArgs)
  )
    return undefined;
  if (runtime !== undefined && runtime !== "node") return undefined;
  if ((args !== undefined && !isTexts(args)) || (env !== undefined && !isEnvironment(env))) return undefined;
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

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(item => typeof item === "string");
}
function isEnvironment(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every(item => typeof item === "string");
}

/** Whether an installation is of the same thing, in whatever version. */
export function isOf(source: Source, { source: other }: Pick<Manifest, "source">): boolean {
  return (
    source.kind === other.kind && source.cmd === other.cmd && (source.name === other.name || source.kind === "binary")
  ); // an archive's address changes with its version
}

/** Whether an installation is what was asked for. */
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
