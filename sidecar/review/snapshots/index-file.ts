/**
 * Reads and writes git's index file (gitformat-index(5), versions 2 to 4). Git itself can neither move an index to
 * another root nor remove many entries of it at a low cost. Pure.
 *
 * Only regular entries are read: unmerged, sparse and intent-to-add entries and those of other repositories are
 * omitted. Their files are hashed again like new ones. The flags "assume unchanged" and "skip worktree" are reset,
 * because a snapshot records the bytes on disk.
 */
import { createHash } from "node:crypto";
import { EXECUTABLE_MODE, FILE_MODE, isFileMode, LINK_MODE, type FileState, type Oid } from "./file-state";
import type { ByteString } from "./git-output";

export type HashAlgorithm = "sha1" | "sha256";

export interface IndexEntry {
  readonly path: ByteString;
  /** Size of the file when it was recorded, modulo 2³². */
  readonly size: number;
  readonly isLink: boolean;
  /** Position of the stat data, which are followed by the object id. */
  readonly at: number;
}

export interface IndexFile {
  readonly bytes: Buffer;
  /** Number of entries. */
  readonly count: number;
  /** Created on demand, because an index can have 100,000 of them. */
  readonly entries: readonly IndexEntry[];
  /** The entries with these paths. */
  find(paths: ReadonlySet<ByteString>): readonly IndexEntry[];
  /** The entries that `other` does not have with the same path and object. */
  notIn(other: IndexFile): readonly IndexEntry[];
  /** Begins before the first entry. */
  cursor(): Cursor;
  /** End of the entries in `bytes`. Absent if they cannot be copied as they are. */
  readonly end?: number;
  /** Content of the extension with the trees of unchanged folders. Absent if it does not belong to these entries. */
  readonly trees?: Buffer;
}

export const HASH_BYTES: Readonly<Record<HashAlgorithm, number>> = { sha1: 20, sha256: 32 };
const HEADER_BYTES = 12,
  STAT_BYTES = 40;
const SIZE_AT = 36,
  MODE_AT = 24;
const EXTENDED = 0x4000,
  STAGE = 0x3000,
  ASSUME_UNCHANGED = 0x8000,
  NAME_LENGTH = 0xfff;
const SKIP_WORKTREE = 0x4000,
  INTENT_TO_ADD = 0x2000;
const MODES = new Set([FILE_MODE, EXECUTABLE_MODE, LINK_MODE].map(mode => Number.parseInt(mode, 8)));
const LINK = Number.parseInt(LINK_MODE, 8);

/** Undefined for a file with another form: damaged, of an unknown version, or split into two files. */
export function parseIndex(bytes: Buffer, algorithm: HashAlgorithm): IndexFile | undefined {
  const hash = HASH_BYTES[algorithm];
  if (bytes.length < HEADER_BYTES + hash || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4),
    count = bytes.readUInt32BE(8);
  if (version < 2 || version > 4) return undefined;
  try {
    return parseEntries(bytes, { version, count, hash });
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the file ends too early
    throw error;
  }
}

interface Layout {
  readonly version: number;
  readonly count: number;
  readonly hash: number;
}

function parseEntries(bytes: Buffer, layout: Layout): IndexFile | undefined {
  const cursor = new Cursor(bytes, layout);
  let count = 0,
    isWhole = true;
  while (cursor.next()) {
    if (cursor.isRegular) count++;
    isWhole &&= cursor.isRegular && (cursor.flags & ASSUME_UNCHANGED) === 0;
  }
  const extensions = extensionsOf(bytes, cursor.end, bytes.length - layout.hash);
  if (extensions === undefined || extensions.has("link")) return undefined;
  const trees = isWhole ? extensions.get("TREE") : undefined;
  let entries: readonly IndexEntry[] | undefined;
  const cursorAt = (): Cursor => new Cursor(bytes, layout);
  return {
    bytes,
    count,
    get entries() {
      return (entries ??= selected(cursorAt(), () => true));
    },
    find: paths => {
      const lengths = new Set([...paths].map(path => path.length));
      return selected(cursorAt(), found => lengths.has(found.pathLength) && paths.has(found.path));
    },
    notIn: other => {
      const theirs = other.cursor();
      let isMore = theirs.next();
      return selected(cursorAt(), own => {
        while (isMore && theirs.comparePath(own) < 0) isMore = theirs.next();
        return !(isMore && theirs.comparePath(own) === 0 && theirs.hasObjectOf(own));
      });
    },
    cursor: cursorAt,
    ...(isWhole && layout.version === 2 ? { end: cursor.end } : {}),
    ...(trees === undefined ? {} : { trees }),
  };
}

