/**
 * Whose change a file is when several sessions work in a folder at the same time (issue 21 item 2). Pure.
 *
 * A session claims the files that its tool calls name. A change that only one session claims is that session's. All
 * others are shared.
 */
import { isWithin } from "./snapshots/repository";

/** A session that had a turn while the file changed. */
export interface Claimant {
  /** Folders of the session, real paths. */
  readonly folders: readonly string[];
  /** Real paths that its tool calls in this turn name. */
  readonly claimed: ReadonlySet<string>;
}

export type Owner = "own" | "others" | "shared";

/** `file`: a real path. `others`: the other sessions. */
export function ownerOf(file: string, own: Claimant, others: readonly Claimant[]): Owner {
  const rivals = others.filter(({ folders }) => isCoveredBy(file, folders));
  if (rivals.length === 0) return "own";
  const isOwn = own.claimed.has(file),
    isOthers = rivals.some(({ claimed }) => claimed.has(file));
  return isOwn === isOthers ? "shared" : isOwn ? "own" : "others";
}

export function isCoveredBy(file: string, folders: readonly string[]): boolean {
  return folders.some(folder => isWithin(folder, file));
}
