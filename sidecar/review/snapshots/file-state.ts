/** Values that all parts of the snapshot store share. Pure. */

/** Id of a git object, in lower-case hexadecimal: 40 digits, or 64 in a repository with SHA-256. */
export type Oid = string;

export const FILE_MODE = "100644",
  EXECUTABLE_MODE = "100755",
  LINK_MODE = "120000";

/** The modes of git that a snapshot records. Folders have no state, and nested repositories are separate roots. */
export type FileMode = typeof FILE_MODE | typeof EXECUTABLE_MODE | typeof LINK_MODE;

/** Content and mode of a file, as the bytes on disk. The content of a link is its target. */
export interface FileState {
  readonly mode: FileMode;
  readonly oid: Oid;
}

/** A path relative to its root, with `/` between names. */
export type RootPath = string;

export interface FileChange {
  readonly path: RootPath;
  /** Absent: the file did not exist. */
  readonly before?: FileState;
  /** Absent: the file does not exist any more. */
  readonly after?: FileState;
}

export type LeftOutReason =
  | "tooLarge"
  /** More files or bytes than the limits of a root allow. */
  | "tooMany"
  /** A socket, pipe or device. */
  | "special"
  | "unreadable"
  /** Its content before a change is not known, because git has stored other bytes, or has lost them. */
  | "unknown"
  /** The bytes are not UTF-8, and `path` has replacement characters. Or it is a name of repositories, like ".GIT". */
  | "name";

/** A file that is not recorded. If an earlier snapshot contains it, the new one repeats that state. */
export interface LeftOut {
  readonly path: RootPath;
  readonly why: LeftOutReason;
}

export function sameState(a: FileState | undefined, b: FileState | undefined): boolean {
  return a?.mode === b?.mode && a?.oid === b?.oid;
}

export function isFileMode(mode: string): mode is FileMode {
  return mode === FILE_MODE || mode === EXECUTABLE_MODE || mode === LINK_MODE;
}