function selected(cursor: Cursor, isSelected: (cursor: Cursor) => boolean): readonly IndexEntry[] {
  const entries: IndexEntry[] = [];
  while (cursor.next())
    if (cursor.isRegular && isSelected(cursor)) {
      const { path, at, size, isLink } = cursor;
      entries.push({ path, at, size, isLink });
    }
  return entries;
}

/** Reads one entry after another, in the order of their paths. Throws `RangeError` at a premature end. */
export class Cursor {
  /** Position of the current entry. */
  at = HEADER_BYTES;
  flags = 0;
  /** Position after the current entry. */
  end = HEADER_BYTES;
  #extended = 0;
  #nameAt = 0;
  #nameEnd = 0;
  #remaining: number;
  /** In version 4, a name depends on the one before. */
  #path: ByteString | undefined;

  constructor(
    private readonly bytes: Buffer,
    private readonly layout: Layout,
  ) {
    this.#remaining = layout.count;
  }

  next(): boolean {
    if (this.#remaining-- === 0) return false;
    const { bytes, layout } = this,
      at = (this.at = this.end),
      flagsAt = at + STAT_BYTES + layout.hash;
    this.flags = bytes.readUInt16BE(flagsAt);
    this.#extended = this.flags & EXTENDED ? bytes.readUInt16BE(flagsAt + 2) : 0;
    this.#nameAt = flagsAt + (this.flags & EXTENDED ? 4 : 2);
    if (layout.version === 4) {
      const { path, end } = compressedName(bytes, this.#nameAt, this.#path ?? "");
      this.#path = path;
      this.#nameEnd = end;
      this.end = end + 1;
    } else {
      const length = this.flags & NAME_LENGTH;
      this.#nameEnd = length < NAME_LENGTH ? this.#nameAt + length : endOfName(bytes, this.#nameAt);
      // Entries of versions 2 and 3 are padded with 1 to 8 NUL bytes.
      this.end = at + Math.ceil((this.#nameEnd + 1 - at) / 8) * 8;
    }
    return true;
  }

  get isRegular(): boolean {
    return (
      (this.flags & STAGE) === 0 &&
      (this.#extended & (SKIP_WORKTREE | INTENT_TO_ADD)) === 0 &&
      MODES.has(this.bytes.readUInt32BE(this.at + MODE_AT))
    );
  }
  get path(): ByteString {
    return this.#path ?? this.bytes.toString("latin1", this.#nameAt, this.#nameEnd);
  }
  get pathLength(): number {
    return this.#path?.length ?? this.#nameEnd - this.#nameAt;
  }
  /** Negative: the path of this entry is the first in order. */
  comparePath(other: Cursor): number {
    if (this.#path !== undefined || other.#path !== undefined)
      return this.path === other.path ? 0 : this.path < other.path ? -1 : 1;
    return this.bytes.compare(other.bytes, other.#nameAt, other.#nameEnd, this.#nameAt, this.#nameEnd);
  }
  /** Whether both entries are regular ones of the same object. */
  hasObjectOf(other: Cursor): boolean {
    const { hash } = this.layout,
      [own, theirs] = [this.at + STAT_BYTES, other.at + STAT_BYTES];
    return this.isRegular && this.bytes.compare(other.bytes, theirs, theirs + hash, own, own + hash) === 0;
  }
  get size(): number {
    return this.bytes.readUInt32BE(this.at + SIZE_AT);
  }
  get isLink(): boolean {
    return this.bytes.readUInt32BE(this.at + MODE_AT) === LINK;
  }
}

interface Name {
  readonly path: ByteString;
  /** Position of the final NUL. */
  readonly end: number;
}

function endOfName(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(0, at);
  if (end === -1) throw new RangeError("The index ends in a name.");
  return end;
}

/** Version 4 stores the number of characters to remove from the previous path, and the characters to append. */
function compressedName(bytes: Buffer, at: number, previous: ByteString): Name {
  let byte = bytes.readUInt8(at++),
    removed = byte & 0x7f;
  while (byte & 0x80) {
    byte = bytes.readUInt8(at++);
    removed = ((removed + 1) << 7) + (byte & 0x7f);
  }
  const end = endOfName(bytes, at);
  return { path: previous.slice(0, previous.length - removed) + bytes.toString("latin1", at, end), end };
}

function extensionsOf(bytes: Buffer, from: number, to: number): ReadonlyMap<string, Buffer> | undefined {
  const found = new Map<string, Buffer>();
  for (let at = from; at < to; ) {
    const end = at + 8 + bytes.readUInt32BE(at + 4);
    if (end > to) return undefined;
    found.set(bytes.toString("latin1", at, at + 4), bytes.subarray(at + 8, end));
    at = end;
  }
  return found;
}

export function oidOf({ bytes }: IndexFile, { at }: IndexEntry, algorithm: HashAlgorithm): Oid {
  return bytes.toString("hex", at + STAT_BYTES, at + STAT_BYTES + HASH_BYTES[algorithm]);
}

export function stateOf(index: IndexFile, entry: IndexEntry, algorithm: HashAlgorithm): FileState {
  const mode = index.bytes.readUInt32BE(entry.at + MODE_AT).toString(8);
  return { mode: isFileMode(mode) ? mode : FILE_MODE, oid: oidOf(index, entry, algorithm) };
}

/** The ids of the folders in `trees`, as far as git has computed them. */
export function treeOids(trees: Buffer, algorithm: HashAlgorithm): readonly Oid[] {
  const hash = HASH_BYTES[algorithm],
    oids: Oid[] = [];
  for (let at = 0; at < trees.length; ) {
    // NAME NUL COUNT SPACE SUBTREES LINE-FEED [ID]. A negative count has no id.
    const countAt = trees.indexOf(0, at) + 1,
      end = trees.indexOf("\n", countAt);
    if (countAt === 0 || end === -1) break;
    at = end + 1;
    if (trees[countAt] === MINUS) continue;
    oids.push(trees.toString("hex", at, at + hash));
    at += hash;
  }
  return oids;
}
const MINUS = "-".charCodeAt(0);

/** All entries, or those for which `isIncluded` returns true, as a file of version 2. */
export function serializeIndex(
  index: IndexFile,
  algorithm: HashAlgorithm,
  isIncluded?: (entry: IndexEntry) => boolean,
): Buffer {
  const { bytes, end, trees } = index;
  const included = isIncluded && index.entries.filter(isIncluded),
    count = included?.length ?? index.count,
    isComplete = count === index.count,
    header = Buffer.alloc(HEADER_BYTES);
  header.write("DIRC", "latin1");
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(count, 8);
  const content = Buffer.concat([
    header,
    isComplete && end !== undefined
      ? bytes.subarray(HEADER_BYTES, end)
      : entryBytes(bytes, included ?? index.entries, HASH_BYTES[algorithm]),
    ...(isComplete && trees !== undefined ? [extensionBytes("TREE", trees)] : []),
  ]);
  return Buffer.concat([content, createHash(algorithm).update(content).digest()]);
}

function entryBytes(bytes: Buffer, entries: readonly IndexEntry[], hash: number): Buffer {
  const fixed = STAT_BYTES + hash + 2,
    lengthOf = ({ path }: IndexEntry): number => Math.ceil((fixed + path.length + 1) / 8) * 8,
    result = Buffer.alloc(entries.reduce((sum, entry) => sum + lengthOf(entry), 0));
  let at = 0;
  for (const entry of entries) {
    bytes.copy(result, at, entry.at, entry.at + STAT_BYTES + hash);
    result.writeUInt16BE(Math.min(entry.path.length, NAME_LENGTH), at + STAT_BYTES + hash);
    result.write(entry.path, at + fixed, "latin1");
    at += lengthOf(entry);
  }
  return result;
}

function extensionBytes(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(name, "latin1");
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, content]);
}
