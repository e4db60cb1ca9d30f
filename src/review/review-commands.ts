/**
 * The commands of the review, and the actions of the chat. A command uses its argument: a session or files of the
 * source control, a change of the gutter, or a code lens. Without one, it uses the active editor, or the user picks a
 * session.
 */
import * as l10n from "@vscode/l10n";
import { SOURCE_CONTROL, type ReviewCommandName } from "../names";
import type {
  ChangedFile,
  Review,
  ReviewFile,
  ReviewHunk,
  ReviewLines,
  ReviewPath,
  ReviewTurn,
} from "../protocol/review/review";
import { isObject } from "../protocol/wire/json";
import { errorMessage } from "../protocol/wire/errors";
import type { SidecarClient } from "../sidecar/client";
import type { ChangeTabs } from "./change-tabs";
import { byPath, filesIn, isSameFile, type FoundFile } from "./review-files";
import { isListed } from "./review-list";
import { changedHunks, hunksAt, lineChanges, selectedHunks } from "./review-hunks";
import type { OperationRef, ReviewOperations } from "./review-operations";
import {
  changesTitle,
  fileCount,
  labelOf,
  limitsText,
  operationText,
  promptLabel,
  turnDescription,
} from "./review-texts";

type Command = (...targets: unknown[]) => Promise<void>;
/** The other commands are in `comment-threads.ts`, `conversation-actions.ts` and `rewind-preview.ts`. */
export type ReviewCommands = Readonly<
  Record<
    Exclude<ReviewCommandName, "symposium.addReviewComment" | "symposium.confirmRestore" | "symposium.restoreTo">,
    Command
  >
>;

/** A file in the list of the source control. */
export interface FileTarget {
  readonly reviewId: string;
  readonly file: ReviewFile;
}

/** Hunks of a code lens. `file`: path in the editor. */
export interface HunkTarget {
  readonly file: string;
  readonly hunks: readonly ReviewHunk[];
}

/** Selected lines of an editor that shows one side of a file. `file`: path in the editor. */
export interface Cursor {
  readonly file: string;
  readonly side: "reviewed" | "current";
  readonly lines: readonly ReviewLines[];
}

/** `hasSameLines`: whether the sidecar counts the lines of both contents like the editor. */
export interface FileTexts {
  readonly reviewed: string;
  readonly current: string;
  readonly hasSameLines: boolean;
}

export interface ReviewEditor {
  /** The active editor, if it shows a file or its reviewed content. */
  cursor(): Cursor | undefined;
  /** Path of a URI in the editor, such as a command's argument. */
  pathOf(argument: unknown): string | undefined;
  texts(file: FoundFile): Promise<FileTexts>;
  openFile(file: ReviewPath): Promise<void>;
  /** Compares the reviewed content with the file. */
  openChange(file: ReviewFile): Promise<void>;
  /** The same for several files. */
  openReview(title: string, files: readonly ReviewFile[]): Promise<void>;
  /** Compares the contents before and after changes. */
  openChanges(title: string, files: readonly ChangedFile[]): Promise<void>;
}

export interface PickItem<T> {
  readonly label: string;
  readonly description: string;
  readonly value: T;
}

export interface ReviewCommandDeps {
  reviews(): readonly Review[];
  /** The review that shows the file of the editor with this path. */
  fileAt(path: string): FoundFile | undefined;
  client(): Promise<SidecarClient>;
  /** Brings a review up to date with the files. */
  refresh(id: string): Promise<void>;
  readonly operations: Pick<ReviewOperations, "save" | "keep" | "undo" | "change" | "revert">;
  readonly editor: ReviewEditor;
  readonly changeTabs: Pick<ChangeTabs, "opened" | "active" | "close">;
  /** `undefined`: the user cancelled. */
  pick<T>(title: string, items: readonly PickItem<T>[]): Promise<T | undefined>;
  inform(sentence: string): void;
  showFailure(sentence: string): void;
  /** Shows a text of several lines. */
  explain(title: string, text: string): Promise<void>;
}

type KeepOrUndo = "keep" | "undo";
type TurnAction = "review" | KeepOrUndo;

export const NOTHING_TO_REVIEW = l10n.t("There are no unreviewed changes of agents.");
const LIMITS_TITLE = l10n.t("Unrecorded Files"),
  NO_FILE = l10n.t("The active editor shows no file with unreviewed changes of an agent."),
  NO_CHANGE = l10n.t("There is no change of an agent at the cursor."),
  OTHER_LINES = l10n.t("The line ends of this file are unusual. Keep or undo the changes of the whole file instead.");

