/**
 * The trees that open turns need: an index as it was when it had the tree, and the edits of the tree. `prune` keeps
 * their objects. Their files are known also after the user's repository has lost objects of the tree.
 *
 * Invariant: a held index is never changed, because git replaces an index by a rename.
 */
import { copyFile, link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { shortHash } from "../../process/short-hash";
import { sameState, type FileChange, type FileState, type Oid, type RootPath } from "./file-state";
import { decodePath, type ByteString } from "./git-output";
import { oidOf, parseIndex, stateOf, treeOids, type HashAlgorithm, type IndexFile } from "./index-file";
import { parseEdits, type RecordedEdits } from "./recorded-edits";

const INDEX = ".index",
  EDITS = ".edits";

export class HeldTrees {
  /** `folder`: `turns` of a store. `algorithm`: of the store. */
  constructor(
    private readonly folder: string,
    private readonly algorithm: HashAlgorithm,
  ) {}

  /** Holds a tree for a conversation. `index`: the index that has the tree with these edits. */
  async hold(conversation: string, tree: Oid, index: string, edits: string): Promise<void> {
    const file = path.join(this.folder, `${shortHash(conversation)}.${tree}`);
    if ((await namesIn(this.folder)).includes(path.basename(`${file}${INDEX}`))) return;
    await mkdir(this.folder, { recursive: true });
    await writeFile(`${file}${EDITS}`, edits, "latin1");
    // A file system without hard links has a copy.
    await link(index, `${file}${INDEX}`).catch(() => copyFile(index, `${file}${INDEX}`));
  }

  /** The ids of all objects that held trees need. Undefined if this is not known. */
  async needed(): Promise<ReadonlySet<Oid> | undefined> {
    const oids = new Set<Oid>();
    for (const { index, edits } of await this.#held()) {
      const needed = await objectsOf(index, edits, this.algorithm);
      if (needed === undefined) return undefined;
      for (const oid of needed) oids.add(oid);
    }
    return oids;
  }

  /** The files of a held tree. Undefined if no conversation holds it. `prefix`: of the root in its work tree. */
  async filesOf(tree: Oid, prefix: ByteString): Promise<ReadonlyMap<RootPath, FileState> | undefined> {
    const held = (await this.#held()).find(({ index: file }) => file.endsWith(`.${tree}${INDEX}`)),
      index = held && (await parsed(held.index, this.algorithm));
    if (held === undefined || index === undefined) return undefined;
    const files = new Map<ByteString, FileState>();
    for (const entry of index.entries)
      if (entry.path.startsWith(prefix))
        files.set(entry.path.slice(prefix.length), stateOf(index, entry, this.algorithm));
    for (const [file, state] of (await editsIn(held.edits)).states)
      if (state === undefined) files.delete(file);
      else files.set(file, state);
    return new Map([...files].flatMap(([file, state]) => decoded(file, state)));
  }

  async #held(): Promise<readonly { readonly index: string; readonly edits: string }[]> {
    const names = await namesIn(this.folder);
    return names
      .filter(name => name.endsWith(INDEX))
      .map(name => path.join(this.folder, name.slice(0, -INDEX.length)))
      .map(file => ({ index: file + INDEX, edits: file + EDITS }));
  }
}

/** Releases all trees of a conversation except for this one. `folder`: `turns` of a store. Never rejects. */
export async function releaseHeld(folder: string, conversation: string, except?: Oid): Promise<void> {
  const own = `${shortHash(conversation)}.`;
  for (const name of await namesIn(folder))
    if (name.startsWith(own) && (except === undefined || !name.startsWith(`${own}${except}.`)))
      await rm(path.join(folder, name), { force: true }).catch(() => undefined);
}

/** All objects of the tree of an index with edits. Undefined if the index cannot be read. */
export async function objectsOf(
  indexFile: string,
  edits: string,
  algorithm: HashAlgorithm,
): Promise<readonly Oid[] | undefined> {
  const index = await parsed(indexFile, algorithm);
  return (
    index && [
      ...index.entries.map(entry => oidOf(index, entry, algorithm)),
      ...(index.trees ? treeOids(index.trees, algorithm) : []),
      ...(await editsIn(edits)).oids,
    ]
  );
}

async function parsed(file: string, algorithm: HashAlgorithm): Promise<IndexFile | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes && parseIndex(bytes, algorithm);
}

async function editsIn(file: string): Promise<RecordedEdits> {
  return parseEdits(await readFile(file, "latin1").catch(() => ""));
}

function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

function decoded(file: ByteString, state: FileState): readonly (readonly [RootPath, FileState])[] {
  const name = decodePath(file);
  return name === undefined ? [] : [[name, state]];
}

/** The differences of two trees, sorted by path. Pure. */
export function differenceOf(
  before: ReadonlyMap<RootPath, FileState>,
  after: ReadonlyMap<RootPath, FileState>,
): readonly FileChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((file): readonly FileChange[] => {
    const [old, now] = [before.get(file), after.get(file)];
    if (sameState(old, now)) return [];
    return [
      { path: file, ...(old === undefined ? {} : { before: old }), ...(now === undefined ? {} : { after: now }) },
    ];
  });
}
