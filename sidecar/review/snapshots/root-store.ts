/**
 * Records and reads the states of one root.
 *
 *   closed ── first command ──▶ opening: folder, index, proof of its entries ──▶ open
 *      ▲────────── a command failed: the index is opened again       ──────────┘
 *
 * Invariants:
 * - Commands that use the index run one after another, in the order of the calls.
 * - A tree has the bytes on disk of each file that is not left out.
 * - No file of the user's repository is written. (Git may renew the time of an object there that is stored again.)
 */
import { readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { LINK_MODE, type FileChange, type FileState, type LeftOut, type Oid, type RootPath } from "./file-state";
import { GitError, type Git } from "./git-program";
import {
  encodePath,
  nulSeparated,
  parseObjects,
  parseTreeDifference,
  type ByteString,
  type ReadObject,
  type TreeDifference,
} from "./git-output";
import type { IndexFile } from "./index-file";
import { MAX_LISTED, selectFiles, statusOf, type FileStatus, type Limits, type ListedFiles } from "./listed-files";
import { LooseObjects, type ObjectKind } from "./loose-objects";
import { entryCount, openIndex, removeEntries, unprovenEntries } from "./own-index";
import { PinnedObjects } from "./pinned-objects";
import { movesIn } from "./head-log";
import { repositoryOf, type Repository } from "./repository";
import { hasRealParents, linkTarget, stateOnDisk } from "./restore";
import { userCommand, type Root } from "./root";

export interface RootStoreDeps {
  /** Undefined: only contents are read and written. */
  readonly git: Git | undefined;
  readonly limits: Limits;
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly date: () => number;
}

export interface RecordedTree {
  readonly tree: Oid;
  readonly leftOut: readonly LeftOut[];
  /** Files that are left out, also those that `leftOut` does not list. */
  readonly leftOutCount: number;
  /** Nested repositories. They are separate roots. */
  readonly nested: readonly RootPath[];
  /** Length of the log of HEAD, before the files were read; 0 without one. */
  readonly headLog: number;
}

interface OpenState {
  /** Entries of the user's index, which the limits do not count. */
  readonly given: number;
  /** Number of entries and total size of the files that were added. */
  count: number;
  bytes: number;
  /** The tree of the index. Undefined after a change of the index. */
  tree?: Oid;
}

/** Statuses are read in slices, between which other events are handled. */
const SLICE = 500;
/** Files that disappear or become unreadable while git reads them are left out, up to this number per snapshot. */
const MAX_RETRIES = 50;

export class RootStore {
  readonly objects: LooseObjects;
  readonly #pins: PinnedObjects;
  #open: OpenState | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    readonly root: Root,
    private readonly deps: RootStoreDeps,
  ) {
    this.objects = new LooseObjects(root.store.objects, root.algorithm);
    this.#pins = new PinnedObjects(root.store.pins);
  }

  /** Records the files of the root. Rejects with `GitError`. */
  record(): Promise<RecordedTree> {
    return this.#enqueue(() =>
      this.#record().catch(async (error: unknown) => {
        this.#open = undefined;
        // The index may be damaged: it is created again.
        if (!(error instanceof GitError) || error.why !== "failed") throw error;
        await rm(this.#index, { force: true });
        return this.#record().catch((again: unknown) => {
          this.#open = undefined;
          throw again;
        });
      }),
    );
  }

  /**
   * Files that changed because HEAD moved to another commit, since the log of HEAD had this length. Filters of the
   * repository are not applied, so files that git converts are missing.
   */
  async moved(headLog: number): Promise<readonly FileChange[]> {
    const { repository, prefix } = this.root,
      text = repository && (await readFile(headLogOf(repository), "latin1").catch(() => ""));
    if (repository === undefined || text === undefined || text.length <= headLog) return [];
    const files: FileChange[] = [],
      own = Buffer.from(prefix, "latin1").toString();
    for (const { from, to } of movesIn(text.slice(headLog)).slice(-MAX_MOVES)) {
      const command = userCommand(repository, ["diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", from, to]),
        { stdout } = await this.#program.runAsUser(command);
      for (const file of parseTreeDifference(stdout).files)
        if (file.path.startsWith(own)) files.push({ ...file, path: file.path.slice(own.length) });
    }
    return files;
  }

  /** Whether the root records the files of a folder below it, so that the folder is no separate root. */
  async covers(folder: string): Promise<boolean> {
    if (repositoryOf(folder)?.workTree !== repositoryOf(this.root.folder)?.workTree) return false;
    const { code } = await this.#program.run({
      args: ["check-ignore", "-q", "--", `${folder}${path.sep}`],
      cwd: this.root.workTree,
      env: this.#env(),
      codes: [1],
    });
    return code === 1;
  }

  /** Differences between two trees; undefined: the empty one. Rejects with `GitError` if an object is missing. */
  async difference(earlier: Oid | undefined, after: Oid): Promise<TreeDifference> {
    const before = earlier ?? EMPTY_TREE[this.root.algorithm];
    if (before === after) return { files: [], leftOut: [], oids: [] };
    const { stdout } = await this.#git(["diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", before, after]);
    return parseTreeDifference(stdout);
  }

  /** Missing objects are absent from the result. */
  async read(oids: readonly Oid[]): Promise<ReadonlyMap<Oid, ReadObject>> {
    const found = new Map<Oid, ReadObject>(),
      others: Oid[] = [];
    for (const oid of new Set(oids)) {
      const own = await this.objects.read(oid);
      if (own) found.set(oid, own);
      else others.push(oid);
    }
    if (others.length === 0 || this.deps.git === undefined) return found;
    const { stdout } = await this.#git(["cat-file", "--batch", "--buffer"], { input: lines(others) });
    for (const object of parseObjects(stdout)) found.set(object.oid, object);
    return found;
  }

  /**
   * The state of a file on disk, whose content is stored. `like`: its state where the file system has no mode
   * “executable”. Undefined: no file.
   */
  async current(file: RootPath, like: FileState | undefined): Promise<FileState | undefined> {
    const { folder, algorithm, hasModes } = this.root,
      names = file.split("/"),
      place = path.join(folder, ...names),
      // Below a link to a folder, git records no files.
      found = (await hasRealParents(folder, names)) ? await stateOnDisk(place, algorithm) : undefined;
    if (found === undefined || found === "folder" || found === "special") return undefined;
    const { state } = found;
    if (like?.oid === state.oid && (hasModes || (like.mode === LINK_MODE) === (state.mode === LINK_MODE)))
      return hasModes ? state : like;
    const oid = await this.write(state.mode === LINK_MODE ? await linkTarget(place) : await readFile(place));
    return { mode: hasModes || state.mode === LINK_MODE ? state.mode : (like?.mode ?? state.mode), oid };
  }

  /** The ids of these files in the newest commit of the user's repository. Missing ones are absent. */
  async committed(files: readonly RootPath[]): Promise<ReadonlyMap<RootPath, Oid>> {
    // The repository may be new.
    const { folder } = this.root,
      repository = this.root.repository ?? repositoryOf(folder);
    if (repository === undefined || files.length === 0) return new Map();
    const below = path.relative(repository.workTree, folder).split(path.sep).join("/"),
      own = below === "" ? "" : `${below}/`;
    const command = userCommand(repository, ["ls-tree", "-r", "-z", "HEAD", "--", ...files.map(file => own + file)]),
      { stdout } = await this.#program.runAsUser({ ...command, codes: [128] });
    return new Map(
      nulSeparated(stdout).flatMap(record => {
        const [, oid, file] = /^\d{6} blob ([\da-f]+)\t([^]*)$/.exec(record) ?? [];
        return oid === undefined || file === undefined
          ? []
          : [[Buffer.from(file, "latin1").toString().slice(own.length), oid]];
      }),
    );
  }

  write(bytes: Uint8Array): Promise<Oid> {
    return this.objects.write("blob", bytes, this.deps.date());
  }

  /**
   * Keeps the objects of `trees` that differ from one tree to the next, and `blobs`, until the conversation is
   * released, also if the user's repository loses them. All differences between two of the trees then remain
   * readable. Returns the objects that are missing already.
   */
  async pin(conversation: string, trees: readonly Oid[], blobs: readonly Oid[] = []): Promise<readonly Oid[]> {
    const oids = new Set([...trees, ...blobs]);
    for (const [i, tree] of trees.entries())
      for (const oid of (await this.difference(trees[i - 1] ?? tree, tree)).oids) oids.add(oid);
    await this.#pins.add(conversation, [...oids]);
    const now = this.deps.date(),
      foreign: Oid[] = [];
    for (const oid of oids) if (!(await this.objects.renew(oid, now))) foreign.push(oid);
    const found = await this.read(foreign);
    for (const { kind, bytes } of found.values()) if (isObjectKind(kind)) await this.objects.write(kind, bytes, now);
    return foreign.filter(oid => !found.has(oid));
  }

  /** Ends after the commands that were started. The index remains for the next process. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue;
  }

  async #record(): Promise<RecordedTree> {
    const { root, deps } = this,
      headLog = root.repository ? await sizeOf(headLogOf(root.repository)) : 0;
    const opened = this.#open === undefined ? await openIndex(root, deps.pid) : undefined,
      open = this.#open ?? (await this.#stateOf(opened?.content));
    const [listed, unproven] = await Promise.all([
      this.#listed(),
      opened ? unprovenEntries(opened, root, this.#program, this.#env()) : new Set<never>(),
    ]);
    if (opened) await removeEntries(opened, unproven, root);
    this.#open = open;
    if (unproven.size > 0) {
      open.count -= unproven.size;
      delete open.tree;
    }
    const others = [...listed.others, ...[...unproven].map(entry => entry.path)],
      statuses = await this.#statuses([...listed.modified, ...others]);
    const removedEntries = new Set([...unproven].map(entry => entry.path)),
      selected = selectFiles(
        { modified: listed.modified.filter(file => !removedEntries.has(file)), others },
        file => statuses.get(file) ?? { kind: "absent" },
        {
          files: deps.limits.maxFiles + open.given - open.count,
          bytes: deps.limits.maxBytes - open.bytes,
        },
        deps.limits,
      );
    const failed = await this.#update(selected.removed, selected.added, open);
    open.bytes += selected.growth.bytes;
    const leftOut = [...selected.leftOut, ...failed].map(each => ({ ...each, path: this.#ownPath(each.path) }));
    return {
      tree: (open.tree ??= await this.#writeTree(this.#index, open.count)),
      leftOut: leftOut.slice(0, MAX_LISTED),
      leftOutCount: leftOut.length,
      headLog,
      nested: selected.nested.map(nested => this.#ownPath(Buffer.from(nested, "latin1").toString())),
    };
  }

  async #stateOf(index: IndexFile | undefined): Promise<OpenState> {
    const { root } = this,
      count = index?.entries.length ?? 0,
      given = root.repository ? await entryCount(path.join(root.repository.gitFolder, "index")) : 0;
    // In a folder without a repository, all files are added ones.
    const bytes = root.repository ? 0 : (index?.entries ?? []).reduce((sum, { size }) => sum + size, 0);
    return { given, count, bytes };
  }

  async #listed(): Promise<ListedFiles> {
    const scope = this.root.prefix === "" ? [] : ["--", Buffer.from(this.root.prefix, "latin1").toString()];
    const [modified, others] = await Promise.all([
      this.#git(["diff-files", "-z", "--name-only"]),
      this.#git(["--literal-pathspecs", "ls-files", "-o", "-z", "--exclude-standard", ...scope]),
    ]);
    return { modified: nulSeparated(modified.stdout), others: nulSeparated(others.stdout) };
  }

  async #statuses(files: readonly ByteString[]): Promise<ReadonlyMap<ByteString, FileStatus>> {
    const folder = Buffer.from(`${this.root.workTree}${path.sep}`),
      statuses = new Map<ByteString, FileStatus>();
    for (const [i, file] of files.entries()) {
      if (i % SLICE === SLICE - 1)
        await new Promise(resolve => {
          setImmediate(resolve);
        });
      if (!file.endsWith("/")) statuses.set(file, statusOf(Buffer.concat([folder, Buffer.from(file, "latin1")])));
    }
    return statuses;
  }

  /** Hashes and stores the added files. Returns those that git could not read. */
  async #update(
    removed: readonly ByteString[],
    added: readonly ByteString[],
    open: OpenState,
  ): Promise<readonly LeftOut[]> {
    const failed = new Set<ByteString>();
    for (let isDone = removed.length + added.length === 0; !isDone; ) {
      const input = [...removed, ...added].filter(file => !failed.has(file)).map(file => `${file}\0`);
      delete open.tree;
      try {
        await this.#git(["update-index", "-z", "--add", "--remove", "--replace", "--stdin"], {
          input: Buffer.from(input.join(""), "latin1"),
        });
        isDone = true;
      } catch (error) {
        const file = error instanceof GitError ? UNPROCESSED.exec(error.stderr)?.[1] : undefined;
        if (file === undefined || failed.has(encodePath(file)) || failed.size === MAX_RETRIES) throw error;
        failed.add(encodePath(file));
      }
      open.count = await entryCount(this.#index);
    }
    return [...failed].map(file => ({ path: Buffer.from(file, "latin1").toString(), why: "unreadable" }));
  }

  async #writeTree(index: string, count: number): Promise<Oid> {
    const { prefix } = this.root,
      // Git refuses a prefix without files.
      scope = prefix === "" || count === 0 ? [] : [`--prefix=${Buffer.from(prefix, "latin1").toString()}`];
    const { stdout } = await this.#git(["write-tree", "--missing-ok", ...scope], { env: { GIT_INDEX_FILE: index } });
    return stdout.toString().trim();
  }

  #ownPath(file: string): RootPath {
    return file.slice(Buffer.from(this.root.prefix, "latin1").toString().length);
  }

  get #program(): Git {
    const { git } = this.deps;
    if (git === undefined) throw new GitError("notStarted", "git is not available.");
    return git;
  }
  get #index(): string {
    return this.root.store.index(this.deps.pid);
  }

  #env(): Record<string, string> {
    const { store, workTree } = this.root;
    return { GIT_DIR: store.path, GIT_WORK_TREE: workTree, GIT_INDEX_FILE: this.#index };
  }

  #git(
    args: readonly string[],
    { input, env = {} }: { readonly input?: Uint8Array; readonly env?: Readonly<Record<string, string>> } = {},
  ): ReturnType<Git["run"]> {
    return this.#program.run({
      args,
      cwd: this.root.workTree,
      env: { ...this.#env(), ...env },
      ...(input === undefined ? {} : { input }),
    });
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

/** Git knows these objects without storing them. */
const EMPTY_TREE = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
} as const;

/** Moves that are compared. Others were replaced by these. */
const MAX_MOVES = 5;

const headLogOf = ({ gitFolder }: Repository): string => path.join(gitFolder, "logs", "HEAD");

/** 0 if the file does not exist. */
async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

const UNPROCESSED = /^fatal: Unable to process path (.*)$/m;

function lines(oids: readonly Oid[]): Buffer {
  return Buffer.from(oids.map(oid => `${oid}\n`).join(""), "latin1");
}

function isObjectKind(kind: string): kind is ObjectKind {
  return kind === "blob" || kind === "tree";
}
