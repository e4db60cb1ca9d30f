/**
 * Records the folders of sessions as trees of git objects, in Symposium's storage.
 *
 * Each folder is a root with a separate store (`store-folder.ts`), and so is each repository inside it. The user's own
 * git reads and writes the store. The user's repositories are only read.
 *
 * Two windows can use one storage. Each process has a separate index for a root. Objects and pins are shared.
 */
import { existsSync, realpathSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "../../../src/protocol/wire/errors";
import type { ProcessDeps } from "../../process/child";
import type { FileChange, FileState, LeftOut, Oid, RootPath } from "./file-state";
import { isDiskFull } from "./disk-full";
import { findGit, Git, GitError } from "./git-program";
import type { HeadPosition } from "./head-log";
import { DEFAULT_LIMITS, type Limits } from "./listed-files";
import { pruneStores, releaseConversation, releaseTurn } from "./prune";
import { comparedOids, MAX_COMPARED_BYTES, withRenames, type RenamedFile } from "./renames";
import { isWithin } from "./repository";
import { restoreFile, type Restored } from "./restore";
import { openRoot, plainRoot } from "./root";
import { RootStore, type RootStoreDeps } from "./root-store";
import { reviewFolder } from "./store-folder";

export interface SnapshotDeps {
  readonly processes: ProcessDeps;
  /** The environment of the user, with PATH. */
  readonly env: () => Promise<Readonly<Record<string, string | undefined>>>;
  /** Folder of the extension. Stores are in its folder `review`. */
  readonly storage: string;
  /** Whether the workspace is not trusted. No process is started then. */
  readonly isRestricted: boolean;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly limits?: Partial<Limits>;
  readonly pid?: number;
  readonly platform?: string;
}

/** The recorded state of a root. */
export interface RootSnapshot {
  /** Real path of the folder. Identifies the root in all other methods. */
  readonly root: string;
  readonly tree: Oid;
  /** At most 1,000 files. */
  readonly leftOut: readonly LeftOut[];
  /** Number of all files that are left out. */
  readonly leftOutCount: number;
  /** The position of the repository; see `headChanges`. */
  readonly head: HeadPosition;
}

export interface SkippedRoot {
  readonly root: string;
  /** `tooMany`: the limit of roots. `timeout`: git did not end within a minute. */
  readonly why: "tooMany" | "timeout" | "missing" | "diskFull" | "failed";
  /** For the log. */
  readonly detail?: string;
}

export type Snapshot =
  | { readonly kind: "recorded"; readonly roots: readonly RootSnapshot[]; readonly skipped: readonly SkippedRoot[] }
  | { readonly kind: "unavailable"; readonly why: UnavailableReason; readonly detail?: string };

/** `noGit`: git is not on PATH, or only inside the workspace. `oldGit`: a version before 2.25. */
export type UnavailableReason = "restricted" | "noGit" | "oldGit" | "failed";

export interface RootChanges {
  readonly files: readonly (FileChange | RenamedFile)[];
  readonly leftOut: readonly LeftOut[];
}

type Available = { readonly kind: "available"; readonly git: Git } | Extract<Snapshot, { kind: "unavailable" }>;

/** Roots that are recorded at the same time. Each starts two processes. */
const PARALLEL_ROOTS = 4;

export class SnapshotStore implements AsyncDisposable {
  readonly #limits: Limits;
  readonly #platform: string;
  readonly #stores = new Map<string, Promise<RootStore>>();
  /** Stores that were opened without git. */
  readonly #plainStores = new Map<string, RootStore>();
  /** By the path of the program. Failures are not kept, because git can be installed later. */
  readonly #gits = new Map<string, Promise<Available>>();
  /** By the folders. */
  readonly #prepared = new Map<string, Promise<Snapshot>>();

  constructor(private readonly deps: SnapshotDeps) {
    this.#limits = { ...DEFAULT_LIMITS, ...deps.limits };
    this.#platform = deps.platform ?? process.platform;
  }

  /**
   * Records the folders and the repositories inside them. `turnOf`: the conversation of an open turn, which needs the
   * snapshot until `keep` or `endTurn`. Never rejects.
   */
  async snapshot(folders: readonly string[], turnOf?: string): Promise<Snapshot> {
    const available = await this.#findGit(folders);
    if (available.kind === "unavailable") return available;
    const roots: RootSnapshot[] = [],
      skipped: SkippedRoot[] = [],
      seen = new Set<string>();
    let waiting: readonly string[] = await this.#outermost([...new Set(folders.map(realPath))], available.git);
    while (waiting.length > 0) {
      const fresh = [...new Set(waiting)].filter(root => !seen.has(root)),
        accepted = fresh.slice(0, Math.max(0, this.#limits.maxRoots - seen.size));
      for (const root of fresh.slice(accepted.length)) skipped.push({ root, why: "tooMany" });
      for (const root of accepted) seen.add(root);
      const nested: string[] = [];
      for (let at = 0; at < accepted.length; at += PARALLEL_ROOTS)
        for (const result of await Promise.all(
          accepted.slice(at, at + PARALLEL_ROOTS).map(root => this.#recordRoot(root, available.git, turnOf)),
        ))
          if (result.kind === "skipped") skipped.push(result.skipped);
          else {
            roots.push(result.snapshot);
            nested.push(...result.nested);
          }
      waiting = nested;
    }
    return { kind: "recorded", roots, skipped };
  }

  /** The open turn of a conversation needs only these trees of its snapshots any more. */
  async keep(turnOf: string, roots: readonly Pick<RootSnapshot, "root" | "tree">[]): Promise<void> {
    for (const { root, tree } of roots) await (await this.#storeOf(root)).release(turnOf, tree);
  }

  /** The open turn of a conversation needs its snapshots no more. */
  async endTurn(turnOf: string): Promise<void> {
    await releaseTurn(this.deps.storage, turnOf);
  }

  /** Records the folders once, so that the next snapshot hashes only what changed since then. Never rejects. */
  async prepare(folders: readonly string[]): Promise<void> {
    const key = folders.join("\0"),
      snapshot = this.#prepared.get(key) ?? this.snapshot(folders);
    this.#prepared.set(key, snapshot);
    if ((await snapshot).kind === "unavailable") this.#prepared.delete(key);
  }

  /** `before`: undefined for all files. Rejects if git fails, or if an object is missing that no pin keeps. */
  async changes(root: string, before: Oid | undefined, after: Oid): Promise<RootChanges> {
    const store = await this.#storeOf(root),
      { files, leftOut } = await store.difference(before, after),
      contents = await store.read(comparedOids(files));
    return {
      files: withRenames(files, oid => {
        const bytes = contents.get(oid)?.bytes;
        return bytes !== undefined && bytes.length <= MAX_COMPARED_BYTES ? bytes : undefined;
      }),
      leftOut,
    };
  }

  /** The bytes of a recorded file, or the target of a link. Undefined if the object is missing. */
  async read(root: string, oid: Oid): Promise<Uint8Array | undefined> {
    return (await this.readAll(root, [oid])).get(oid);
  }

  /** Missing objects are absent. */
  async readAll(root: string, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, Uint8Array>> {
    const found = await (await this.#storeOf(root)).read(oids);
    return new Map([...found].map(([oid, { bytes }]) => [oid, bytes]));
  }

  /** See `RootStore.removed`. */
  async removed(root: string, tree: Oid): Promise<readonly FileChange[]> {
    return (await this.#storeOf(root)).removed(tree);
  }

  /** See `RootStore.headChanges`. */
  async headChanges(root: string, since: HeadPosition): ReturnType<RootStore["headChanges"]> {
    return (await this.#storeOf(root)).headChanges(since);
  }

  /** See `RootStore.current`. */
  async current(root: string, file: RootPath, like?: FileState): Promise<FileState | undefined> {
    return (await this.#storeOf(root)).current(file, like);
  }

  /** The contents of these files in the newest commit of the user's repository. Missing ones are absent. */
  async committed(root: string, files: readonly RootPath[]): Promise<ReadonlyMap<RootPath, Uint8Array>> {
    const store = await this.#storeOf(root),
      oids = await store.committed(files),
      contents = await store.read([...oids.values()]);
    return new Map(
      [...oids].flatMap(([file, oid]) => {
        const bytes = contents.get(oid)?.bytes;
        return bytes === undefined ? [] : [[file, bytes]];
      }),
    );
  }

  /** Stores bytes, for example the result of a merge. They are kept for a day, unless they are pinned. */
  async write(root: string, bytes: Uint8Array): Promise<Oid> {
    return (await this.#storeOf(root)).write(bytes);
  }

  /**
   * Keeps the differences between all of these trees, and these contents, until `release`. Pin each pair of consecutive
   * trees within a day. Returns missing objects, which cannot be kept.
   */
  async pin(
    conversation: string,
    root: string,
    trees: readonly Oid[],
    blobs: readonly Oid[] = [],
  ): Promise<readonly Oid[]> {
    return (await this.#storeOf(root)).pin(conversation, trees, blobs);
  }

  /**
   * Writes a state to the disk. `expected`: the state on disk; otherwise nothing is changed and the result names the
   * reason. Delete files before you create others: names can differ in their case only. `known`: content of `state`.
   */
  async restore(
    root: string,
    file: RootPath,
    state: FileState | undefined,
    expected: FileState | undefined,
    known?: Uint8Array,
  ): Promise<Restored> {
    if (this.deps.isRestricted) return { kind: "refused", why: "failed", message: "The workspace is not trusted." };
    const store = await this.#storeOf(root),
      bytes = state && (known ?? (await store.read([state.oid])).get(state.oid)?.bytes);
    return restoreFile({
      folder: store.root.folder,
      path: file,
      state,
      bytes,
      expected,
      algorithm: store.root.algorithm,
      hasModes: store.root.hasModes,
      platform: this.#platform,
    });
  }

  /** The conversation is deleted: its objects are removed by the next `prune`. */
  async release(conversation: string): Promise<void> {
    await releaseConversation(this.deps.storage, conversation);
  }

  /** Removes objects that no conversation needs and that are older than a day. Needs no git. Never rejects. */
  async prune(): Promise<void> {
    await pruneStores(this.deps.storage, this.deps.date());
  }

  /** Stops running commands. The indexes remain for the next process. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const available of await Promise.all(this.#gits.values()))
      if (available.kind === "available") available.git.stop();
    const stores = await Promise.allSettled(this.#stores.values());
    for (const store of stores) if (store.status === "fulfilled") await store.value[Symbol.asyncDispose]();
  }

  /** Without folders that the root of another folder contains. */
  async #outermost(folders: readonly string[], git: Git): Promise<readonly string[]> {
    const isCovered = async (folder: string): Promise<boolean> => {
      for (const outer of folders)
        if (outer !== folder && isWithin(outer, folder)) {
          const store = await this.#opened(outer, git).catch(() => undefined);
          if (store !== undefined && (await store.covers(folder))) return true;
        }
      return false;
    };
    const covered = await Promise.all(folders.map(isCovered));
    return folders.filter((_, i) => covered[i] !== true);
  }

  async #recordRoot(
    root: string,
    git: Git,
    turnOf: string | undefined,
  ): Promise<
    | { readonly kind: "recorded"; readonly snapshot: RootSnapshot; readonly nested: readonly string[] }
    | { readonly kind: "skipped"; readonly skipped: SkippedRoot }
  > {
    try {
      const store = await this.#opened(root, git),
        { nested, ...recorded } = await store.record(turnOf);
      return {
        kind: "recorded",
        snapshot: { root, ...recorded },
        nested: nested.map(name => path.join(root, ...name.split("/"))),
      };
    } catch (error) {
      const detail = error instanceof GitError ? `${error.message} ${error.stderr}`.trim() : String(error);
      return { kind: "skipped", skipped: { root, why: faultOf(root, error), detail } };
    }
  }

  #opened(root: string, git: Git): Promise<RootStore> {
    let store = this.#stores.get(root);
    if (store === undefined) {
      store = this.#open(root, git);
      this.#stores.set(root, store);
      store.catch(() => this.#stores.delete(root));
    }
    return store;
  }

  async #open(folder: string, git: Git): Promise<RootStore> {
    const { storage, env } = this.deps,
      root = await openRoot(folder, { git, storage: realPath(storage), platform: this.#platform, env: await env() });
    return new RootStore(root, this.#storeDeps(git));
  }

  /** A root of an earlier process is opened again. Without git, only contents can be read and written. */
  async #storeOf(root: string): Promise<RootStore> {
    const opened = this.#stores.get(root);
    if (opened !== undefined) return opened;
    const available = await this.#findGit([root]);
    if (available.kind === "available") return this.#opened(root, available.git);
    if (available.why === "restricted") throw new GitError("notStarted", "The workspace is not trusted.");
    const known = this.#plainStores.get(root),
      store = known ?? new RootStore(plainRoot(root, this.deps.storage, this.#platform), this.#storeDeps(undefined));
    this.#plainStores.set(root, store);
    return store;
  }

  #storeDeps(git: Git | undefined): RootStoreDeps {
    const { date, pid = process.pid } = this.deps;
    return { git, limits: this.#limits, pid, date };
  }

  async #findGit(folders: readonly string[]): Promise<Available> {
    if (this.deps.isRestricted) return { kind: "unavailable", why: "restricted" };
    const env = await this.deps.env(),
      program = findGit(env, folders.map(realPath), this.#platform);
    if (program === undefined) return { kind: "unavailable", why: "noGit" };
    let git = this.#gits.get(program);
    if (git === undefined) {
      git = this.#checkGit(program, env);
      this.#gits.set(program, git);
    }
    const available = await git;
    if (available.kind === "unavailable") this.#gits.delete(program);
    return available;
  }

  async #checkGit(program: string, env: Readonly<Record<string, string | undefined>>): Promise<Available> {
    const home = path.join(reviewFolder(this.deps.storage), "home");
    try {
      await mkdir(home, { recursive: true });
      const git = new Git(program, { ...this.deps.processes, environment: () => env }, home),
        { isSupported, text } = await git.version(home);
      return isSupported ? { kind: "available", git } : { kind: "unavailable", why: "oldGit", detail: text };
    } catch (error) {
      return { kind: "unavailable", why: "failed", detail: errorMessage(error) };
    }
  }
}

function faultOf(root: string, error: unknown): SkippedRoot["why"] {
  if (error instanceof GitError && error.why === "timeout") return "timeout";
  if (!existsSync(root)) return "missing";
  return isDiskFull(error) ? "diskFull" : "failed";
}

/** The folder itself if it does not exist. */
export function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
