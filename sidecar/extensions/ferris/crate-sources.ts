/**
 * Finds the source of a crate on this computer with the user's own cargo, including its mirrors, credentials and cache.
 *
 *   crate name ▶ `cargo metadata --no-deps`, Cargo.lock ▶ choose-crate.ts ┬▶ a local folder
 *                                                                         └▶ a temporary package ▶ `cargo metadata`
 *
 * Invariants:
 * - The workspace's files are never written.
 * - Cached sources are available offline.
 * - The source of a published crate is in cargo's home or in the workspace, after links are resolved.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { resolveInWorkspace } from "../../permissions/workspace-boundary";
import { ToolFailure, type ToolCall } from "../tool";
import { Cargo, type CargoAnswer, type CargoDeps } from "./cargo";
import { firstError, RANGES, sentenceOf, failureIn } from "./cargo-errors";
import { chooseCrate, type Choice } from "./choose-crate";
import { isCrateName, sameName, wantedIn, type VersionRequest } from "./crate-version";
import { packagesIn } from "./lock-file";
import { wantedManifest } from "./fetch-manifest";
import { dependencyOfRoot, membersIn, type FoundPackage, type Workspace } from "./workspace";

export interface CrateSource {
  readonly name: string;
  readonly version: string;
  /** Absolute path. */
  readonly folder: string;
  /** A published source is immutable. The user can change a folder. */
  readonly origin: "published" | "folder";
  /** The selected version and its path, for the model. */
  readonly message: string;
}

/** The crate that an agent requests. */
export interface CrateQuestion {
  readonly name: string;
  readonly version?: string | undefined;
}

type FetchedChoice = Extract<Choice, { readonly kind: "registry" | "git" }>;

export class CrateSources {
  #host: string | undefined;

  constructor(private readonly deps: CargoDeps) {}

  /** `folder`: the session's Rust folder. Rejects with a `ToolFailure`, or with the signal's reason. */
  async find({ name, version }: CrateQuestion, folder: string, call: ToolCall): Promise<CrateSource> {
    const wanted = validated(name, version);
    using cargo = await Cargo.in(folder, this.deps, call);
    const { workspace, lock, note } = await workspaceAt(folder, cargo),
      choice = chooseCrate(name, wanted, workspace, folder);
    switch (choice.kind) {
      case "none":
        throw new ToolFailure(choice.why);
      case "member":
        return sourceOf(choice, "folder", choice.why, note);
      case "folder":
        return sourceOf(await packageAt(choice, cargo), "folder", choice.why, note);
      case "registry":
      case "git": {
        const { found, offline } = await this.#fetch(choice, lock, cargo);
        await this.#check(found, choice, workspace?.root ?? folder);
        return sourceOf(found, "published", choice.why, note, offline);
      }
    }
  }

  /**
   * Fetches the crate with cargo. If the name does not exist, retries with the spelling that cargo suggests. `offline`:
   * a note for the model, or empty.
   */
  async #fetch(
    choice: FetchedChoice,
    lock: string | undefined,
    cargo: Cargo,
  ): Promise<{ readonly found: FoundPackage; readonly offline: string }> {
    this.#host ??= await cargo.host();
    const folder = await mkdtemp(path.join(tmpdir(), "symposium-crate-"));
    try {
      return await new Fetching(folder, lock, this.#host, cargo).fetch(choice);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #check({ name, version, folder }: FoundPackage, { kind }: FetchedChoice, root: string): Promise<void> {
    const { CARGO_HOME: given } = await this.deps.environment(),
      home = given === undefined || given === "" ? path.join(this.deps.home, ".cargo") : path.resolve(root, given);
    const place = path.isAbsolute(folder)
      ? await resolveInWorkspace(folder, [
          kind === "git" ? path.join(home, "git", "checkouts") : path.join(home, "registry", "src"),
          root,
        ]).catch(() => undefined)
      : undefined;
    if (!place?.isInside)
      throw new ToolFailure(
        `cargo reports the source of ${name} ${version} in ${folder}. That folder is neither in cargo's home nor in this workspace, so Ferris does not offer it.`,
      );
  }
}

/** Runs cargo in a temporary package. */
class Fetching {
  constructor(
    private readonly folder: string,
    private readonly lock: string | undefined,
    private readonly host: string | undefined,
    private readonly cargo: Cargo,
  ) {}

  async fetch(choice: FetchedChoice): Promise<{ readonly found: FoundPackage; readonly offline: string }> {
    const isFixed = choice.kind === "git" || choice.isExact,
      local = isFixed ? await this.#query(choice, true) : undefined;
    if (local?.ok) return { found: found(local), offline: "" };
    const answer = await this.#query(choice, false);
    if (answer.ok) return { found: found(answer), offline: "" };
    const failure = failureIn(answer.stderr, choice.name);
    if (failure.kind === "noCrate") {
      const instead = failure.instead.find(each => each !== choice.name && sameName(each, choice.name));
      if (instead !== undefined && choice.kind === "registry") return this.fetch({ ...choice, name: instead });
    }
    if (failure.kind !== "other") throw new ToolFailure(sentenceOf(choice, failure));
    const cached = isFixed ? undefined : await this.#query(choice, true);
    if (!cached?.ok) throw new ToolFailure(sentenceOf(choice, failure));
    return {
      found: found(cached),
      offline: `cargo could not look for newer versions (${failure.why}). This is the newest version on this computer.`,
    };
  }

  async #query(choice: FetchedChoice, isOffline: boolean): Promise<CargoAnswer> {
    const manifest = path.join(this.folder, "Cargo.toml"),
      lock = path.join(this.folder, "Cargo.lock");
    await writeFile(manifest, wantedManifest(choice));
    await writeFile(path.join(this.folder, "lib.rs"), "");
    // The workspace's lock file keeps its versions, even yanked ones, and the cached versions of the crate's
    // dependencies.
    if (choice.kind === "registry" && choice.isLocked && this.lock !== undefined) await writeFile(lock, this.lock);
    else await rm(lock, { force: true });
    return this.cargo.metadata([
      "--manifest-path",
      manifest,
      ...(this.host === undefined ? [] : ["--filter-platform", this.host]),
      ...(isOffline ? ["--offline"] : []),
    ]);
  }
}

