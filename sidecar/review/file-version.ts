/**
 * Versions of a file, and their three-way merge (issue 21 item 3). Pure.
 *
 * Invariants of a merge:
 * - A side without a change takes the other side, for files of every kind, with their bytes and their mode.
 * - Only texts are merged by lines. Other files with two different changes conflict.
 */
import { LINK_MODE, type FileMode } from "./snapshots/file-state";
import { merge, mergePreferringOurs } from "./text-merge";

/** `undefined`: the file does not exist. `bytes`: one character per byte (`latin1`); of a link, its target. */
export type FileContent = { readonly mode: FileMode; readonly bytes: string } | undefined;

export type MergedContent =
  | { readonly kind: "merged"; readonly content: FileContent }
  | { readonly kind: "conflict"; readonly why: Conflict };

/** `type`: a deletion, a link or a mode that both sides changed differently. `bytes`: no text. */
export type Conflict = "lines" | "bytes" | "type";

export function mergeContents(base: FileContent, ours: FileContent, theirs: FileContent): MergedContent {
  const trivial = unchangedSide(base, ours, theirs);
  if (trivial !== "both") return { kind: "merged", content: trivial };
  if (base === undefined || ours === undefined || theirs === undefined) return { kind: "conflict", why: "type" };
  const mode = changedSide(base.mode, ours.mode, theirs.mode);
  if (mode === undefined) return { kind: "conflict", why: "type" };
  const side = changedSide(base.bytes, ours.bytes, theirs.bytes);
  if (side !== undefined) return { kind: "merged", content: { mode, bytes: side } };
  if ([base, ours, theirs].some(each => each.mode === LINK_MODE)) return { kind: "conflict", why: "type" };
  if ([base, ours, theirs].some(each => !isText(each.bytes))) return { kind: "conflict", why: "bytes" };
  const merged = merge(base.bytes, ours.bytes, theirs.bytes);
  return merged.kind === "conflict"
    ? { kind: "conflict", why: "lines" }
    : { kind: "merged", content: { mode, bytes: merged.text } };
}

/**
 * Like `mergeContents`, but where both sides conflict, ours wins. If the file is missing in theirs, the result contains
 * only the lines that ours changed.
 */
export function mergeContentsPreferringOurs(base: FileContent, ours: FileContent, theirs: FileContent): FileContent {
  const trivial = unchangedSide(base, ours, theirs);
  if (trivial !== "both") return trivial;
  if (base === undefined || ours === undefined) return ours;
  if (theirs === undefined) {
    const merged = mergeContentsPreferringOurs(base, ours, { mode: base.mode, bytes: "" });
    return merged?.bytes === "" ? undefined : merged;
  }
  const mode = changedSide(base.mode, ours.mode, theirs.mode) ?? ours.mode;
  if ([base, ours, theirs].some(each => each.mode === LINK_MODE || !isText(each.bytes))) return { ...ours, mode };
  return { mode, bytes: mergePreferringOurs(base.bytes, ours.bytes, theirs.bytes) };
}

/** The result if at most one side has changed, or both in the same way. */
function unchangedSide(base: FileContent, ours: FileContent, theirs: FileContent): FileContent | "both" {
  if (isSame(base, theirs) || isSame(ours, theirs)) return ours;
  return isSame(base, ours) ? theirs : "both";
}

/** The side that differs from the base; undefined if both do, in different ways. */
function changedSide<T>(base: T, ours: T, theirs: T): T | undefined {
  if (base === theirs || ours === theirs) return ours;
  return base === ours ? theirs : undefined;
}

export function isSame(a: FileContent, b: FileContent): boolean {
  return a === b || (a !== undefined && b !== undefined && a.mode === b.mode && a.bytes === b.bytes);
}

/** Like git, looks for a null byte at the start. UTF-16 with its byte order mark is a text. */
export function isText(bytes: string): boolean {
  return /^(?:\xff\xfe|\xfe\xff)/.test(bytes) || !bytes.slice(0, PROBE).includes("\0");
}
const PROBE = 8_000;
