/**
 * Configuration file of the user that another program reads: an agent's or an editor's.
 *
 * Invariants:
 * - The file is replaced by one rename and keeps its mode.
 * - A symbolic link is kept, and its target is replaced.
 * - A file that is not readable as text, or not writable, is not changed.
 */
import * as l10n from "@vscode/l10n";
import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { access, chmod, constants, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "../../../src/protocol/wire/errors";
import { ConfigurationError } from "./symposium-entry";

/** Maximum size in bytes. Claude Code also stores other data in its file. */
const MAX_BYTES = 16 * 1024 * 1024;
const BACKUP = ".before-symposium";

export interface UserText {
  /** The path after resolving links. */
  readonly target: string;
  /** Undefined: the file does not exist. */
  readonly text: string | undefined;
  readonly mode: number;
  /** Path of the copy of the text before Symposium's change. */
  readonly backup: string;
}

/**
 * Synchronous, because `run` reads its file at the start, and Node's first asynchronous access to a file starts threads
 * (issue 18 point 8). Throws a `ConfigurationError` or an error of the file system.
 */
export function readUserFile(file: string): UserText {
  if (!path.isAbsolute(file)) throw new ConfigurationError(l10n.t("its path is not absolute."));
  const target = targetOf(file);
  if (target === undefined) {
    if (lstatSync(file, { throwIfNoEntry: false }))
      throw new ConfigurationError(l10n.t("it is a link to a file that does not exist."));
    return { target: file, text: undefined, mode: 0o600, backup: `${file}${BACKUP}` };
  }
  const stats = statSync(target);
  if (!stats.isFile()) throw new ConfigurationError(l10n.t("it is not a file."));
  if (stats.size > MAX_BYTES) throw new ConfigurationError(l10n.t`it is larger than ${MAX_BYTES / 1024 / 1024} MB.`);
  const bytes = readFileSync(target);
  if (!isUtf8(bytes)) throw new ConfigurationError(l10n.t("it is not UTF-8 text."));
  return { target, text: bytes.toString("utf8"), mode: stats.mode & 0o777, backup: `${target}${BACKUP}` };
}

function targetOf(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes the text of an existing or a new file. Rejects with a `ConfigurationError` or an error of the file system. */
export async function writeUserFile({ target, mode }: UserText, text: string): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  await replace(target, text, mode);
}

/** Keeps the text as it was read. A backup of a deleted file is obsolete, and is deleted. */
export async function backUp({ text, backup, mode }: UserText): Promise<void> {
  if (text === undefined) await rm(backup, { force: true });
  else await replace(backup, text, mode);
}

/** Checks the mode, because a rename also replaces a read-only file. A file that does not exist is not checked. */
export async function assertWritable({ target, text, mode }: UserText): Promise<void> {
  if (text === undefined) return;
  if ((mode & 0o200) === 0) throw new ConfigurationError(l10n.t("it is read-only."));
  await access(target, constants.W_OK);
}

export async function readBackup({ backup }: UserText): Promise<string | undefined> {
  try {
    return await readFile(backup, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Error for the user that names the file. */
export function fileError(file: string, error: unknown, use: "used" | "changed"): ConfigurationError {
  const why = whyOf(error);
  const text = use === "used" ? l10n.t`${file} cannot be used: ${why}` : l10n.t`${file} cannot be changed: ${why}`;
  return new ConfigurationError(text, { cause: error });
}

/** The reason after a colon, with its full stop. */
export function whyOf(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  return `${REASONS[codeOf(error) ?? ""] ?? errorMessage(error)}.`;
}
const REASONS: Readonly<Record<string, string>> = {
  EACCES: l10n.t("you have no permission to do that"),
  EPERM: l10n.t("you have no permission to do that"),
  EROFS: l10n.t("its disk is read-only"),
  ENOSPC: l10n.t("its disk is full"),
  EDQUOT: l10n.t("your disk quota is used up"),
  EFBIG: l10n.t("its disk is full"),
  ENOTDIR: l10n.t("its folder is a file"),
  ENOENT: l10n.t("the folder that would contain it does not exist"),
};

async function replace(target: string, text: string, mode: number): Promise<void> {
  const temporary = `${target}.${randomUUID()}`;
  try {
    await writeFile(temporary, text, { mode, flag: "wx" });
    await chmod(temporary, mode); // without the umask
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