function found({ metadata }: Extract<CargoAnswer, { readonly ok: true }>): FoundPackage {
  const dependency = dependencyOfRoot(metadata);
  if (!dependency)
    throw new ToolFailure(
      "cargo does not report the folder of this crate. Its version may be too old: update it with `rustup update`.",
    );
  return dependency;
}

/** Crates of Rust itself. In the registry, these names are absent or unrelated. */
const STANDARD = new Set(["std", "core", "alloc", "proc_macro", "proc-macro", "test"]);

function validated(name: string, version: string | undefined): VersionRequest {
  if (STANDARD.has(name))
    throw new ToolFailure(
      `${name} is part of Rust itself, and not a crate of the registry. After \`rustup component add rust-src\` its source is in the folder lib/rustlib/src/rust/library below the output of \`rustc --print sysroot\`.`,
    );
  if (!isCrateName(name))
    throw new ToolFailure(
      `“${name.slice(0, 100)}” is not the name of a crate: use letters, digits, - and _, starting with a letter.`,
    );
  const wanted = wantedIn(version);
  if (!wanted)
    throw new ToolFailure(
      `“${version?.slice(0, 100)}” is neither a version nor a range of versions. A version looks like 1.2.3. ${RANGES}`,
    );
  return wanted;
}

interface WorkspaceLookup {
  readonly workspace: Workspace | undefined;
  readonly lock: string | undefined;
  readonly note: string;
}

async function workspaceAt(folder: string, cargo: Cargo): Promise<WorkspaceLookup> {
  const answer = await cargo.metadata(["--no-deps"]);
  if (!answer.ok)
    return {
      workspace: undefined,
      lock: undefined,
      note: /could not find `Cargo\.toml`/.test(answer.stderr)
        ? ""
        : `cargo cannot read the workspace at ${folder}, so its versions are unknown: ${firstError(answer.stderr)}.`,
    };
  const { root, members } = membersIn(answer.metadata),
    lock = await readFile(path.join(root, "Cargo.lock"), "utf8").catch(() => undefined);
  return { workspace: { root, members, locked: lock === undefined ? undefined : packagesIn(lock) }, lock, note: "" };
}

/** The package in a folder, as its manifest defines it. */
async function packageAt(
  { name, folder }: { readonly name: string; readonly folder: string },
  cargo: Cargo,
): Promise<FoundPackage> {
  const answer = await cargo.metadata(["--no-deps", "--manifest-path", path.join(folder, "Cargo.toml")]);
  const member = answer.ok ? membersIn(answer.metadata).members.find(each => each.name === name) : undefined;
  if (!member)
    throw new ToolFailure(`${name} is a path dependency on ${folder}, but cargo finds no package of that name there.`);
  return member;
}

function sourceOf(
  { name, version, folder }: FoundPackage,
  origin: CrateSource["origin"],
  why: string,
  ...notes: readonly string[]
): CrateSource {
  return {
    name,
    version,
    folder,
    origin,
    message: [`${name} ${version} is ${why}. Its source is in ${folder}.`, ...notes]
      .filter(part => part !== "")
      .join(" "),
  };
}