export function reviewCommands(deps: ReviewCommandDeps): ReviewCommands {
  const actions = new ReviewTargets(deps);
  /** Shows the message of a failure. */
  const reported =
    (run: Command): Command =>
    async (...targets) => {
      try {
        await run(...targets);
      } catch (error) {
        deps.showFailure(errorMessage(error));
      }
    };
  const all = (kind: KeepOrUndo) => reported(target => actions.all(target, kind)),
    files = (kind: KeepOrUndo) => reported((...targets) => actions.files(targets, kind)),
    hunk = (kind: KeepOrUndo) => reported((...targets) => actions.hunk(targets, kind));
  return {
    "symposium.reviewChanges": reported(target => actions.review(target)),
    "symposium.reviewTurns": reported(target => actions.turns(target)),
    "symposium.keepAll": all("keep"),
    "symposium.undoAll": all("undo"),
    "symposium.keepFile": files("keep"),
    "symposium.undoFile": files("undo"),
    "symposium.keepHunk": hunk("keep"),
    "symposium.undoHunk": hunk("undo"),
    "symposium.openChangedFile": reported((...targets) => actions.each(targets, file => deps.editor.openFile(file))),
    "symposium.openFileChanges": reported((...targets) => actions.each(targets, file => deps.editor.openChange(file))),
    "symposium.undoLastOperation": reported(target => actions.undoLast(target)),
    "symposium.showReviewLimits": reported(target => actions.limits(target)),
  };
}

/** Opens the unreviewed changes of a session, or those of one turn. Without files, explains what may be missing. */
export async function openReview(
  { client, editor, changeTabs, explain }: Pick<ReviewCommandDeps, "client" | "editor" | "changeTabs" | "explain">,
  review: Review,
  turn?: ReviewTurn,
): Promise<void> {
  const { id, files, limits } = review,
    title = changesTitle(review, turn);
  if (files.length === 0) return explain(LIMITS_TITLE, limitsText(limits));
  if (turn === undefined) {
    await editor.openReview(title, files.toSorted(byPath));
    changeTabs.opened(title, { id });
  } else {
    const { files: changed } = await (await client()).request("review/turn", { id, turn: turn.turn });
    await editor.openChanges(title, changed.toSorted(byPath));
    changeTabs.opened(title, { id, turn: turn.turn });
  }
}

class ReviewTargets {
  constructor(private readonly deps: ReviewCommandDeps) {}

  async review(target: unknown): Promise<void> {
    const review = await this.#reviewOf(target, l10n.t("Review Changes"));
    if (review !== undefined) await openReview(this.deps, review);
  }

  /** In an editor with the changes of one turn, those. The editor is closed when nothing of it is left. */
  async all(target: unknown, kind: KeepOrUndo): Promise<void> {
    const { changeTabs, operations, refresh, reviews } = this.deps,
      shown = isReviewTarget(target) ? undefined : changeTabs.active,
      review = await this.#reviewOf(target, kind === "keep" ? l10n.t("Keep All") : l10n.t("Undo All"));
    if (review === undefined) return;
    const scope = shown ?? { id: review.id };
    if (!(await operations[kind](scope))) return;
    // It may have ended.
    await refresh(review.id).catch(() => undefined);
    const changed = reviews().find(({ id }) => id === review.id);
    if (filesIn(changed, scope).length === 0) await changeTabs.close(scope);
  }

  async turns(target: unknown): Promise<void> {
    const { pick, operations } = this.deps,
      title = l10n.t("Review by Turn"),
      review = await this.#reviewOf(target, title);
    if (review === undefined) return;
    const turn = await pick(
      title,
      review.turns.toReversed().map(each => ({
        label: promptLabel(each.title),
        description: turnDescription(review, each),
        value: each,
      })),
    );
    if (turn === undefined) return;
    const action = await pick<TurnAction>(promptLabel(turn.title), [
      { label: l10n.t("Review"), description: l10n.t("Show the changes in the diff editor"), value: "review" },
      { label: l10n.t("Keep"), description: l10n.t("Accept the changes"), value: "keep" },
      {
        label: l10n.t("Undo"),
        description: l10n.t("Restore the files without the changes. Your own edits stay."),
        value: "undo",
      },
    ]);
    if (action === undefined) return;
    if (action === "review") return openReview(this.deps, review, turn);
    await operations[action]({ id: review.id, turn: turn.turn });
  }

