/** Observations, decisions and results of a review for a file. Pure. */
import * as l10n from "@vscode/l10n";
import { changed, changeOf, withoutTurns, type FileReview } from "./file-review";
import type { Conflict, FileContent } from "./file-version";
import type { LineCounts } from "./review-contents";
import type { LoggedChange, ReviewedFile, StoredState } from "./review-log";
import type { FileState } from "./snapshots/file-state";

export interface FileId {
  readonly root: string;
  readonly path: string;
}

/** `before`, `after`: absent if the file did not or does not exist. */
export interface ObservedChange extends FileId {
  readonly before?: FileState;
  readonly after?: FileState;
  /** The change may be that of another session or of the user. */
  readonly shared?: true;
}

/** A file that an operation did not change. `conflict`: later changes overlap. `sentence`: it could not be written. */
export type RemainingFile = FileId &
  ({ readonly conflict: Conflict; readonly merge: ConflictingContents } | { readonly sentence: string });

/** The three contents of a conflict, for a merge editor. */
export interface ConflictingContents {
  readonly base: StoredState;
  readonly current: StoredState;
  readonly wanted: StoredState;
}

/** `id`: of the operation, if it changed something. `changed`: number of changed files. */
export interface Outcome {
  readonly id?: string;
  readonly changed: number;
  readonly remaining: readonly RemainingFile[];
}

/** The new content of a file, and of its reviewed content. `left`: the file is not changed. */
export type Decision =
  | { readonly kind: "change"; readonly content: FileContent; readonly reviewed: FileContent }
  | { readonly kind: "conflict"; readonly why: Conflict; readonly base: FileContent; readonly wanted: FileContent }
  | { readonly kind: "left"; readonly sentence: string };

export function conflictOf({ last }: FileReview, why: Conflict, wanted: FileContent): Decision {
  return { kind: "conflict", why, base: last, wanted };
}

/** A content that the user chose. The reviewed content changes with it. */
export function written(review: FileReview, content: FileContent): Decision {
  return { kind: "change", content, reviewed: changed(review, content, "operation").reviewed };
}

/** Selects turns by their numbers. */
export type Includes = (turn: number) => boolean;

/** Undoes all unreviewed changes, or those of these turns. */
export function undoOf(review: FileReview, includes: Includes | undefined): Decision {
  if (includes === undefined) return written(review, review.reviewed);
  const undone = withoutTurns(review, includes),
    change = changeOf(review, includes);
  return undone.kind === "conflict"
    ? { kind: "conflict", why: undone.why, base: change?.after, wanted: change?.before }
    : written(review, undone.content);
}

/** A file that the agent did not demonstrably create is not deleted, unless the user has selected it. */
export function withoutDeletion({ shared, last }: Pick<ReviewedFile, "shared" | "last">, decision: Decision): Decision {
  return decision.kind === "change" && decision.content === undefined && last !== undefined && shared === true
    ? {
        kind: "left",
        sentence: l10n.t(
          "This file was not deleted, because it may be yours. To delete it, undo the changes of only this file.",
        ),
      }
    : decision;
}

export function logged(
  { root, path, last }: Pick<ReviewedFile, "root" | "path" | "last">,
  after: StoredState,
  reviewed: StoredState,
  lines: LineCounts,
): LoggedChange {
  return {
    root,
    path,
    ...(last === undefined ? {} : { before: last }),
    ...(after === undefined ? {} : { after }),
    ...(reviewed === undefined ? {} : { reviewed }),
    ...lines,
  };
}
