/**
 * Writes a recorded state of a file to the disk, unless the file has another state than the caller expects.
 *
 * Invariants:
 * - Bytes that are in no snapshot and that the caller does not name are never replaced or deleted.
 * - A file is replaced by one rename, so other programs never read a part of it.
 * - No path leads out of the root through a link, or into a folder `.git`.
 */
import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import {
  chmod,
  link,
  lstat,
  mkdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "../../../src/protocol/wire/errors";
import { EXECUTABLE_MODE, FILE_MODE, LINK_MODE, sameState, type FileState, type RootPath } from "./file-state";
import type { HashAlgorithm } from "./index-file";
import { isAbsence } from "./listed-files";
import { objectId } from "./loose-objects";
import { pathFault } from "./safe-path";

export type Refusal =
  /** The file has another state than expected. `found`: its state, absent if it does not exist. */
  | { readonly why: "changed"; readonly found?: FileState }
  /** A folder with files, or a socket, pipe or device, is at the path. */
  | { readonly why: "occupied" }
  /** A folder of the path is a link or a file. */
  | { readonly why: "outside" }
  /** The path is not relative, or names a folder `.git`, or is invalid on this system. */
  | { readonly why: "path" }
  /** The content is not available any more. */
  | { readonly why: "missing" }
  /** The system refused. `message`: its text. */
  | { readonly why: "failed"; readonly message: string };

export type Restored = { readonly kind: "restored" } | ({ readonly kind: "refused" } & Refusal);

export interface RestoreRequest {
  /** Real path of the root. */
  readonly folder: string;
  readonly path: RootPath;
  /** Undefined: the file is deleted, and folders that are empty then. */
  readonly state: FileState | undefined;
  /** Content of `state`. Undefined if it is missing. */
  readonly bytes: Uint8Array | undefined;
  /** The state of the file on disk. Undefined: no file. */
  readonly expected: FileState | undefined;
  readonly algorithm: HashAlgorithm;
  /** Whether the file system has the mode "executable". */
  readonly hasModes: boolean;
  readonly platform: string;
}

/** Never rejects. */
export async function restoreFile(request: RestoreRequest): Promise<Restored> {
  try {
    return await restore(request);
  } catch (error) {
    return refused({ why: "failed", message: errorMessage(error) });
  }
}

/** The state of a file on disk. `stats`: to detect later changes without reading. Undefined: no file. */
export async function stateOnDisk(
  file: string,
  algorithm: HashAlgorithm,
): Promise<{ readonly state: FileState; readonly stats: Stats } | "folder" | "special" | undefined> {
  const stats = await statsOf(file);
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) return "folder";
  if (stats.isSymbolicLink())
    return { state: { mode: LINK_MODE, oid: objectId("blob", await linkTarget(file), algorithm) }, stats };
  if (!stats.isFile()) return "special";
  const isExecutable = (stats.mode & 0o100) !== 0;
  return {
    state: { mode: isExecutable ? EXECUTABLE_MODE : FILE_MODE, oid: objectId("blob", await readFile(file), algorithm) },
    stats,
  };
}

async function restore(request: RestoreRequest): Promise<Restored> {
  const { folder, state, bytes, expected, algorithm, hasModes, platform } = request;
  if (pathFault(request.path, platform) !== undefined) return refused({ why: "path" });
  if (state !== undefined && bytes === undefined) return refused({ why: "missing" });
  const names = request.path.split("/"),
    file = path.join(folder, ...names);
  if (!(await hasRealParents(folder, names))) return refused({ why: "outside" });
  const found = await stateOnDisk(file, algorithm);
  if (found === "special") return refused({ why: "occupied" });
  if (found === "folder") {
    if (expected !== undefined) return refused({ why: "changed" });
    if (state === undefined) return { kind: "restored" };
    // Only an empty folder can be removed.
    if (!(await rmdir(file).then(yes, no))) return refused({ why: "occupied" });
  } else if (!isExpected(found?.state, expected, hasModes))
    return refused({ why: "changed", ...(found === undefined ? {} : { found: found.state }) });
  const stats = found === "folder" ? undefined : found?.stats;
  if (state === undefined) return stats === undefined ? { kind: "restored" } : remove(file, stats, request);
  await mkdir(path.dirname(file), { recursive: true });
  return replace(file, stats, state, bytes ?? new Uint8Array());
}

