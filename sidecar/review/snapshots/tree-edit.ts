/**
 * Computes the tree of a folder after changes of some files, from the trees of its changed folders only. A tree has
 * git's format: MODE SPACE NAME NUL ID per entry, sorted by name, where the name of a folder ends with `/`. Pure.
 */
import type { FileState, Oid } from "./file-state";
import type { ByteString } from "./git-output";
import { HASH_BYTES, type HashAlgorithm } from "./index-file";
import { objectId } from "./loose-objects";

/** Paths relative to the folder, each with its new state. Undefined: the file does not exist any more. */
export type FileEdits = ReadonlyMap<ByteString, FileState | undefined>;

export interface EditedTree {
  readonly tree: Oid;
  /** The contents of all trees that may be new. */
  readonly trees: readonly Buffer[];
}

interface Entry {
  readonly mode: string;
  readonly oid: Oid;
}

/** The edits of one folder by name, and those of the folders in it. */
interface FolderEdits {
  readonly files: Map<ByteString, FileState | undefined>;
  readonly folders: Map<ByteString, FolderEdits>;
}

const FOLDER_MODE = "40000";

/** The folders of these files, whose trees `editTree` reads if they exist. The outermost one has an empty path. */
export function foldersOf(paths: Iterable<ByteString>): ReadonlySet<ByteString> {
  const folders = new Set<ByteString>([""]);
  for (const path of paths)
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) folders.add(path.slice(0, end));
  return folders;
}

/**
 * `trees`: the contents of the trees of `foldersOf(edits)`, as far as these folders exist. Undefined if a tree of an
 * existing folder is missing. A file replaces a folder of the same name, and a folder with files replaces a file.
 */
export function editTree(
  trees: ReadonlyMap<ByteString, Buffer>,
  edits: FileEdits,
  algorithm: HashAlgorithm,
): EditedTree | undefined {
  const edited = new Map<Oid, Buffer>();
  const editFolder = (path: ByteString, { files, folders }: FolderEdits): Oid | undefined => {
    const content = trees.get(path);
    if (content === undefined && path === "") return undefined;
    const entries = content === undefined ? new Map<ByteString, Entry>() : parseTree(content, algorithm);
    for (const [name, state] of files)
      if (state === undefined && entries.get(name)?.mode !== FOLDER_MODE) entries.delete(name);
    for (const [name, inside] of folders) {
      const place = path === "" ? name : `${path}/${name}`,
        before = entries.get(name);
      if (before?.mode === FOLDER_MODE && !trees.has(place)) return undefined;
      const oid = editFolder(place, inside);
      if (oid === undefined) return undefined;
      if (oid !== emptyTree(algorithm)) entries.set(name, { mode: FOLDER_MODE, oid });
      else if (before?.mode === FOLDER_MODE) entries.delete(name);
    }
    for (const [name, state] of files) if (state !== undefined) entries.set(name, state);
    const bytes = serializeTree(entries),
      oid = objectId("tree", bytes, algorithm);
    edited.set(oid, bytes);
    return oid;
  };
  const tree = editFolder("", nested(edits));
  return tree === undefined ? undefined : { tree, trees: [...edited.values()] };
}

const emptyTree = (algorithm: HashAlgorithm): Oid => objectId("tree", new Uint8Array(), algorithm);

function nested(edits: FileEdits): FolderEdits {
  const root: FolderEdits = { files: new Map(), folders: new Map() };
  for (const [path, state] of edits) {
    const names = path.split("/"),
      file = names.pop() ?? "";
    let folder = root;
    for (const name of names) {
      const inner = folder.folders.get(name) ?? { files: new Map(), folders: new Map() };
      folder.folders.set(name, inner);
      folder = inner;
    }
    folder.files.set(file, state);
  }
  return root;
}

function parseTree(bytes: Buffer, algorithm: HashAlgorithm): Map<ByteString, Entry> {
  const entries = new Map<ByteString, Entry>(),
    hash = HASH_BYTES[algorithm];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(" ", at),
      end = bytes.indexOf(0, space);
    entries.set(bytes.toString("latin1", space + 1, end), {
      mode: bytes.toString("latin1", at, space),
      oid: bytes.toString("hex", end + 1, end + 1 + hash),
    });
    at = end + 1 + hash;
  }
  return entries;
}

function serializeTree(entries: ReadonlyMap<ByteString, Entry>): Buffer {
  const sorted = [...entries]
    .map(([name, entry]) => ({ name, entry, key: entry.mode === FOLDER_MODE ? `${name}/` : name }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  return Buffer.concat(
    sorted.flatMap(({ name, entry: { mode, oid } }) => [
      Buffer.from(`${mode} ${name}\0`, "latin1"),
      Buffer.from(oid, "hex"),
    ]),
  );
}
