/**
 * Records and reads the states of one root.
 *
 * Invariants:
 * - The states are recorded one after another, in the order of the calls.
 * - No file of the user's repository is written. (Git may renew the time of an object there that is stored again.)
 */
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { mapBounded } from "./bounded";
import { LINK_MODE, type FileChange, type FileState, type Oid, type RootPath } from "./file-state";
import { GitError, type Git } from "./git-program";
import { nulSeparated, parseObjects, parseTreeDifference, type ReadObject, type TreeDifference } from "./git-output";
import { differenceOf, HeldTrees, releaseHeld } from "./held-trees";
import type { Limits } from "./listed-files";
import { LooseObjects, type ObjectKind } from "./loose-objects";
import { PinnedObjects } from "./pinned-objects";
import { movesBetween, type HeadChange, type HeadPosition } from "./head-log";
import { headCommitOf, headLogOf, repositoryOf } from "./repository";
import { hasRealParents, linkTarget, stateOnDisk } from "./restore";
import { userCommand, type Root } from "./root";
import { recordingEnv } from "./index-writer";
import { RootRecorder, type RecordedTree } from "./root-recorder";

export interface RootStoreDeps {
  /** Undefined: only contents are read and written. */
  readonly git: Git | undefined;
  readonly limits: Limits;
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly date: () => number;
}

/** Objects that are read or written at the same time. */
const OBJECTS_AT_ONCE = 8;