  async files(targets: readonly unknown[], kind: KeepOrUndo): Promise<void> {
    for (const [id, files] of this.#filesByReview(targets))
      await this.deps.operations[kind]({ id, files: files.map(({ root, path }) => ({ root, path })) });
  }

  async each(targets: readonly unknown[], run: (file: ReviewFile) => Promise<void>): Promise<void> {
    for (const [, files] of this.#filesByReview(targets)) for (const file of files) await run(file);
  }

  async hunk([target, changes, index]: readonly unknown[], kind: KeepOrUndo): Promise<void> {
    const { operations, editor, fileAt, refresh, inform } = this.deps,
      path = isHunkTarget(target) ? target.file : target === undefined ? editor.cursor()?.file : editor.pathOf(target),
      listed = path === undefined ? undefined : fileAt(path);
    if (path === undefined || listed === undefined) return inform(NO_FILE);
    // Unsaved lines are the user's. They move the lines of the agent.
    if (!(await operations.save([listed.file]))) return;
    await refresh(listed.review.id);
    const found = fileAt(path),
      cursor = target === undefined ? editor.cursor() : undefined;
    if (found === undefined) return inform(NO_CHANGE);
    const { reviewed, current, hasSameLines } = await editor.texts(found);
    if (!hasSameLines) return inform(OTHER_LINES);
    const own = changedHunks(reviewed, current);
    const hunks = isHunkTarget(target)
      ? own.filter(hunk => target.hunks.some(each => isSameHunk(each, hunk)))
      : Array.isArray(changes)
        ? selectedHunks(lineChanges(changes), typeof index === "number" ? index : 0, reviewed, current)
        : own.filter(hunk =>
            (cursor?.lines ?? []).some(lines => hunksAt(own, cursor?.side ?? "current", lines).includes(hunk)),
          );
    if (hunks.length === 0) return inform(NO_CHANGE);
    await operations.change(kind, found.review.id, found.file, hunks);
  }

  async undoLast(target: unknown): Promise<void> {
    const { reviews, operations, pick, inform } = this.deps;
    if (isOperationRef(target)) return operations.revert(target);
    const undoable = reviews().flatMap(review => {
      const last = review.operations.at(-1);
      return last === undefined || (isReviewTarget(target) && review.id !== target.id) ? [] : [{ review, last }];
    });
    const [only, ...others] = undoable;
    if (only === undefined) return inform(l10n.t("There is no operation to undo."));
    const chosen =
      others.length === 0
        ? only
        : await pick(
            l10n.t("Undo Last Operation"),
            undoable.map(each => ({
              label: operationText(each.last),
              description: labelOf(each.review),
              value: each,
            })),
          );
    if (chosen !== undefined) await operations.revert({ id: chosen.review.id, operation: chosen.last.id });
  }

  async limits(target: unknown): Promise<void> {
    const review = await this.#reviewOf(target, LIMITS_TITLE);
    if (review !== undefined) await this.deps.explain(LIMITS_TITLE, limitsText(review.limits));
  }

  /** Without a target: the session of the active editor, otherwise the only one, or the user picks it. */
  async #reviewOf(target: unknown, title: string): Promise<Review | undefined> {
    const { pick, fileAt, editor, changeTabs, inform } = this.deps,
      reviews = this.deps.reviews().filter(isListed);
    if (isReviewTarget(target)) return reviews.find(({ id }) => id === target.id);
    const shown = changeTabs.active;
    if (shown !== undefined) {
      const review = reviews.find(({ id }) => id === shown.id);
      if (review === undefined) inform(NOTHING_TO_REVIEW);
      return review;
    }
    const cursor = editor.cursor(),
      found = cursor && fileAt(cursor.file),
      [only, ...others] = reviews;
    if (only === undefined) inform(NOTHING_TO_REVIEW);
    if (found !== undefined || others.length === 0) return found?.review ?? only;
    return pick(
      title,
      reviews.map(review => ({
        label: labelOf(review),
        description: fileCount(review.files.length),
        value: review,
      })),
    );
  }

  /** Files that are still under review. Without targets: the file of the active editor. */
  #filesByReview(targets: readonly unknown[]): ReadonlyMap<string, readonly ReviewFile[]> {
    const { editor, fileAt, reviews, inform } = this.deps,
      selected = targets.filter(isFileTarget);
    if (selected.length > 0) {
      const byReview = new Map<string, readonly ReviewFile[]>();
      for (const { reviewId, file } of selected) {
        const present = reviews()
          .find(({ id }) => id === reviewId)
          ?.files.find(each => isSameFile(each, file));
        if (present !== undefined) byReview.set(reviewId, [...(byReview.get(reviewId) ?? []), present]);
      }
      return byReview;
    }
    const path = editor.pathOf(targets[0]) ?? editor.cursor()?.file,
      found = path === undefined ? undefined : fileAt(path);
    if (found === undefined) inform(NO_FILE);
    return new Map(found === undefined ? [] : [[found.review.id, [found.file]]]);
  }
}

/** A resource group of the source control, whose id is that of the review. The source control itself is no target. */
function isReviewTarget(target: unknown): target is { readonly id: string } {
  return isObject(target) && typeof target["id"] === "string" && target["id"] !== SOURCE_CONTROL;
}
function isOperationRef(target: unknown): target is OperationRef {
  return isReviewTarget(target) && "operation" in target;
}
function isFileTarget(target: unknown): target is FileTarget {
  return isObject(target) && typeof target["reviewId"] === "string" && isObject(target["file"]);
}
function isHunkTarget(target: unknown): target is HunkTarget {
  return isObject(target) && typeof target["file"] === "string" && Array.isArray(target["hunks"]);
}

function isSameHunk(a: ReviewHunk, b: ReviewHunk): boolean {
  return JSON.stringify([a.reviewed, a.current]) === JSON.stringify([b.reviewed, b.current]);
}
