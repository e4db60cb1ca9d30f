/**
 * Finds the user's repository of a folder by its files, without git: git refuses repositories of other owners, and
 * this finds the same place. Reads only.
 */
import { lstatSync, readFileSync, statSync } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import path from "node:path";

export interface Repository {
  /** The folder with the file or folder `.git`. */
  readonly workTree: string;
  /** The folder with HEAD and index: of this worktree, or of this submodule. */
  readonly gitFolder: string;
  /** The folder with objects and configuration, which worktrees share. */
  readonly commonFolder: string;
}

/** Whether `file` is `folder` or below. Both are absolute. */
export function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/** The innermost repository that contains the folder. `folder`: a real path. */
export function repositoryOf(folder: string): Repository | undefined {
  for (let workTree = folder; ; workTree = path.dirname(workTree)) {
    const gitFolder = gitFolderOf(path.join(workTree, ".git"));
    if (gitFolder !== undefined) {
      const commonFolder = linkedFolder(gitFolder, "commondir") ?? gitFolder;
      if (isFolder(path.join(commonFolder, "objects"))) return { workTree, gitFolder, commonFolder };
    }
    if (workTree === path.dirname(workTree)) return undefined;
  }
}

/** `.git` is a folder, or in a worktree or submodule a file with the path of one. */
function gitFolderOf(dotGit: string): string | undefined {
  const folder = isFolder(dotGit) ? dotGit : linkedFolder(path.dirname(dotGit), ".git", "gitdir: ");
  return folder !== undefined && exists(path.join(folder, "HEAD")) ? folder : undefined;
}

/** The folder that a file names, relative to its own folder. */
function linkedFolder(folder: string, name: string, prefix = ""): string | undefined {
  const text = smallText(path.join(folder, name));
  if (!text?.startsWith(prefix)) return undefined;
  const target = path.resolve(folder, text.slice(prefix.length).replace(/[\r\n]+$/, ""));
  return isFolder(target) ? target : undefined;
}

const MAX_TEXT_BYTES = 1024 * 1024;

function smallText(file: string): string | undefined {
  try {
    const { size } = lstatSync(file);
    return lstatSync(file).isFile() && size <= MAX_TEXT_BYTES ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The text of a configuration file of at most 1 MiB. Undefined if it does not exist or is no regular file: a pipe would
 * block git.
 */
export async function configurationText(file: string): Promise<string | undefined> {
  try {
    const stats = statSync(file);
    return stats.isFile() && stats.size <= MAX_TEXT_BYTES ? await readFile(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}

function exists(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch {
    return false;
  }
}

/** Content of a file and its time of modification in milliseconds, rounded down. Undefined if it cannot be read. */
export async function datedFile(
  file: string,
): Promise<{ readonly bytes: Buffer; readonly mtimeMs: number } | undefined> {
  try {
    // The time is read first: a file that is replaced in between seems older than it is, which is safe.
    const { mtimeMs } = await lstat(file);
    return { bytes: await readFile(file), mtimeMs: Math.floor(mtimeMs) };
  } catch {
    return undefined;
  }
}

/** The commit of HEAD. Undefined without one, and where references are no files. */
export async function headCommitOf({ gitFolder, commonFolder }: Repository): Promise<string | undefined> {
  const head = await configurationText(path.join(gitFolder, "HEAD")),
    ref = /^ref: (refs\/.+)/.exec(head ?? "")?.[1];
  if (head === undefined || ref === undefined) return oidIn(head);
  const loose = oidIn(await configurationText(path.join(commonFolder, ...ref.split("/"))));
  if (loose !== undefined) return loose;
  const packed = await readFile(path.join(commonFolder, "packed-refs"), "latin1").catch(() => "");
  return packed
    .split("\n")
    .find(line => line.endsWith(` ${ref}`))
    ?.split(" ")[0];
}

function oidIn(text: string | undefined): string | undefined {
  return /^[\da-f]{40,64}/.exec(text ?? "")?.[0];
}

/** The log of the positions of HEAD. */
export const headLogOf = ({ gitFolder }: Repository): string => path.join(gitFolder, "logs", "HEAD");
