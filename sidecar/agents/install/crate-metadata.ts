/**
 * How a crate wants to be run as an extension: `[package.metadata.symposium]` of its Cargo.toml, with `binary`, `args`
 * and `env`. The user's cargo reads it, from the source that it built the crate from, or that it fetches where somebody
 * else has built it.
 *
 * Invariants: whatever goes wrong here, the crate is installed all the same; what is not of its type counts as absent.
 */
import path from "node:path";
import { arrayOr, isObject, objectOr, type JsonObject } from "../../rpc/json";
import { absent, writeWhole } from "./files";
import { InstallError } from "./install-error";
import { tryTool, type ToolProgram, type ToolDeps } from "./package-tool";

export interface CrateLaunch {
  /** The one of several programs. */
  readonly binary?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Of cargo's answer; one that is longer is none. */
const LONGEST = 4 * 1024 * 1024;

/** `home`: cargo's (`CARGO_HOME`). `folder`: a scratch one. Rejects with the signal's reason alone. */
export async function crateLaunch(
  crate: string,
  release: string,
  { cargo, home, folder }: { readonly cargo: ToolProgram; readonly home: string; readonly folder: string },
  deps: ToolDeps,
): Promise<CrateLaunch> {
  try {
    const manifest =
      (await manifestOf(home, crate, release, deps)) ??
      ((await fetched(crate, release, cargo, folder, deps)) ? await manifestOf(home, crate, release, deps) : undefined);
    return manifest === undefined ? {} : launchIn(await metadata(manifest, cargo, folder, deps), crate);
  } catch (error) {
    if (deps.signal.aborted || !(error instanceof InstallError || isOfTheSystem(error))) throw error;
    return {};
  }
}

/** Where cargo keeps what it has unpacked: `registry/src/REGISTRY/NAME-VERSION` (cargo book, "Cargo Home"). */
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
 * The crate alone; with a cargo before 1.82, and where another registry stands in the place of crates.io, only with all
 * that it needs.
 */
async function fetched(
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
    if (length <= LONGEST) chunks.push(chunk);
  };
  const heard: ToolDeps = {
    ...deps,
    line: () => undefined,
    run: (spec, options) => deps.run(spec, { ...options, stdout }),
  };
  await tryTool(
    cargo,
    ["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path", manifest],
    { cwd: folder },
    heard,
  );
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

/** Of `cargo metadata`, format 1. Exported for tests. */
export function launchIn(answer: unknown, crate: string): CrateLaunch {
  const one = arrayOr(objectOr(answer).packages)
      .map(objectOr)
      .find(({ name }) => name === crate),
    { binary, args, env } = objectOr(objectOr(one?.metadata).symposium);
  return {
    ...(typeof binary === "string" ? { binary } : {}),
    ...(isTexts(args) ? { args } : {}),
    ...(isObject(env) && isEnvironment(env) ? { env } : {}),
  };
}

function isOfTheSystem(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}
function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(item => typeof item === "string");
}
function isEnvironment(value: JsonObject): value is Readonly<Record<string, string>> {
  return Object.values(value).every(item => typeof item === "string");
}
