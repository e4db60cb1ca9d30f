/** Decides which of the files that git lists are recorded. Pure, except for `statusOf`. */
import { accessSync, constants, lstatSync } from "node:fs";
import type { LeftOut, LeftOutReason } from "./file-state";
import { decodePath, displayedPath, type ByteString } from "./git-output";

export interface Limits {
  /** Size of the largest recorded file. */
  readonly maxFileBytes: number;
  /** Number and total size of the files of a root that its repository does not contain. */
  readonly maxFiles: number;
  readonly maxBytes: number;
  /** Number of roots of a snapshot, with nested repositories. */
  readonly maxRoots: number;
}

export const DEFAULT_LIMITS: Limits = {
  maxFileBytes: 5 * 1024 * 1024,
  maxFiles: 50_000,
  maxBytes: 1024 * 1024 * 1024,
  maxRoots: 20,
};

/** Maximum length of `leftOut`. Further files are counted only. */
export const MAX_LISTED = 1_000;

export type FileStatus =
  | { readonly kind: "file"; readonly size: number }
  | { readonly kind: "link" | "folder" | "absent" | "special" | "unreadable" };

/** `file`: absolute, as bytes. */
export function statusOf(file: Buffer): FileStatus {
  try {
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) return { kind: "link" };
    if (stats.isDirectory()) return { kind: "folder" };
    if (!stats.isFile()) return { kind: "special" };
    accessSync(file, constants.R_OK);
    return { kind: "file", size: stats.size };
  } catch (error) {
    return { kind: isAbsence(error) ? "absent" : "unreadable" };
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

export interface ListedFiles {
  /** Recorded files whose bytes or mode differ from the index. */
  readonly modified: readonly ByteString[];
  /** Files that are not in the index. A path that ends with `/` is a nested repository. */
  readonly others: readonly ByteString[];
}

export interface SelectedFiles {
  /** Removed from the index first, because a file and a folder of one name exclude each other. */
  readonly removed: readonly ByteString[];
  readonly added: readonly ByteString[];
  readonly nested: readonly ByteString[];
  readonly leftOut: readonly LeftOut[];
  /** Number and size of the added files that were not in the index. */
  readonly growth: { readonly files: number; readonly bytes: number };
}

/** `remaining`: the files and bytes that may still be added. `statuses`: of each path that does not end with `/`. */
export function selectFiles(
  { modified, others }: ListedFiles,
  statuses: (path: ByteString) => FileStatus,
  remaining: { readonly files: number; readonly bytes: number },
  { maxFileBytes }: Pick<Limits, "maxFileBytes">,
): SelectedFiles {
  const removed: ByteString[] = [],
    added: ByteString[] = [],
    nested: ByteString[] = [],
    leftOut: LeftOut[] = [];
  let files = 0,
    bytes = 0;
  const omit = (path: ByteString, why: LeftOutReason): void => {
    leftOut.push({ path: decodePath(path) ?? displayedPath(path), why });
  };
  for (const path of new Set(modified)) {
    const status = statuses(path);
    if (status.kind === "absent" || status.kind === "folder") removed.push(path);
    else {
      const why = faultOf(path, status, maxFileBytes);
      if (why === undefined) added.push(path);
      else omit(path, why);
    }
  }
  for (const path of others) {
    if (path.endsWith("/")) {
      if (decodePath(path) === undefined) omit(path, "name");
      else nested.push(path.slice(0, -1));
      continue;
    }
    const status = statuses(path);
    if (status.kind === "absent" || status.kind === "folder") continue; // deleted since git listed it
    const size = status.kind === "file" ? status.size : 0,
      why =
        faultOf(path, status, maxFileBytes) ??
        (files + 1 > remaining.files || bytes + size > remaining.bytes ? "tooMany" : undefined);
    if (why !== undefined) {
      omit(path, why);
      continue;
    }
    added.push(path);
    files++;
    bytes += size;
  }
  return { removed, added, nested, leftOut, growth: { files, bytes } };
}

function faultOf(path: ByteString, status: FileStatus, maxFileBytes: number): LeftOutReason | undefined {
  if (decodePath(path) === undefined) return "name";
  if (status.kind === "special" || status.kind === "unreadable") return status.kind;
  return status.kind === "file" && status.size > maxFileBytes ? "tooLarge" : undefined;
}
