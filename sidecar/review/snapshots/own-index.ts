/**
 * The index of this process: git's record of the files of a root, with their status on disk. It begins as a copy of the
 * newest index of any process, or of the user's index, so that unchanged files are not read.
 *
 * Invariants:
 * - The user's index is only read.
 * - A copy has the time of its origin. Git compares the content of files that changed at that time or later.
 * - `unprovenEntries` returns each entry whose bytes on disk may differ from its object. Git considers a file with
 *   converted line endings or a filter unchanged, but its object has other bytes.
 */
import { open, rename, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { canConvert } from "./ignore-rules";
import type { Git } from "./git-program";
import { parseAttributed, parseSizes, type ByteString } from "./git-output";
import { oidOf, parseIndex, serializeIndex, type IndexEntry, type IndexFile } from "./index-file";
import { configurationText, datedFile } from "./repository";
import { userCommand, type Root } from "./root";

export interface OpenedIndex {
  readonly file: string;
  /** The entries at the opening. Undefined: git creates the file. */
  readonly content?: IndexFile;
  readonly mtimeMs: number;
  readonly origin: "own" | "user" | "empty";
}

/** Replaces the index of this process. */
export async function openIndex(root: Root, pid: number): Promise<OpenedIndex> {
  const { store, algorithm } = root,
    file = store.index(pid);
  store.removeLocks(pid);
  const origin = (root.isContinued ? await newestOwn(root) : undefined) ?? (await usersIndex(root));
  for (const other of store.indexes())
    if (other.pid !== pid && !isAlive(other.pid)) {
      await rm(other.file, { force: true });
      store.removeLocks(other.pid);
    }
  await rm(file, { force: true });
  if (origin === undefined) return { file, mtimeMs: 0, origin: "empty" };
  const opened = { file, ...origin };
  await writeIndex(opened, serializeIndex(origin.content, algorithm));
  return opened;
}

type Origin = Pick<Required<OpenedIndex>, "content" | "mtimeMs" | "origin">;

async function newestOwn({ store, algorithm }: Root): Promise<Origin | undefined> {
  for (const { file } of store.indexes()) {
    const dated = await datedFile(file),
      content = dated && parseIndex(dated.bytes, algorithm);
    if (content) return { content, mtimeMs: dated.mtimeMs, origin: "own" };
  }
  return undefined;
}

async function usersIndex({ repository, algorithm, prefix }: Root): Promise<Origin | undefined> {
  const dated = repository && (await datedFile(path.join(repository.gitFolder, "index"))),
    content = dated && parseIndex(dated.bytes, algorithm);
  if (!content) return undefined;
  const isInside = ({ path: entry }: IndexEntry): boolean => entry.startsWith(prefix),
    whole = content.entries.every(isInside);
  return {
    content: whole ? content : { bytes: content.bytes, entries: content.entries.filter(isInside) },
    mtimeMs: dated.mtimeMs,
    origin: "user",
  };
}

/** Removes entries. Git then lists and hashes their files as new ones. */
export async function removeEntries(
  opened: OpenedIndex,
  entries: ReadonlySet<IndexEntry>,
  { algorithm }: Root,
): Promise<void> {
  if (opened.content === undefined || entries.size === 0) return;
  await writeIndex(
    opened,
    serializeIndex(opened.content, algorithm, entry => !entries.has(entry)),
  );
}

async function writeIndex({ file, mtimeMs }: OpenedIndex, bytes: Buffer): Promise<void> {
  const temporary = `${file}.new`,
    // A millisecond earlier, because the time is stored as a fraction with less precision.
    seconds = (mtimeMs - 1) / 1000;
  await writeFile(temporary, bytes);
  await utimes(temporary, seconds, seconds);
  await rename(temporary, file);
}

export async function unprovenEntries(
  { content, origin }: OpenedIndex,
  root: Root,
  git: Git,
  env: Readonly<Record<string, string>>,
): Promise<ReadonlySet<IndexEntry>> {
  if (content === undefined || content.entries.length === 0) return new Set();
  const { entries } = content;
  const [sizes, attributed] = await Promise.all([
    git
      .run({
        args: ["cat-file", "--batch-check=%(objectsize)", "--buffer"],
        cwd: root.workTree,
        env,
        input: Buffer.from(entries.map(entry => `${oidOf(content, entry, root.algorithm)}\n`).join(""), "latin1"),
      })
      .then(({ stdout }) => parseSizes(stdout)),
    // Own entries were hashed without conversion, or proved earlier.
    origin === "user" ? attributedPaths(entries, root, git) : new Set<ByteString>(),
  ]);
  return new Set(
    entries.filter((entry, i) => {
      const size = sizes[i];
      if (size === undefined) return true; // the object is missing
      return !entry.isLink && (size % 2 ** 32 !== entry.size || attributed.has(entry.path));
    }),
  );
}

/** Paths with an attribute that can convert bytes without a change of the size. */
async function attributedPaths(
  entries: readonly IndexEntry[],
  { workTree, repository, attributes }: Root,
  git: Git,
): Promise<ReadonlySet<ByteString>> {
  if (repository === undefined) return new Set();
  const files = entries.filter(({ path: entry }) => /(?:^|\/)\.gitattributes$/.test(entry)),
    texts = await Promise.all(
      files.map(({ path: entry }) => configurationText(path.join(workTree, Buffer.from(entry, "latin1").toString()))),
    );
  if (![...attributes, ...texts].some(text => text !== undefined && canConvert(text))) return new Set();
  const { stdout } = await git.runAsUser({
    ...userCommand(repository, ["check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding"]),
    input: Buffer.from(entries.map(({ path: entry }) => `${entry}\0`).join(""), "latin1"),
  });
  return parseAttributed(stdout);
}

/** Number of entries of an index file, from its header. Zero if the file does not exist. */
export async function entryCount(file: string): Promise<number> {
  const header = Buffer.alloc(12);
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return 0;
  try {
    const { bytesRead } = await handle.read(header, 0, header.length, 0);
    return bytesRead === header.length ? header.readUInt32BE(8) : 0;
  } finally {
    await handle.close();
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
