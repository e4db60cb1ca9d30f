/**
 * Records the files of a root as a tree.
 *
 *   closed ── first record ──▶ opening: index, its tree, proof of its entries ──▶ open
 *      ▲────────── a command failed: the index is opened again       ──────────┘
 *
 * Git lists the files that differ from the index. If they are few, they are hashed here and put into the tree of the
 * index. The index remains, because git needs as long to write an index of 100,000 files as to compare the files. If
 * they are many, git adds them to the index.
 *
 * Invariants:
 * - A tree has the bytes on disk of each file that is not left out.
 * - The tree of a file that changed has its earlier bytes, or the file is left out.
 */
import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { FileState, LeftOut, Oid, RootPath } from "./file-state";
import { FileHashes } from "./file-hashes";
import { GitError, type Git } from "./git-program";
import { displayedPath, encodePath, nulSeparated, parseRequestedObjects, type ByteString } from "./git-output";
import { HeldTrees } from "./held-trees";
import { parseIndex, type IndexFile } from "./index-file";
import { IndexWriter } from "./index-writer";
import {
  MAX_LISTED,
  selectFiles,
  RealFolders,
  type FileStatus,
  type Limits,
  type ListedFiles,
  type SelectedFiles,
} from "./listed-files";
import type { LooseObjects } from "./loose-objects";
import { doubtfulEntries, entryCount, openIndex, removeEntries, unprovenEntries } from "./own-index";
import type { HeadPosition } from "./head-log";
import { headCommitOf, headLogOf, type Repository } from "./repository";
import { serializeEdits } from "./recorded-edits";
import type { Root } from "./root";
import { editTree, foldersOf, type FileEdits } from "./tree-edit";

export interface RecorderDeps {
  readonly git: Git;
  readonly objects: LooseObjects;
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
  /** Before the files were read. */
  readonly head: HeadPosition;
}

interface OpenState {
  /** Entries of the user's index, which the limits do not count. */
  readonly given: number;
  /** Number of entries and total size of the files that were added to the index. */
  count: number;
  bytes: number;
  /** The tree of the index. Undefined after a change of the index. */
  tree?: Oid;
  /** The trees of folders in `tree`, as far as they were read. Undefined: no such folder. */
  readonly folders: Map<ByteString, Buffer | undefined>;
  /** Changed files whose entry was checked. True: its content before the change is known. */
  readonly checked: Map<ByteString, boolean>;
  /** Files of the last tree that the index does not contain. They remain recorded, whatever ignore rules change. */
  created: ReadonlySet<ByteString>;
  /** The states of the last tree that the index does not contain, by the path in the root. */
  edits: FileEdits;
  /** The trees of folders with these states. */
  editedTrees: readonly Oid[];
}

/** Statuses are read in slices, between which other events are handled. */
const SLICE = 500;
/** Maximum total size of files that are hashed here. */
const MAX_EDITED_BYTES = 32 * 1024 * 1024;

export class RootRecorder {
  readonly #hashes: FileHashes;
  readonly #held: HeldTrees;
  readonly #index: IndexWriter;
  #open: OpenState | undefined;

  constructor(
    private readonly root: Root,
    private readonly deps: RecorderDeps,
  ) {
    this.#hashes = new FileHashes(deps.objects, deps.date);
    this.#index = new IndexWriter(root, deps);
    this.#held = new HeldTrees(root.store.turns, root.algorithm);
  }

  /** The next call opens the index again. */
  close(): void {
    this.#open = undefined;
  }

  /** Keeps the objects of the last tree for an open turn. */
  async hold(conversation: string, tree: Oid): Promise<void> {
    const { edits = new Map(), editedTrees = [] } = this.#open ?? {};
    await this.#held.hold(conversation, tree, this.#index.file, serializeEdits(edits, editedTrees));
  }

