/**
 * Installs a crate with the user's cargo: a binary from `cargo binstall` if available, otherwise a build from source.
 */
import path from "node:path";
import type { Distribution } from "../../../../src/protocol/agents/distribution";
import { isObject } from "../../../rpc/json";
import { crateLaunch } from "./crate-metadata";
import { absent } from "../store/files";
import { noProgram } from "../store/install-error";
import type { Built } from "../store/manifest";
import { chosenProgram, readJson, tryTool, useTool, type ToolProgram, type ToolDeps } from "./package-tool";

/**
 * `folder` receives the programs. `target` is the build folder, which a later attempt reuses. `home`: cargo's home,
 * whose sources contain the crate's launch metadata. The configuration takes precedence over that metadata.
 */
export async function installCargo(
  { folder, target }: { readonly folder: string; readonly target: string },
  { crate, version, binary }: NonNullable<Distribution["cargo"]>,
  cargo: ToolProgram,
  home: string | undefined,
  deps: ToolDeps,
): Promise<Omit<Built, "source">> {
  const how = { cwd: folder, env: { CARGO_TARGET_DIR: target } };
  if (!(await binstall(version === undefined ? crate : `${crate}@${version}`, cargo, how, deps))) {
    await useTool(
      cargo,
      ["install", "--root", folder, "--locked", crate, ...(version === undefined ? [] : ["--version", version])],
      how,
      deps,
    );
  }
  const built = installedIn(await readJson(path.join(folder, ".crates2.json"), deps.files), crate);
  const bins = built?.bins ?? (await deps.files.readdir(path.join(folder, "bin")).catch(absent<string[]>([])));
  const release = built?.release ?? version;
  if (release === undefined) throw noProgram(`cargo did not install ${crate}.`);
  const names = new Map(bins.map(file => [file.replace(/\.exe$/i, ""), file]));
  const {
    binary: own,
    args,
    env,
  } = home === undefined ? {} : await crateLaunch(crate, release, { cargo, home, folder }, deps);
  const cmd = binary?.replace(/\.exe$/i, "") ?? (own !== undefined && names.has(own) ? own : undefined);
  const name = chosenProgram([...names.keys()], { cmd, like: crate });
  return {
    release,
    program: `bin/${names.get(name) ?? name}`,
    runtimeArgs: [],
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
  };
}

/** Returns false if `cargo binstall` is missing or has no binary for this crate. */
async function binstall(
  crate: string,
  cargo: ToolProgram,
  how: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  deps: ToolDeps,
): Promise<boolean> {
  const quiet = { ...deps, line: () => undefined };
  if ((await tryTool(cargo, ["binstall", "-V"], how, quiet)).exit.code !== 0) return false;
  return (
    (
      await tryTool(
        { ...cargo, name: "cargo binstall" },
        ["binstall", "--no-confirm", "--root", how.cwd, crate],
        how,
        deps,
      )
    ).exit.code === 0
  );
}

/** Parses cargo's record: `{installs: {"NAME VERSION (SOURCE)": {bins}}}`. */
function installedIn(
  record: Readonly<Record<string, unknown>> | undefined,
  crate: string,
): { readonly release: string; readonly bins: readonly string[] } | undefined {
  for (const [key, value] of Object.entries(isObject(record?.installs) ? record.installs : {})) {
    const [name, release] = key.split(" ");
    if (name !== crate || release === undefined || !isObject(value) || !Array.isArray(value.bins)) continue;
    return {
      release,
      bins: value.bins.filter((bin): bin is string => typeof bin === "string" && /^[\w][\w.+-]*$/.test(bin)),
    };
  }
  return undefined;
}
