/** Detects a full disk, or a full quota of the user. */
import { GitError } from "./git-program";

const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);
/** Git's texts for these codes. */
const GIT_TEXTS = /No space left on device|Disk quota exceeded/;

export function isDiskFull(error: unknown): boolean {
  if (error instanceof GitError) return GIT_TEXTS.test(error.stderr);
  return error instanceof Error && "code" in error && FULL.has(error.code);
}