  async record(): Promise<RecordedTree> {
    const { root, deps } = this,
      head = root.repository ? await headOf(root.repository) : { log: 0 };
    const opened = this.#open === undefined ? await openIndex(root, deps.pid) : undefined,
      open = this.#open ?? (await this.#stateOf(opened?.content));
    const [listed, unproven, tree] = await Promise.all([
      this.#listed(),
      opened ? unprovenEntries(opened, root, deps.git, this.#index.env) : new Set<never>(),
      open.tree ?? this.#index.writeTree(open.count),
    ]);
    open.tree = tree;
    if (opened) await removeEntries(opened, unproven, root);
    this.#open = open;
    if (unproven.size > 0) {
      open.count -= unproven.size;
      changed(open);
    }
    const removedEntries = new Set([...unproven].map(entry => entry.path)),
      files = await this.#withoutNewRepositories(listed, open),
      modified = files.modified.filter(file => !removedEntries.has(file)),
      unknown = await this.#unknown(modified, open),
      selected = await this.#selected(
        { modified: modified.filter(file => !unknown.has(file)), others: [...files.others, ...removedEntries] },
        open,
      );
    const { tree: recorded, unreadable } = await this.#treeOf(selected, open),
      leftOut: readonly LeftOut[] = [
        ...selected.leftOut,
        ...[...unknown].map(file => ({ path: displayedPath(file), why: "unknown" as const })),
        ...unreadable.map(file => ({ path: displayedPath(file), why: "unreadable" as const })),
      ].map(each => ({ ...each, path: this.#ownPath(each.path) }));
    return {
      tree: recorded,
      leftOut: leftOut.slice(0, MAX_LISTED),
      leftOutCount: leftOut.length,
      head,
      nested: selected.nested.map(nested => this.#ownPath(displayedPath(nested))),
    };
  }

  async #stateOf(index: IndexFile | undefined): Promise<OpenState> {
    const { root } = this,
      given = root.repository ? await entryCount(path.join(root.repository.gitFolder, "index")) : 0;
    // In a folder without a repository, all files are added ones.
    const bytes = root.repository ? 0 : (index?.entries ?? []).reduce((sum, { size }) => sum + size, 0);
    return {
      given,
      count: index?.count ?? 0,
      bytes,
      folders: new Map(),
      checked: new Map(),
      created: new Set(),
      edits: new Map(),
      editedTrees: [],
    };
  }

  async #listed(): Promise<ListedFiles> {
    const scope = this.root.prefix === "" ? [] : ["--", displayedPath(this.root.prefix)];
    const [modified, others] = await Promise.all([
      this.#index.git(["diff-files", "-z", "--name-only"]),
      this.#index.git(["--literal-pathspecs", "ls-files", "-o", "-z", "--exclude-standard", ...scope]),
    ]);
    return { modified: nulSeparated(modified.stdout), others: nulSeparated(others.stdout) };
  }

  /**
   * Recorded files around which a repository was created remain files of this root, as git does with those of an
   * index. Otherwise they would seem to be created in another root, and an undo would delete them.
   */
  async #withoutNewRepositories(listed: ListedFiles, open: OpenState): Promise<ListedFiles> {
    const repositories = listed.others.filter(other => other.endsWith("/")),
      inside = [...open.created].filter(file => repositories.some(folder => file.startsWith(folder)));
    if (inside.length === 0) return listed;
    await this.#update([], inside, open);
    open.created = new Set([...open.created].filter(file => !inside.includes(file)));
    return this.#listed();
  }

  /** Changed files whose content before the change is not known. */
  async #unknown(modified: readonly ByteString[], open: OpenState): Promise<ReadonlySet<ByteString>> {
    const { root, deps } = this,
      unchecked = modified.filter(file => !open.checked.has(file));
    // The objects of a folder without a repository were hashed here.
    if (unchecked.length > 0 && root.repository !== undefined) {
      const content = parseIndex(await readFile(this.#index.file), root.algorithm),
        found = content?.find(new Set(unchecked)) ?? [],
        // Git sets the size to zero if a file changed at the time at which its index was written.
        entries = found.filter(({ size }) => size > 0);
      for (const file of unchecked) open.checked.set(file, true);
      if (content !== undefined)
        for (const { path: file } of (await doubtfulEntries(content, entries, root, deps.git, this.#index.env))
          .converted)
          open.checked.set(file, false);
    }
    return new Set(modified.filter(file => open.checked.get(file) === false));
  }

  async #selected({ modified, others: all }: ListedFiles, open: OpenState): Promise<SelectedFiles> {
    const { limits } = this.deps,
      // Recorded files have priority if the limits do not allow all.
      others = [...open.created, ...all.filter(file => !open.created.has(file))],
      statuses = await this.#statuses([...modified, ...open.created], others.slice(open.created.size));
    return selectFiles(
      { modified, others },
      file => statuses.get(file) ?? { kind: "absent" },
      { files: limits.maxFiles + open.given - open.count, bytes: limits.maxBytes - open.bytes },
      limits,
    );
  }

  async #statuses(
    recorded: readonly ByteString[],
    others: readonly ByteString[],
  ): Promise<ReadonlyMap<ByteString, FileStatus>> {
    const folders = new RealFolders(this.root.workTree),
      statuses = new Map<ByteString, FileStatus>();
    // Git follows no links to the others.
    const count = recorded.length;
    for (const [i, file] of [...recorded, ...others].entries()) {
      if (i % SLICE === SLICE - 1)
        await new Promise(resolve => {
          setImmediate(resolve);
        });
      if (i < count && !folders.contain(file)) statuses.set(file, { kind: "absent" });
      else if (!file.endsWith("/")) statuses.set(file, folders.statusOf(file));
    }
    return statuses;
  }

  async #treeOf(
    selected: SelectedFiles,
    open: OpenState,
  ): Promise<{ readonly tree: Oid; readonly unreadable: readonly ByteString[] }> {
    const { removed, added, addedBytes, growth, leftOut } = selected;
    // Without modes or links in the file system, git decides which mode a file has.
    const isFew =
      this.root.hasModes &&
      this.root.hasLinks &&
      removed.length + added.length <= this.deps.limits.maxEdits &&
      addedBytes <= MAX_EDITED_BYTES &&
      // Git reads one request per line.
      ![...removed, ...added].some(file => file.includes("\n"));
    if (isFew && open.tree !== undefined) return this.#edited(selected, open, open.tree);
    const unreadable = await this.#update(removed, added, open);
    const isRepeated = (file: ByteString): boolean => open.edits.has(file.slice(this.root.prefix.length)),
      repeated = [...leftOut.map(({ path: file }) => encodePath(file)), ...unreadable].filter(isRepeated);
    if (repeated.length > 0) {
      changed(open);
      open.count = await this.#index.repeat(repeated, open.edits);
    }
    open.bytes += growth.bytes;
    open.created = new Set();
    open.edits = new Map();
    open.editedTrees = [];
    return { tree: (open.tree ??= await this.#index.writeTree(open.count)), unreadable };
  }

  /** Puts the states of these files into the tree of the index. */
  async #edited(
    { removed, added, growth, leftOut }: SelectedFiles,
    open: OpenState,
    tree: Oid,
  ): Promise<{ readonly tree: Oid; readonly unreadable: readonly ByteString[] }> {
    const { root } = this,
      own = (file: ByteString): ByteString => file.slice(root.prefix.length),
      edits = new Map<ByteString, FileState | undefined>(removed.map(file => [own(file), undefined])),
      unreadable: ByteString[] = [],
      created = new Set(growth.files);
    const keepEarlier = (file: ByteString): void => {
      if (open.edits.has(own(file))) edits.set(own(file), open.edits.get(own(file)));
      if (open.created.has(file)) created.add(file);
    };
    for (const { path: file } of leftOut) keepEarlier(encodePath(file));
    await Promise.all([
      this.#readFolders([...removed, ...added].map(own), open, tree),
      ...added.map(async file => {
        const state = await this.#hashes.store(path.join(root.workTree, ...displayedPath(file).split("/")));
        if (state === "unreadable") {
          unreadable.push(file);
          keepEarlier(file);
        } else edits.set(own(file), state === "absent" ? undefined : state);
      }),
    ]);
    open.created = created;
    open.edits = edits;
    open.editedTrees = [];
    if (edits.size === 0) return { tree, unreadable: unreadable.sort() };
    return { tree: await this.#writeEdited(open, edits), unreadable: unreadable.sort() };
  }

  async #writeEdited(open: OpenState, edits: FileEdits): Promise<Oid> {
    const { root, deps } = this,
      known = new Map([...open.folders].flatMap(([folder, bytes]) => (bytes === undefined ? [] : [[folder, bytes]]))),
      edited = editTree(known, edits, root.algorithm);
    if (edited === undefined) throw new GitError("failed", "A tree is missing.");
    open.editedTrees = await Promise.all(edited.trees.map(bytes => deps.objects.write("tree", bytes, deps.date())));
    await writeFile(root.store.edits(deps.pid), serializeEdits(edits, open.editedTrees), "latin1");
    return edited.tree;
  }

  async #readFolders(files: readonly ByteString[], open: OpenState, tree: Oid): Promise<void> {
    const folders = [...foldersOf(files)].filter(folder => !open.folders.has(folder));
    if (folders.length === 0) return;
    const { stdout } = await this.#index.git(["cat-file", "--batch", "--buffer"], {
        // Without the final slash, git finds a commit for a name that ends like those of `git describe`.
        input: Buffer.from(folders.map(folder => `${tree}:${folder === "" ? "" : `${folder}/`}\n`).join(""), "latin1"),
      }),
      objects = parseRequestedObjects(stdout);
    for (const [i, folder] of folders.entries())
      open.folders.set(folder, objects[i]?.kind === "tree" ? objects[i].bytes : undefined);
  }

  async #update(
    removed: readonly ByteString[],
    added: readonly ByteString[],
    open: OpenState,
  ): Promise<readonly ByteString[]> {
    if (removed.length + added.length === 0) return [];
    changed(open);
    const { unreadable, count } = await this.#index.update(removed, added);
    open.count = count;
    return unreadable;
  }

  #ownPath(file: string): RootPath {
    return file.slice(displayedPath(this.root.prefix).length);
  }
}

/** Call it when the index changes. */
function changed(open: OpenState): void {
  delete open.tree;
  open.folders.clear();
}

async function headOf(repository: Repository): Promise<HeadPosition> {
  const [stats, commit] = await Promise.all([
    stat(headLogOf(repository)).catch(() => undefined),
    headCommitOf(repository),
  ]);
  return { log: stats?.size ?? 0, ...(commit === undefined ? {} : { commit }) };
}
