/**
 * Reads the launch metadata of an extension crate: `binary`, `args` and `env` of `[package.metadata.symposium]` in its
 * Cargo.toml, or of the table `extension` below it, which wins. The user's cargo provides the source: from its cache
 * after a build, otherwise by a download.
 *
 * Invariants: a failure here never fails the installation. A value of a wrong type counts as absent.
 */
import path from "node:path";
import { arrayOr, isObject, isStrings, objectOr, type JsonObject } from "../../../rpc/json";
import { absent, writeWhole } from "../store/files";
import { InstallError } from "../store/install-error";
import { tryTool, type ToolProgram, type ToolDeps } from "./package-tool";

export interface CrateLaunch {
  /** Program to start if the crate has several. */
  readonly binary?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Maximum bytes of cargo's output. Longer output is discarded. */
const MAX_BYTES = 4 * 1024 * 1024;

/** `home`: `CARGO_HOME`. `folder`: a scratch folder. Rejects only with the signal's reason. */
export async function crateLaunch(
  crate: string,
  release: string,
  { cargo, home, folder }: { readonly cargo: ToolProgram; readonly home: string; readonly folder: string },
  deps: ToolDeps,
): Promise<CrateLaunch> {
  try {
    const manifest =
      (await manifestOf(home, crate, release, deps)) ??
      ((await downloadSource(crate, release, cargo, folder, deps))
        ? await manifestOf(home, crate, release, deps)
        : undefined);
    return manifest === undefined ? {} : launchIn(await metadata(manifest, cargo, folder, deps), crate);
  } catch (error) {
    if (deps.signal.aborted || !(error instanceof InstallError || isSystemError(error))) throw error;
    return {};
  }
}

/** Finds the unpacked source in cargo's cache: `registry/src/REGISTRY/NAME-VERSION` (cargo book, "Cargo Home"). */
async function manifestOf(
  home: string,
  crate: string,
  release: string,
  { files }: ToolDeps,
): Promise<string | undefined> {
  const sources = path.join(home, "registry", "src");
  for (const registry of await files.readdir(sources).catch(absent<string[]>([]))) {
    const file = path.join(sources, registry, `${crate}-${release}`, "Cargo.toml");
    if ((await files.readFile(file, "utf8").catch(absent(undefined))) !== undefined) return file;
  }
  return undefined;
}

/**
 * Downloads the source of the crate alone. Before cargo 1.82, or with a replacement of crates.io, downloads its
 * dependencies as well.
 */
async function downloadSource(
  crate: string,
  release: string,
  cargo: ToolProgram,
  folder: string,
  deps: ToolDeps,
): Promise<boolean> {
  const quiet: ToolDeps = { ...deps, line: () => undefined },
    scratch = path.join(folder, "asking");
  if ((await tryTool(cargo, ["info", "--quiet", `${crate}@${release}`], { cwd: folder }, quiet)).exit.code === 0)
    return true;
  await deps.files.mkdir(scratch, { recursive: true });
  try {
    await writeWhole(path.join(scratch, "lib.rs"), "", deps.files);
    await writeWhole(
      path.join(scratch, "Cargo.toml"),
      `[package]\nname = "asking"\nversion = "0.0.0"\nedition = "2018"\n[lib]\npath = "lib.rs"\n[dependencies]\n${crate} = "=${release}"\n[workspace]\n`,
      deps.files,
    );
    return (await tryTool(cargo, ["fetch", "--quiet"], { cwd: scratch }, deps)).exit.code === 0;
  } finally {
    await deps.files.rm(scratch, { recursive: true, force: true });
  }
}

async function metadata(manifest: string, cargo: ToolProgram, folder: string, deps: ToolDeps): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  const stdout = (chunk: Buffer): void => {
    length += chunk.length;
    if (length <= MAX_BYTES) chunks.push(chunk);
  };
  const collecting: ToolDeps = {
    ...deps,
    line: () => undefined,
    run: (spec, options) => deps.run(spec, { ...options, stdout }),
  };
  await tryTool(
    cargo,
    ["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path", manifest],
    { cwd: folder },
    collecting,
  );
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

/** Parses the output of `cargo metadata`, format 1. Exported for tests. */
export function launchIn(answer: unknown, crate: string): CrateLaunch {
  const first = arrayOr(objectOr(answer).packages)
      .map(objectOr)
      .find(({ name }) => name === crate),
    symposium = objectOr(objectOr(first?.metadata).symposium),
    { binary, args, env } = { ...symposium, ...objectOr(symposium.extension) };
  return {
    ...(typeof binary === "string" ? { binary } : {}),
    ...(isStrings(args) ? { args } : {}),
    ...(isObject(env) && isEnvironment(env) ? { env } : {}),
  };
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}
function isEnvironment(value: JsonObject): value is Readonly<Record<string, string>> {
  return Object.values(value).every(item => typeof item === "string");
}