async function remove(file: string, stats: Stats, { path: rootPath }: RestoreRequest): Promise<Restored> {
  if (!(await isUnchanged(file, stats))) return refused({ why: "changed" });
  await unlink(file);
  // Removes empty folders, as git does.
  for (let depth = rootPath.split("/").length - 1, parent = path.dirname(file); depth > 0; depth--) {
    if (!(await rmdir(parent).then(yes, no))) break;
    parent = path.dirname(parent);
  }
  return { kind: "restored" };
}

async function replace(file: string, stats: Stats | undefined, state: FileState, bytes: Uint8Array): Promise<Restored> {
  const temporary = path.join(path.dirname(file), `.symposium-${randomBytes(6).toString("hex")}.tmp`);
  try {
    if (state.mode === LINK_MODE) await symlink(Buffer.from(bytes), temporary);
    else {
      await writeFile(temporary, bytes, { flag: "wx" });
      await chmod(temporary, modeOf(state, stats, (await lstat(temporary)).mode));
    }
    if (stats === undefined) {
      if (!(await moveToFree(temporary, file))) return refused({ why: "changed" });
    } else if (!(await isUnchanged(file, stats))) return refused({ why: "changed" });
    else await rename(temporary, file);
    return { kind: "restored" };
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Permissions of the replaced file, or of a new one, with or without execution. */
function modeOf({ mode }: FileState, replaced: Stats | undefined, created: number): number {
  const base = (replaced?.isFile() ? replaced.mode : created) & 0o777;
  // Readers may execute the file, as git does.
  return mode === EXECUTABLE_MODE ? base | ((base & 0o444) >> 2) : base & ~0o111;
}

/** Never replaces a file that appeared in the meantime, where the file system has hard links. */
async function moveToFree(temporary: string, file: string): Promise<boolean> {
  try {
    await link(temporary, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
  }
  if ((await statsOf(file)) !== undefined) return false;
  await rename(temporary, file);
  return true;
}

async function isUnchanged(file: string, stats: Stats): Promise<boolean> {
  const now = await statsOf(file);
  return (
    now !== undefined &&
    now.ino === stats.ino &&
    now.size === stats.size &&
    now.mtimeMs === stats.mtimeMs &&
    now.ctimeMs === stats.ctimeMs
  );
}

/** Each existing folder above the file is a real folder. */
export async function hasRealParents(folder: string, names: readonly string[]): Promise<boolean> {
  for (let depth = 0; depth < names.length; depth++) {
    const stats = await statsOf(path.join(folder, ...names.slice(0, depth)));
    if (stats === undefined) return depth > 0 || isBelowRealFolder(folder);
    if (!stats.isDirectory()) return false;
  }
  return true;
}

/** A removed root can be created again at its real path. */
async function isBelowRealFolder(folder: string): Promise<boolean> {
  const parent = path.dirname(folder),
    real = await realpath(parent).catch(() => undefined);
  return real === undefined ? parent !== folder && isBelowRealFolder(parent) : real === parent;
}

function isExpected(found: FileState | undefined, expected: FileState | undefined, hasModes: boolean): boolean {
  if (hasModes) return sameState(found, expected);
  return found?.oid === expected?.oid && (found?.mode === LINK_MODE) === (expected?.mode === LINK_MODE);
}

async function statsOf(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

export function linkTarget(file: string): Promise<Buffer> {
  return readlink(file, { encoding: "buffer" });
}

function refused(refusal: Refusal): Restored {
  return { kind: "refused", ...refusal };
}

const yes = (): boolean => true,
  no = (): boolean => false;
