/**
 * The source control “Symposium”: a group of changed files for each session, and the marks in the gutters of editors.
 * It exists while there is something to review or to undo.
 */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { REVIEW_COMMANDS, REVIEW_CONTEXTS, SOURCE_CONTROL, type ReviewCommandName } from "../names";
import type { Review, ReviewFile } from "../protocol/review/review";
import type { FileTarget } from "./review-commands";
import { changeOf, type ReviewIndex } from "./review-files";
import type { ReviewEditors } from "./review-editors";
import { groupState, isListed } from "./review-list";
import { CHANGE_ICONS, fileTooltip, labelOf } from "./review-texts";

const OPEN: ReviewCommandName = "symposium.openFileChanges";

type FileState = vscode.SourceControlResourceState & FileTarget;

export class ReviewSourceControl implements vscode.Disposable {
  #control: vscode.SourceControl | undefined;
  #groups: readonly vscode.SourceControlResourceGroup[] = [];
  #index: ReviewIndex;

  constructor(
    private readonly editors: ReviewEditors,
    index: ReviewIndex,
  ) {
    this.#index = index;
  }

  show(reviews: readonly Review[], index: ReviewIndex): void {
    this.#index = index;
    // VS Code converts URIs to those of its window, which differ in a remote one.
    setContext(
      REVIEW_CONTEXTS.files,
      index.paths.flatMap(file => {
        const found = index.at(file);
        // An editor of a deleted file has another URI than the file.
        return [vscode.Uri.file(file), ...(found === undefined ? [] : [this.editors.currentOf(found.file)])];
      }),
    );
    setContext(
      REVIEW_CONTEXTS.canUndo,
      reviews.some(({ operations }) => operations.length > 0),
    );
    if (reviews.length === 0) return this.#clear();
    const control = (this.#control ??= this.#create()),
      listed = reviews.filter(isListed),
      ids = listed.map(({ id }) => id).join(" ");
    if (ids !== this.#groups.map(({ id }) => id).join(" ")) {
      // VS Code shows groups in the order of their creation.
      for (const group of this.#groups) group.dispose();
      this.#groups = listed.map(review => control.createResourceGroup(review.id, labelOf(review)));
    }
    listed.forEach((review, i) => {
      const group = this.#groups[i];
      if (group === undefined) return;
      const isComplete = review.limits.length === 0;
      group.label = isComplete ? labelOf(review) : l10n.t`${labelOf(review)} (incomplete)`;
      group.contextValue = groupState(review);
      group.resourceStates = review.files.map(file => this.#stateOf(review, file));
    });
    control.count = listed.reduce((sum, { files }) => sum + files.length, 0);
  }

  #create(): vscode.SourceControl {
    const control = vscode.scm.createSourceControl(SOURCE_CONTROL, l10n.t("Symposium"));
    control.inputBox.visible = false;
    control.quickDiffProvider = {
      provideOriginalResource: uri => {
        const found = uri.scheme === "file" ? this.#index.at(uri.fsPath) : undefined;
        return found && this.editors.reviewedOf(found.file);
      },
    };
    return control;
  }

  #stateOf({ id: reviewId }: Review, file: ReviewFile): FileState {
    const change = changeOf(file);
    return {
      reviewId,
      file,
      resourceUri: this.editors.uriOf(file),
      contextValue: change,
      decorations: {
        tooltip: fileTooltip(file),
        iconPath: new vscode.ThemeIcon(CHANGE_ICONS[change]),
        strikeThrough: change === "deleted",
      },
      command: { command: OPEN, title: REVIEW_COMMANDS[OPEN], arguments: [{ reviewId, file } satisfies FileTarget] },
    };
  }

  #clear(): void {
    for (const group of this.#groups) group.dispose();
    this.#groups = [];
    this.#control?.dispose();
    this.#control = undefined;
  }

  dispose(): void {
    this.#clear();
  }
}

function setContext(key: string, value: unknown): void {
  void vscode.commands.executeCommand("setContext", key, value);
}
