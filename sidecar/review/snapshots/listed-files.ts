/** Decides which of the files that git lists are recorded. Pure, except for `RealFolders`. */
import { accessSync, constants, lstatSync } from "node:fs";
import path from "node:path";
import type { LeftOut, LeftOutReason } from "./file-state";
import { hasRepositoryName } from "./safe-path";
import { decodePath, displayedPath, type ByteString } from "./git-output";

export interface Limits {
  /** Size of the largest recorded file. */
  readonly maxFileBytes: number;
  /** Number and total size of the files of a root that its repository does not contain. */
  readonly maxFiles: number;
  readonly maxBytes: number;
  /** Number of roots of a snapshot, with nested repositories. */
  readonly maxRoots: number;
  /** Number of files that are put into a tree without git's index. */
  readonly maxEdits: number;
}

export const DEFAULT_LIMITS: Limits = {
  maxFileBytes: 5 * 1024 * 1024,
  maxFiles: 50_000,
  maxBytes: 1024 * 1024 * 1024,
  maxRoots: 20,
  maxEdits: 200,
};

/** Maximum length of `leftOut`. Further files are counted only. */
export const MAX_LISTED = 1_000;

export type FileStatus =
  | { readonly kind: "file"; readonly size: number }
  | { readonly kind: "link" | "folder" | "absent" | "special" | "unreadable" };

/** The files of a folder and the folders in it, without following links. */
export class RealFolders {
  readonly #prefix: Buffer;
  /** By path: whether it is a folder and no link. */
  readonly #areReal = new Map<ByteString, boolean>();

  /** `folder`: absolute. */
  constructor(folder: string) {
    this.#prefix = Buffer.from(`${folder}${path.sep}`);
  }

  /** Whether all folders of the path are real. */
  contain(file: ByteString): boolean {
    const end = file.lastIndexOf("/"),
      folder = file.slice(0, end);
    if (end === -1) return true;
    let isReal = this.#areReal.get(folder);
    if (isReal === undefined) {
      isReal = this.contain(folder) && this.statusOf(folder).kind === "folder";
      this.#areReal.set(folder, isReal);
    }
    return isReal;
  }

  statusOf(file: ByteString): FileStatus {
    const place = Buffer.concat([this.#prefix, Buffer.from(file, "latin1")]);
    try {
      const stats = lstatSync(place);
      if (stats.isSymbolicLink()) return { kind: "link" };
      if (stats.isDirectory()) return { kind: "folder" };
      if (!stats.isFile()) return { kind: "special" };
      accessSync(place, constants.R_OK);
      return { kind: "file", size: stats.size };
    } catch (error) {
      return { kind: isAbsence(error) ? "absent" : "unreadable" };
    }
  }
}

/** Whether the file or a folder of its path does not exist. */
export function isAbsence(error: unknown): boolean {
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
  readonly addedBytes: number;
  /** The added files that were not in the index, and their size. */
  readonly growth: { readonly files: readonly ByteString[]; readonly bytes: number };
}

/** `remaining`: the files and bytes that may still be added. `statuses`: of each path that does not end with `/`. */
export function selectFiles(
  { modified, others }: ListedFiles,
  statuses: (file: ByteString) => FileStatus,
  remaining: { readonly files: number; readonly bytes: number },
  { maxFileBytes }: Pick<Limits, "maxFileBytes">,
): SelectedFiles {
  const removed: ByteString[] = [],
    added: ByteString[] = [],
    nested: ByteString[] = [],
    leftOut: LeftOut[] = [];
  const created: ByteString[] = [];
  let bytes = 0,
    addedBytes = 0;
  const omit = (file: ByteString, why: LeftOutReason): void => {
    leftOut.push({ path: decodePath(file) ?? displayedPath(file), why });
  };
  for (const file of new Set(modified)) {
    const status = statuses(file);
    if (status.kind === "absent" || status.kind === "folder") removed.push(file);
    else {
      const why = faultOf(file, status, maxFileBytes);
      if (why === undefined) {
        added.push(file);
        addedBytes += sizeOf(status);
      } else omit(file, why);
    }
  }
  for (const file of others) {
    if (file.endsWith("/")) {
      if (decodePath(file) === undefined) omit(file, "name");
      else nested.push(file.slice(0, -1));
      continue;
    }
    const status = statuses(file);
    if (status.kind === "absent" || status.kind === "folder") continue; // deleted since git listed it
    const size = sizeOf(status),
      why =
        faultOf(file, status, maxFileBytes) ??
        (created.length + 1 > remaining.files || bytes + size > remaining.bytes ? "tooMany" : undefined);
    if (why !== undefined) {
      omit(file, why);
      continue;
    }
    created.push(file);
    bytes += size;
  }
  return {
    removed,
    added: [...added, ...created],
    addedBytes: addedBytes + bytes,
    nested,
    leftOut,
    growth: { files: created, bytes },
  };
}

const sizeOf = (status: FileStatus): number => (status.kind === "file" ? status.size : 0);

function faultOf(file: ByteString, status: FileStatus, maxFileBytes: number): LeftOutReason | undefined {
  const name = decodePath(file);
  // Git skips names that a file system can treat as a repository, such as ".GIT", without an error.
  if (name === undefined || hasRepositoryName(name)) return "name";
  if (status.kind === "special" || status.kind === "unreadable") return status.kind;
  return status.kind === "file" && status.size > maxFileBytes ? "tooLarge" : undefined;
}