export class RootStore {
  readonly objects: LooseObjects;
  readonly #pins: PinnedObjects;
  readonly #recorder: RootRecorder | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    readonly root: Root,
    private readonly deps: RootStoreDeps,
  ) {
    this.objects = new LooseObjects(root.store.objects, root.algorithm);
    this.#pins = new PinnedObjects(root.store.pins);
    const { git } = deps;
    this.#recorder = git && new RootRecorder(root, { ...deps, git, objects: this.objects });
  }

  /** Records the files. `turnOf`: a conversation that needs the tree until `release`. Rejects with `GitError`. */
  record(turnOf?: string): Promise<RecordedTree> {
    return this.#enqueue(async () => {
      const recorder = this.#recorder;
      if (recorder === undefined) throw withoutGit();
      const recorded = await this.#recorded(recorder);
      // Otherwise the tree is kept for a day.
      if (turnOf !== undefined) await recorder.hold(turnOf, recorded.tree).catch(() => undefined);
      return recorded;
    });
  }

  /** The open turn of the conversation does not need its recorded trees any more, except for this one. */
  async release(turnOf: string, except: Oid): Promise<void> {
    await releaseHeld(this.root.store.turns, turnOf, except);
  }

  /**
   * The contents of files in the commits of HEAD since this position, in order. Filters of the repository are not
   * applied, so files that git converts have other bytes on disk. Undefined if they are not known.
   */
  async headChanges(since: HeadPosition): Promise<ReadonlyMap<RootPath, readonly HeadChange[]> | undefined> {
    const { repository, prefix } = this.root,
      changes = new Map<RootPath, HeadChange[]>();
    if (repository === undefined) return changes;
    const now = await headCommitOf(repository),
      log = await readFile(headLogOf(repository), "latin1").catch(() => ""),
      moves = movesBetween(since, log, now),
      own = Buffer.from(prefix, "latin1").toString();
    if (moves.every(({ kind }) => kind === "commit")) return changes;
    try {
      for (const { kind, from, to } of moves.slice(-MAX_MOVES)) {
        const command = userCommand(repository, ["diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", from, to]),
          { stdout } = await this.#program.runAsUser(command);
        for (const { path: file, ...contents } of parseTreeDifference(stdout).files)
          if (file.startsWith(own)) {
            const name = file.slice(own.length);
            changes.set(name, [...(changes.get(name) ?? []), { kind, ...contents }]);
          }
      }
    } catch (error) {
      if (error instanceof GitError && error.why === "failed") return undefined; // a commit was removed
      throw error;
    }
    return changes;
  }

  /** Whether the root records the files of a folder below it, so that the folder is no separate root. */
  async covers(folder: string): Promise<boolean> {
    if (repositoryOf(folder)?.workTree !== repositoryOf(this.root.folder)?.workTree) return false;
    const { code } = await this.#program.run({
      args: ["check-ignore", "-q", "--", `${folder}${path.sep}`],
      cwd: this.root.workTree,
      env: recordingEnv(this.root, this.deps.pid),
      codes: [1],
    });
    return code === 1;
  }

  /**
   * Differences between two trees; undefined: the empty one. Rejects with `GitError` if an object is missing, unless
   * open turns need both trees.
   */
  async difference(earlier: Oid | undefined, after: Oid): Promise<TreeDifference> {
    const before = earlier ?? EMPTY_TREE[this.root.algorithm];
    if (before === after) return { files: [], leftOut: [], oids: [] };
    try {
      const { stdout } = await this.#git(["diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", before, after]);
      return parseTreeDifference(stdout);
    } catch (error) {
      // The user's repository may have lost objects.
      const [old, now] = await Promise.all([this.#filesOf(before), this.#filesOf(after)]);
      if (old === undefined || now === undefined) throw error;
      return { files: differenceOf(old, now), leftOut: [], oids: [] };
    }
  }

  /** The files of a tree, as deleted. */
  async removed(tree: Oid): Promise<readonly FileChange[]> {
    return (await this.difference(tree, EMPTY_TREE[this.root.algorithm])).files;
  }

  /** Missing objects are absent from the result. */
  async read(oids: readonly Oid[]): Promise<ReadonlyMap<Oid, ReadObject>> {
    const found = new Map<Oid, ReadObject>(),
      others: Oid[] = [];
    await mapBounded(OBJECTS_AT_ONCE, [...new Set(oids)], async oid => {
      const own = await this.objects.read(oid);
      if (own) found.set(oid, own);
      else others.push(oid);
    });
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
    await mapBounded(OBJECTS_AT_ONCE, [...oids], async oid => {
      if (!(await this.objects.renew(oid, now))) foreign.push(oid);
    });
    const found = await this.read(foreign);
    await mapBounded(OBJECTS_AT_ONCE, [...found.values()], async ({ kind, bytes }) => {
      if (isObjectKind(kind)) await this.objects.write(kind, bytes, now);
    });
    return foreign.filter(oid => !found.has(oid));
  }

  /** Ends after the commands that were started. The index remains for the next process. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue;
  }

  async #recorded(recorder: RootRecorder): Promise<RecordedTree> {
    try {
      return await recorder.record();
    } catch (error) {
      recorder.close();
      if (!(error instanceof GitError) || error.why !== "failed") throw error;
      // The index may be damaged: it is created again.
      await rm(this.root.store.index(this.deps.pid), { force: true });
      return await recorder.record();
    }
  }

  /** Undefined if the files are not known without the objects of the tree. */
  async #filesOf(tree: Oid): Promise<ReadonlyMap<RootPath, FileState> | undefined> {
    const { store, algorithm, prefix } = this.root;
    return tree === EMPTY_TREE[algorithm] ? new Map() : new HeldTrees(store.turns, algorithm).filesOf(tree, prefix);
  }

  get #program(): Git {
    const { git } = this.deps;
    if (git === undefined) throw withoutGit();
    return git;
  }

  #git(args: readonly string[], { input }: { readonly input?: Uint8Array } = {}): ReturnType<Git["run"]> {
    const { workTree, store } = this.root;
    return this.#program.run({
      args,
      // Objects remain after the removal of the folder.
      cwd: existsSync(workTree) ? workTree : store.path,
      env: recordingEnv(this.root, this.deps.pid),
      ...(input === undefined ? {} : { input }),
    });
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

const withoutGit = (): GitError => new GitError("notStarted", "git is not available.");

/** Git knows these objects without storing them. */
const EMPTY_TREE = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
} as const;

/** Moves that are compared. Others were replaced by these. */
const MAX_MOVES = 5;

function lines(oids: readonly Oid[]): Buffer {
  return Buffer.from(oids.map(oid => `${oid}\n`).join(""), "latin1");
}

function isObjectKind(kind: string): kind is ObjectKind {
  return kind === "blob" || kind === "tree";
}
