/** Where the Rust projects of a session are, and its cargo. */
import type { Dirent } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { contains } from "../permissions/boundary";
import type { ExtensionDeps } from "./extension";
import { ToolFailure } from "./tool";

/** Direct sub-folders that are looked into, of each folder. */
const MOST_BELOW = 500;
/** They hold other people's projects, and what is built. */
const NOT_PROJECTS = /^(\.|node_modules$|target$|vendor$)/;

/**
 * Folders from which cargo finds a `Cargo.toml`, the best first; none: there is no Rust here. Each of the session's
 * folders counts itself when it or a folder above it has one, up to the repository's root, but never the home folder or
 * one above that; else those directly below it count that have one. Never rejects.
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
    .slice(0, MOST_BELOW);
  const has = await Promise.all(below.map(hasManifest));
  return below.filter((_, i) => has[i]);
}

function hasManifest(folder: string): Promise<boolean> {
  return stat(path.join(folder, "Cargo.toml")).then(
    found => found.isFile(),
    () => false,
  );
}

/** A worktree's `.git` is a file. */
function isRepository(folder: string): Promise<boolean> {
  return lstat(path.join(folder, ".git")).then(
    () => true,
    () => false,
  );
}

/** The user's cargo: on the PATH, or where rustup puts it. Rejects with a `ToolFailure` when there is none. */
export async function cargoIn({
  find,
  environment,
  home,
}: Pick<ExtensionDeps, "find" | "environment" | "home">): Promise<string> {
  const usual = path.join((await environment())["CARGO_HOME"] || path.join(home, ".cargo"), "bin", "cargo");
  const cargo = (await find("cargo")) ?? (await find(usual));
  if (cargo === undefined)
    throw new ToolFailure(
      "cargo is not installed here, or is not on the PATH. Ask the user to install Rust with rustup (https://rustup.rs) and to restart the editor; `cargo --version` then answers in a terminal.",
    );
  return cargo;
}
