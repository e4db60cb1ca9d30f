/**
 * Reads the facts about the user's project: its crates from each `Cargo.lock`, their metadata, and the existence of
 * files. No facts about crates are known without a `Cargo.lock`.
 */
import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import path from "node:path";
import * as l10n from "@vscode/l10n";
import { packagesIn } from "../extensions/ferris/lock-file";
import { rustFolders } from "../extensions/rust-projects";
import { contains, resolveInWorkspace } from "../permissions/workspace-boundary";
import { readBounded } from "./bounded-file";
import type { Project } from "./condition";
import type { CrateMetadata, CrateMetadataReader } from "./crate-metadata";
import { firstOf } from "./first-of";
import { crateKey, usedCrates, type UsedCrate } from "./used-crates";

export interface ProjectFacts {
  readonly crates: ReadonlyMap<string, UsedCrate>;
  readonly metadata: readonly CrateMetadata[];
  /** Whether the metadata of all crates is known. */
  readonly isMetadataKnown: boolean;
  /** Whether each Rust project has a readable `Cargo.lock`. Otherwise, a missing crate is not a fact. */
  readonly areCratesKnown: boolean;
  /** The workspace contains a Rust project. */
  readonly isRust: boolean;
  /** Unreadable files, as sentences. */
  readonly problems: readonly string[];
}

const MAX_LOCK_BYTES = 4 * 1024 * 1024,
  /** Packages in one `Cargo.lock`. */
  MAX_PACKAGES = 20_000,
  /** Each `Cargo.lock` can cause a run of cargo. */
  MAX_LOCKS = 20;

/** `refresh`: reads the metadata of crates again. Never rejects. */
export async function readProject(
  folders: readonly string[],
  home: string,
  metadata: Pick<CrateMetadataReader, "read">,
  refresh: boolean,
): Promise<ProjectFacts> {
  const rust = await rustFolders(folders, home),
    nearest = await Promise.all(rust.map(folder => lockAbove(folder, home))),
    { first: locks, problems: omitted } = firstOf(
      [...new Set(nearest.flatMap(lock => lock ?? []))],
      MAX_LOCKS,
      total => l10n.t`Only the first ${MAX_LOCKS} of ${total} Cargo.lock files are read.`,
    );
  const crates = new Map<string, UsedCrate>(),
    known: CrateMetadata[] = [],
    problems = [...omitted];
  let isMetadataKnown = omitted.length === 0,
    areCratesKnown = omitted.length === 0 && !nearest.includes(undefined);
  for (const lock of locks) {
    const content = await readBounded(lock, MAX_LOCK_BYTES);
    if (content.kind === "unreadable") problems.push(l10n.t`${lock} is ignored. ${content.why}`);
    const packages = content.kind === "text" ? packagesIn(content.text) : [];
    if (packages.length > MAX_PACKAGES)
      problems.push(l10n.t`${lock} is ignored. It has ${packages.length} packages, more than ${MAX_PACKAGES}.`);
    if (content.kind !== "text" || packages.length > MAX_PACKAGES) {
      areCratesKnown = false;
      continue;
    }
    const used = usedCrates(packages);
    for (const [key, crate] of used) {
      const earlier = crates.get(key);
      if (!earlier || (earlier.through !== undefined && crate.through === undefined)) crates.set(key, crate);
    }
    const found = await metadata.read(
      {
        folder: path.dirname(lock),
        digest: digestOf(content.text),
        currentDigest: async () => {
          const current = await readBounded(lock, MAX_LOCK_BYTES);
          return current.kind === "text" ? digestOf(current.text) : undefined;
        },
        uses: name => used.has(crateKey(name)),
      },
      refresh,
    );
    if (found) for (const each of found) known.push(each);
    else isMetadataKnown = false;
  }
  return { crates, metadata: known, isMetadataKnown, areCratesKnown, isRust: rust.length > 0, problems };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The nearest `Cargo.lock`, from the folder up to the repository's root. Never that of the home folder or above it. */
async function lockAbove(folder: string, home: string): Promise<string | undefined> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (at !== path.resolve(folder) && contains(at, home)) return undefined;
    const lock = path.join(at, "Cargo.lock");
    if (await exists(lock)) return lock;
    if (at === path.dirname(at) || (await exists(path.join(at, ".git")))) return undefined;
  }
}

/** Paths that exist in at least one of the folders. Links out of the folders do not count. */
export async function existingPaths(
  paths: ReadonlySet<string>,
  folders: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    [...paths].map(async each => {
      const existing = await Promise.all(folders.map(folder => isInFolder(folder, each)));
      return existing.includes(true) ? [each] : [];
    }),
  );
  return new Set(found.flat());
}

async function isInFolder(folder: string, relative: string): Promise<boolean> {
  try {
    const { real, isInside } = await resolveInWorkspace(path.join(folder, ...relative.split("/")), [folder]);
    return isInside && (await exists(real));
  } catch {
    return false;
  }
}

function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

export function projectOf(
  { crates, areCratesKnown }: Pick<ProjectFacts, "crates" | "areCratesKnown">,
  files: ReadonlySet<string>,
): Project {
  return { areCratesKnown, crate: name => crates.get(crateKey(name)), hasFile: file => files.has(file) };
}
