/** Locates the Rust projects of a session and the user's cargo. */
import type { Dirent } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { contains } from "../permissions/workspace-boundary";
import type { ExtensionDeps } from "./extension";
import { ToolFailure } from "./tool";

/** Maximum number of direct subfolders inspected per folder. */
const MAX_SUBFOLDERS = 500;
/** Folders with third-party projects or build output. */
const NOT_PROJECTS = /^(\.|node_modules$|target$|vendor$)/;

/**
 * Folders from which cargo finds a `Cargo.toml`, best first. Empty: no Rust project.
 *
 * A session folder is included if it or an ancestor has a manifest. The search stops at the repository root and never
 * includes the home folder or its ancestors. Otherwise the direct subfolders that have a manifest are included. Never
 * rejects.
 */
export async function rustFolders(folders: readonly string[], home: string): Promise<readonly string[]> {
  const found = await Promise.all(
    folders
      .filter(folder => path.isAbsolute(folder))
      .map(async folder => ((await hasManifestAbove(folder, home)) ? [folder] : projectsBelow(folder))),
  );
  return [...new Set(found.flat())];
}

async function hasManifestAbove(folder: string, home: string): Promise<boolean> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (at !== path.resolve(folder) && contains(at, home)) return false;
    if (await hasManifest(at)) return true;
    if (at === path.dirname(at) || (await isRepository(at))) return false;
  }
}

async function projectsBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  const below = entries
    .filter(entry => entry.isDirectory() && !NOT_PROJECTS.test(entry.name))
    .map(({ name }) => path.join(folder, name))
    .sort()
    .slice(0, MAX_SUBFOLDERS);
  const has = await Promise.all(below.map(hasManifest));
  return below.filter((_, i) => has[i]);
}

function hasManifest(folder: string): Promise<boolean> {
  return stat(path.join(folder, "Cargo.toml")).then(
    found => found.isFile(),
    () => false,
  );
}

/** In a worktree, `.git` is a file. */
function isRepository(folder: string): Promise<boolean> {
  return lstat(path.join(folder, ".git")).then(
    () => true,
    () => false,
  );
}

/**
 * Path of the user's cargo: from the PATH, else from the folder of rustup. Rejects with a `ToolFailure` if cargo is not
 * installed.
 */
export async function findCargo({
  find,
  environment,
  home,
}: Pick<ExtensionDeps, "find" | "environment" | "home">): Promise<string> {
  const rustupCargo = path.join((await environment())["CARGO_HOME"] || path.join(home, ".cargo"), "bin", "cargo");
  const cargo = (await find("cargo")) ?? (await find(rustupCargo));
  if (cargo === undefined)
    throw new ToolFailure(
      "cargo is not installed here, or is not on the PATH. Ask the user to install Rust with rustup (https://rustup.rs) and to restart the editor; then `cargo --version` works in a terminal.",
    );
  return cargo;
}
