/**
 * Parsers of git's output. Paths are byte strings here: one character (U+0000 to U+00FF) per byte, because a path can
 * be any sequence of bytes. Pure.
 */
import { isFileMode, type FileChange, type LeftOut, type Oid } from "./file-state";

/** One character per byte of a path. */
export type ByteString = string;

/** The text of a path, or undefined if its bytes are not UTF-8. */
export function decodePath(bytes: ByteString): string | undefined {
  if (/^[\x00-\x7f]*$/.test(bytes)) return bytes;
  try {
    return UTF8.decode(Buffer.from(bytes, "latin1"));
  } catch {
    return undefined;
  }
}
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encodePath(path: string): ByteString {
  return Buffer.from(path).toString("latin1");
}

/** A readable text for a path of any bytes. */
export function displayedPath(bytes: ByteString): string {
  return Buffer.from(bytes, "latin1").toString();
}

/** The records of output that ends each record with NUL. A last record without NUL is incomplete and omitted. */
export function nulSeparated(output: Buffer): ByteString[] {
  const records = output.toString("latin1").split("\0");
  records.pop();
  return records;
}

export interface TreeDifference {
  readonly files: readonly FileChange[];
  /** Changed paths that cannot be shown, because their bytes are not UTF-8. */
  readonly leftOut: readonly LeftOut[];
  /** All objects that differ between the trees, of files and folders. */
  readonly oids: readonly Oid[];
}

/** Modes in git's trees: the commit of another repository, and the missing side of a change. */
const COMMIT = "160000",
  NONE = "000000";

/** Parses `diff-tree -r -t -z --raw --no-renames`. Throws if the output has another form. */
export function parseTreeDifference(output: Buffer): TreeDifference {
  const records = nulSeparated(output),
    files: FileChange[] = [],
    leftOut: LeftOut[] = [],
    oids = new Set<Oid>();
  for (let i = 0; i + 1 < records.length; i += 2) {
    const [, modeBefore = "", modeAfter = "", before = "", after = ""] = RAW.exec(records[i] ?? "") ?? [];
    if (after === "") throw new Error(`git printed an unknown difference: ${records[i] ?? ""}`);
    for (const [mode, oid] of [
      [modeBefore, before],
      [modeAfter, after],
    ] as const)
      if (mode !== NONE && mode !== COMMIT) oids.add(oid);
    const states = {
      ...(isFileMode(modeBefore) ? { before: { mode: modeBefore, oid: before } } : {}),
      ...(isFileMode(modeAfter) ? { after: { mode: modeAfter, oid: after } } : {}),
    };
    if (states.before === undefined && states.after === undefined) continue;
    const bytes = records[i + 1] ?? "",
      path = decodePath(bytes);
    if (path === undefined) leftOut.push({ path: displayedPath(bytes), why: "name" });
    else files.push({ path, ...states });
  }
  return { files: joined(files), leftOut, oids: [...oids] };
}

const RAW = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*$/;

/** A file that replaced a repository has two records. Each path is one change. */
function joined(files: readonly FileChange[]): readonly FileChange[] {
  const byPath = new Map<string, FileChange>();
  for (const file of files) byPath.set(file.path, { ...byPath.get(file.path), ...file });
  return [...byPath.values()];
}

export interface ReadObject {
  readonly oid: Oid;
  /** `blob` or `tree`. */
  readonly kind: string;
  readonly bytes: Buffer;
}

/** Parses `cat-file --batch`. Missing objects are omitted. */
export function parseObjects(output: Buffer): readonly ReadObject[] {
  return parseRequestedObjects(output).filter(object => object !== undefined);
}

/** Parses `cat-file --batch`: one object per request, undefined if missing. */
export function parseRequestedObjects(output: Buffer): readonly (ReadObject | undefined)[] {
  const objects: (ReadObject | undefined)[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf("\n", at);
    if (end === -1) break;
    const [, oid = "", kind = "", size] = HEADER.exec(output.toString("latin1", at, end)) ?? [];
    at = end + 1;
    if (size === undefined) {
      objects.push(undefined);
      continue;
    }
    const bytes = output.subarray(at, at + Number(size));
    if (bytes.length < Number(size)) break;
    objects.push({ oid, kind, bytes });
    at += Number(size) + 1;
  }
  return objects;
}
const HEADER = /^([0-9a-f]+) (\w+) (\d+)$/;

/** Parses `cat-file --batch-check='%(objectsize)'`: one size in bytes per requested object, undefined if missing. */
export function parseSizes(output: Buffer): readonly (number | undefined)[] {
  return output
    .toString("latin1")
    .split("\n")
    .slice(0, -1)
    .map(line => (/^\d+$/.test(line) ? Number(line) : undefined));
}

/** Parses `check-attr -z --stdin`. Returns the paths with an attribute that is neither unspecified nor unset. */
export function parseAttributed(output: Buffer): ReadonlySet<ByteString> {
  const records = nulSeparated(output),
    paths = new Set<ByteString>();
  for (let i = 0; i + 2 < records.length; i += 3)
    if (!["unspecified", "unset"].includes(records[i + 2] ?? "")) paths.add(records[i] ?? "");
  return paths;
}

/** Parses `config -z --list`. Keys are in lower case, except for subsections. The last value of a key is valid. */
export function parseConfig(output: Buffer): ReadonlyMap<string, string> {
  return new Map(
    output
      .toString()
      .split("\0")
      .filter(record => record !== "")
      .map(record => {
        const end = record.indexOf("\n");
        // A key without a value means true.
        return end === -1 ? [record, "true"] : [record.slice(0, end), record.slice(end + 1)];
      }),
  );
}

/** Parses `--version`. Undefined if git printed something else. */
export function parseVersion(output: string): readonly [major: number, minor: number] | undefined {
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(output) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
}
