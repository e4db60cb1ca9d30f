/**
 * The index of this process: git's record of the files of a root, with their status on disk. It begins as a copy of the
 * newest index of any process, or of the user's index, so that unchanged files are not read.
 *
 * Invariants:
 * - The user's index is only read.
 * - A copy has the time of its origin. Git compares the content of files that changed at that time or later.
 * - Git considers a file with converted line endings or a filter unchanged, but its object has other bytes.
 *   `unprovenEntries` returns these entries if the settings allow conversions. If they allow none, such files
 *   only exist if the settings have changed since the checkout. `doubtfulEntries` then finds them when they change.
 */
import { open, rename, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { conversionIn, strongest, type Conversion } from "./conversions";
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
  store.removeBeside(pid);
  const origin = (root.isContinued ? await newestOwn(root) : undefined) ?? (await usersIndex(root));
  for (const other of store.indexes())
    if (other.pid !== pid && !isAlive(other.pid)) {
      await rm(other.file, { force: true });
      store.removeBeside(other.pid);
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
    whole = prefix === "" || content.entries.every(isInside);
  if (whole) return { content, mtimeMs: dated.mtimeMs, origin: "user" };
  const inside = parseIndex(serializeIndex(content, algorithm, isInside), algorithm);
  return inside && { content: inside, mtimeMs: dated.mtimeMs, origin: "user" };
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

/** Entries without an object, and those whose bytes on disk may differ from it. */
export async function unprovenEntries(
  { content, origin }: OpenedIndex,
  root: Root,
  git: Git,
  env: Readonly<Record<string, string>>,
): Promise<ReadonlySet<IndexEntry>> {
  if (content === undefined || content.count === 0) return new Set();
  // Own entries were hashed without conversion, or proved. Only the user's repository can have lost their objects.
  if (origin === "own") return (await doubtfulEntries(content, await notOfUser(content, root), root, git, env)).missing;
  const conversion = await conversionFor(content, root);
  if (conversion === "none") return new Set();
  const { entries } = content;
  const [{ missing, converted }, attributed] = await Promise.all([
    doubtfulEntries(content, entries, root, git, env),
    conversion === "bytes" ? attributedPaths(entries, root, git) : new Set<ByteString>(),
  ]);
  return new Set([...missing, ...converted, ...entries.filter(entry => !entry.isLink && attributed.has(entry.path))]);
}

async function notOfUser(content: IndexFile, { repository, algorithm }: Root): Promise<readonly IndexEntry[]> {
  if (repository === undefined) return content.entries;
  const dated = await datedFile(path.join(repository.gitFolder, "index")),
    user = dated && parseIndex(dated.bytes, algorithm);
  return user ? content.notIn(user) : content.entries;
}

/** `missing`: entries without an object. `converted`: the object has another size than the file had. */
export interface DoubtfulEntries {
  readonly missing: ReadonlySet<IndexEntry>;
  readonly converted: ReadonlySet<IndexEntry>;
}

export async function doubtfulEntries(
  content: IndexFile,
  entries: readonly IndexEntry[],
  { algorithm, workTree }: Root,
  git: Git,
  env: Readonly<Record<string, string>>,
): Promise<DoubtfulEntries> {
  const missing = new Set<IndexEntry>(),
    converted = new Set<IndexEntry>();
  if (entries.length === 0) return { missing, converted };
  const { stdout } = await git.run({
    args: ["cat-file", "--batch-check=%(objectsize)", "--buffer"],
    cwd: workTree,
    env,
    input: Buffer.from(entries.map(entry => `${oidOf(content, entry, algorithm)}\n`).join(""), "latin1"),
  });
  for (const [i, size] of parseSizes(stdout).entries()) {
    const entry = entries[i];
    if (entry === undefined) break;
    if (size === undefined) missing.add(entry);
    else if (!entry.isLink && size % 2 ** 32 !== entry.size) converted.add(entry);
  }
  return { missing, converted };
}

/** The conversions that the settings of the root allow. */
async function conversionFor(content: IndexFile, { workTree, conversion }: Root): Promise<Conversion> {
  // Names of version 4 are compressed.
  const isAbsent = content.end !== undefined && !content.bytes.includes(".gitattributes\0", 0, "latin1"),
    files = isAbsent ? [] : content.entries.filter(({ path: entry }) => /(?:^|\/)\.gitattributes$/.test(entry));
  const texts = await Promise.all(
    files.map(({ path: entry }) => configurationText(path.join(workTree, Buffer.from(entry, "latin1").toString()))),
  );
  return strongest([conversion, ...texts.map(text => conversionIn(text ?? ""))]);
}

/** Paths with an attribute that can convert bytes without a change of the size. */
async function attributedPaths(
  entries: readonly IndexEntry[],
  { repository }: Root,
  git: Git,
): Promise<ReadonlySet<ByteString>> {
  if (repository === undefined) return new Set();
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
