/**
 * Reads and writes git's index file (gitformat-index(5), versions 2 to 4). Git itself can neither move an index to
 * another root nor remove many entries of it at a low cost. Pure.
 *
 * Only regular entries are read: unmerged, sparse and intent-to-add entries and those of other repositories are
 * omitted. Their files are hashed again like new ones. The flags "assume unchanged" and "skip worktree" are reset,
 * because a snapshot records the bytes on disk.
 */
import { createHash } from "node:crypto";
import { EXECUTABLE_MODE, FILE_MODE, LINK_MODE, type Oid } from "./file-state";
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
  readonly entries: readonly IndexEntry[];
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
  ASSUME_UNCHANGED = 0x8000;
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

function parseEntries(
  bytes: Buffer,
  { version, count, hash }: { readonly version: number; readonly count: number; readonly hash: number },
): IndexFile | undefined {
  const entries: IndexEntry[] = [];
  let at = HEADER_BYTES,
    path: ByteString = "",
    isWhole = true;
  for (let i = 0; i < count; i++) {
    const flagsAt = at + STAT_BYTES + hash,
      flags = bytes.readUInt16BE(flagsAt),
      extended = flags & EXTENDED ? bytes.readUInt16BE(flagsAt + 2) : 0,
      nameAt = flagsAt + (flags & EXTENDED ? 4 : 2);
    const name = version === 4 ? compressedName(bytes, nameAt, path) : plainName(bytes, nameAt);
    path = name.path;
    const mode = bytes.readUInt32BE(at + MODE_AT),
      isRead = (flags & STAGE) === 0 && (extended & (SKIP_WORKTREE | INTENT_TO_ADD)) === 0 && MODES.has(mode);
    if (isRead) entries.push({ path, at, size: bytes.readUInt32BE(at + SIZE_AT), isLink: mode === LINK });
    isWhole &&= isRead && (flags & ASSUME_UNCHANGED) === 0;
    // Entries of versions 2 and 3 are padded with 1 to 8 NUL bytes.
    at = version === 4 ? name.end + 1 : at + Math.ceil((name.end + 1 - at) / 8) * 8;
  }
  const extensions = extensionsOf(bytes, at, bytes.length - hash);
  if (extensions === undefined || extensions.has("link")) return undefined;
  const trees = isWhole ? extensions.get("TREE") : undefined;
  return {
    bytes,
    entries,
    ...(isWhole && version === 2 ? { end: at } : {}),
    ...(trees === undefined ? {} : { trees }),
  };
}

interface Name {
  readonly path: ByteString;
  /** Position of the final NUL. */
  readonly end: number;
}

function plainName(bytes: Buffer, at: number): Name {
  const end = bytes.indexOf(0, at);
  if (end === -1) throw new RangeError("The index ends in a name.");
  return { path: bytes.toString("latin1", at, end), end };
}

/** Version 4 stores the number of characters to remove from the previous path, and the characters to append. */
function compressedName(bytes: Buffer, at: number, previous: ByteString): Name {
  let byte = bytes.readUInt8(at++),
    removed = byte & 0x7f;
  while (byte & 0x80) {
    byte = bytes.readUInt8(at++);
    removed = ((removed + 1) << 7) + (byte & 0x7f);
  }
  const { path, end } = plainName(bytes, at);
  return { path: previous.slice(0, previous.length - removed) + path, end };
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

/** The entries for which `isIncluded` returns true, as a file of version 2. */
export function serializeIndex(
  { bytes, entries, end, trees }: IndexFile,
  algorithm: HashAlgorithm,
  isIncluded: (entry: IndexEntry) => boolean = () => true,
): Buffer {
  const included = entries.filter(isIncluded),
    isComplete = included.length === entries.length,
    header = Buffer.alloc(HEADER_BYTES);
  header.write("DIRC", "latin1");
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(included.length, 8);
  const content = Buffer.concat([
    header,
    isComplete && end !== undefined
      ? bytes.subarray(HEADER_BYTES, end)
      : entryBytes(bytes, included, HASH_BYTES[algorithm]),
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
    result.writeUInt16BE(Math.min(entry.path.length, 0xfff), at + STAT_BYTES + hash);
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
