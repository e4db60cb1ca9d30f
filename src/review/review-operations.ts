/**
 * Keeps and undoes changes, undoes operations, and shows the outcome.
 *
 * Invariants:
 * - Files are saved before the sidecar writes them, because the sidecar sees the disk only.
 * - Each file that was not changed is reported: a conflict opens, a failure is a sentence.
 */
import * as l10n from "@vscode/l10n";
import type {
  RemainingChange,
  Review,
  ReviewHunk,
  ReviewOutcome,
  ReviewPath,
  ReviewScope,
} from "../protocol/review/review";
import { visibleLine } from "../protocol/text/visible-text";
import type { SidecarClient } from "../sidecar/client";
import type { OperationProgress } from "./operation-progress";
import { filesIn } from "./review-files";
import { operationText } from "./review-texts";

export type Conflict = Extract<RemainingChange, { kind: "conflict" }>;

/** An operation of a review, for its undo. */
export interface OperationRef {
  readonly id: string;
  readonly operation: string;
}

export interface OperationDeps {
  client(): Promise<SidecarClient>;
  review(id: string): Review | undefined;
  readonly progress: OperationProgress;
  /** Saves these files where the editor has unsaved changes. Resolves with the names of those that were not saved. */
  save(files: readonly ReviewPath[]): Promise<readonly string[]>;
  openConflict(conflict: Conflict): Promise<void>;
  /** Shows a sentence about an operation. `undo`: it can be undone. */
  showDone(sentence: string, undo?: OperationRef): void;
  inform(sentence: string): void;
  showFailure(sentence: string): void;
}

type Kind = "accept" | "undo" | "rewind";
const TITLES: Readonly<Record<Kind, string>> = {
  accept: l10n.t("Keeping changes…"),
  undo: l10n.t("Undoing changes…"),
  rewind: l10n.t("Restoring files…"),
};
const MAX_OPENED = 5,
  MAX_SENTENCES = 3;

export class ReviewOperations {
  constructor(private readonly deps: OperationDeps) {}

  /** Saves unsaved text of these files. Resolves with false if that failed, with the reason shown. */
  async save(files: readonly ReviewPath[]): Promise<boolean> {
    const [unsaved] = files.length === 0 ? [] : await this.deps.save(files);
    if (unsaved !== undefined) this.deps.showFailure(l10n.t`${unsaved} could not be saved. Nothing was changed.`);
    return unsaved === undefined;
  }

  /** Resolves with false if nothing was sent, with the reason shown. */
  async keep(scope: ReviewScope): Promise<boolean> {
    const written = scope.hunks === undefined ? [] : this.#files(scope),
      outcome = await this.#run("accept", scope, written, client => client.request("review/keep", scope));
    return outcome !== undefined;
  }

  async undo(scope: ReviewScope): Promise<boolean> {
    const outcome = await this.#run("undo", scope, this.#files(scope), client => client.request("review/undo", scope));
    return outcome !== undefined;
  }

  /** Keeps or undoes these hunks of one file. */
  change(
    kind: "keep" | "undo",
    id: string,
    { root, path }: ReviewPath,
    hunks: readonly ReviewHunk[],
  ): Promise<boolean> {
    return this[kind]({ id, files: [{ root, path }], hunks });
  }

  /** `files`: those that it changes. Resolves with true if all of them were restored. */
  async rewind(id: string, entryId: string, files: readonly ReviewPath[]): Promise<boolean> {
    const outcome = await this.#run("rewind", { id }, files, client =>
      client.request("review/rewind", { id, entryId }),
    );
    return outcome?.remaining.length === 0;
  }

  /** Undoes an operation. */
  async revert({ id, operation }: OperationRef): Promise<void> {
    const { client, review, showDone, progress } = this.deps;
    if (!(await this.save(review(id)?.files ?? []))) return;
    const sidecar = await client(),
      outcome = await progress.during(id, l10n.t("Undoing the operation…"), () =>
        sidecar.request("review/revert", { id, operation }),
      );
    if (outcome.files > 0 || outcome.remaining.length === 0) showDone(l10n.t("Operation undone"));
    await this.#showRemaining(outcome.remaining);
  }

  #files(scope: ReviewScope): readonly ReviewPath[] {
    return filesIn(this.deps.review(scope.id), scope);
  }

  async #run(
    kind: Kind,
    { id }: Pick<ReviewScope, "id">,
    written: readonly ReviewPath[],
    request: (client: SidecarClient) => Promise<ReviewOutcome>,
  ): Promise<ReviewOutcome | undefined> {
    if (!(await this.save(written))) return undefined;
    const client = await this.deps.client(),
      outcome = await this.deps.progress.during(id, TITLES[kind], () => request(client)),
      { operation, files, remaining } = outcome;
    if (operation !== undefined) this.deps.showDone(operationText({ kind, files }), { id, operation });
    await this.#showRemaining(remaining);
    return outcome;
  }

  async #showRemaining(remaining: readonly RemainingChange[]): Promise<void> {
    const failures = remaining.flatMap(each =>
        each.kind === "failed" ? [`${visibleLine(each.path)}: ${each.sentence}`] : [],
      ),
      others = failures.length - MAX_SENTENCES,
      conflicts = remaining.filter(each => each.kind === "conflict");
    const sentences = [
      ...failures.slice(0, MAX_SENTENCES),
      ...(others > 0 ? [l10n.t`Number of further files: ${others}`] : []),
    ];
    if (sentences.length > 0) this.deps.showFailure(sentences.join(" "));
    if (conflicts.length > 0)
      this.deps.inform(
        conflicts.length === 1
          ? l10n.t("The same lines were changed later. Merge them in the editor.")
          : l10n.t`The same lines of ${conflicts.length} files were changed later. Merge them in the editors.`,
      );
    for (const conflict of conflicts.slice(0, MAX_OPENED)) await this.deps.openConflict(conflict);
  }
}
