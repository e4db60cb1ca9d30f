/** The actions of the chat on the review of a conversation. */
import * as l10n from "@vscode/l10n";
import type { ChangedFile, RecordedFile, Review, ReviewTurn, RewoundFile } from "../protocol/review/review";
import { readableLine } from "../protocol/text/visible-text";
import { errorMessage } from "../protocol/wire/errors";
import type { ReviewActions } from "./review-actions";
import { NOTHING_TO_REVIEW, openReview, type ReviewCommandDeps } from "./review-commands";
import { byPath, isSameFile } from "./review-files";
import type { ReviewOperations } from "./review-operations";
import { promptLabel, rewindDetail, rewindTitle } from "./review-texts";

export interface ConversationActionDeps extends Omit<ReviewCommandDeps, "operations"> {
  readonly operations: Pick<ReviewOperations, "keep" | "undo" | "rewind">;
  /** Path relative to the workspace, for the user. */
  displayPath(file: ChangedFile): string;
  /** Asks in a modal dialog. Resolves with the selected button. */
  ask(question: string, detail: string, ...buttons: readonly string[]): Promise<string | undefined>;
  /** Asks about the changes in the editor that `open` opens with this title. Resolves with true if they are wanted. */
  confirmShown(title: string, question: string, button: string, open: () => Promise<void>): Promise<boolean>;
  /** Whether the editor has unsaved text of this file. */
  isUnsaved(file: ChangedFile): boolean;
}

export function conversationActions(deps: ConversationActionDeps): ReviewActions {
  const { operations } = deps;
  /** Runs an action on the review with the turn of the prompt, and shows the message of a failure. */
  const onReview = async (
    conversation: string,
    entryId: string | undefined,
    run: (review: Review, turn: ReviewTurn | undefined) => Promise<unknown>,
  ): Promise<void> => {
    const review = deps.reviews().find(({ id }) => id === conversation),
      turn = review?.turns.find(each => each.entryId === entryId);
    if (review === undefined || (entryId !== undefined && turn === undefined)) return deps.inform(NOTHING_TO_REVIEW);
    try {
      await run(review, entryId === undefined ? undefined : turn);
    } catch (error) {
      deps.showFailure(errorMessage(error));
    }
  };
  const scopeOf = ({ id }: Review, turn: ReviewTurn | undefined) => ({
    id,
    ...(turn === undefined ? {} : { turn: turn.turn }),
  });
  return {
    open: (conversation, entryId) => onReview(conversation, entryId, (review, turn) => openReview(deps, review, turn)),
    keep: (conversation, entryId) =>
      onReview(conversation, entryId, (review, turn) => operations.keep(scopeOf(review, turn))),
    undo: (conversation, entryId) =>
      onReview(conversation, entryId, (review, turn) => operations.undo(scopeOf(review, turn))),
    rewind: async (conversation, entryId, alsoConversation) => {
      try {
        return await rewind(deps, conversation, entryId, alsoConversation);
      } catch (error) {
        deps.showFailure(errorMessage(error));
        return false;
      }
    },
  };
}

/** Restores files to before a prompt that the user picks. */
export async function restoreTo(
  deps: Pick<ConversationActionDeps, "client" | "pick" | "inform" | "showFailure">,
  actions: Pick<ReviewActions, "rewind">,
): Promise<void> {
  try {
    const { prompts } = await (await deps.client()).request("review/prompts", {});
    if (prompts.length === 0)
      return deps.inform(l10n.t("No open session has a prompt to which files can be restored."));
    const chosen = await deps.pick(
      l10n.t("Restore Files to before a Prompt"),
      prompts.map(prompt => ({
        label: promptLabel(prompt.title),
        description: readableLine(prompt.session),
        value: prompt,
      })),
    );
    if (chosen !== undefined) await actions.rewind(chosen.id, chosen.entryId, false);
  } catch (error) {
    deps.showFailure(errorMessage(error));
  }
}

/** Restores what the user has confirmed. If more has changed until then, shows that and asks again. */
async function rewind(
  deps: ConversationActionDeps,
  conversation: string,
  entryId: string,
  alsoConversation: boolean,
): Promise<boolean> {
  const client = await deps.client();
  /** Unsaved text is saved before the file is restored. */
  const preview = async (): Promise<readonly RewoundFile[]> => {
    const { files } = await client.request("review/previewRewind", { id: conversation, entryId });
    return files.map(file => ({ ...file, hasOwnChanges: file.hasOwnChanges || deps.isUnsaved(file) })).toSorted(byPath);
  };
  for (let files = await preview(), isRepeated = false; files.length > 0; isRepeated = true) {
    if (!(await isConfirmed(deps, conversation, files, { alsoConversation, isRepeated }))) return false;
    const newest = await preview();
    if (newest.length > 0 && !hasMoreChanges(files, newest))
      return deps.operations.rewind(conversation, entryId, newest);
    files = newest;
  }
  deps.inform(l10n.t("No files have changed since this prompt."));
  return alsoConversation;
}

/** Whether the newest preview has other files than the shown one, or other changes of the user in one of them. */
function hasMoreChanges(shown: readonly RewoundFile[], newest: readonly RewoundFile[]): boolean {
  return newest.some(file => {
    const known = shown.find(each => isSameFile(each, file));
    if (known === undefined || known.from !== file.from) return true;
    const isSame = isSameContent(known.before, file.before) && isSameContent(known.after, file.after);
    return file.hasOwnChanges && !(known.hasOwnChanges && isSame);
  });
}

function isSameContent(a: RecordedFile | undefined, b: RecordedFile | undefined): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}

async function isConfirmed(
  deps: ConversationActionDeps,
  conversation: string,
  files: readonly RewoundFile[],
  { alsoConversation, isRepeated }: { readonly alsoConversation: boolean; readonly isRepeated: boolean },
): Promise<boolean> {
  const question = questionOf(files.length, alsoConversation),
    restore = alsoConversation ? l10n.t("Restore Files and Conversation") : l10n.t("Restore Files"),
    show = l10n.t("Show Changes"),
    listed = rewindDetail(files, file => deps.displayPath(file)),
    detail = isRepeated
      ? `${l10n.t("Files have changed since you confirmed. Check the list again.")}\n${listed}`
      : listed,
    chosen = await deps.ask(question, detail, restore, show);
  if (chosen !== show) return chosen === restore;
  const review = deps.reviews().find(({ id }) => id === conversation),
    title = rewindTitle(review?.title ?? "", alsoConversation);
  return deps.confirmShown(title, question, restore, () => deps.editor.openChanges(title, files));
}

function questionOf(count: number, alsoConversation: boolean): string {
  if (count === 1)
    return alsoConversation
      ? l10n.t("Restore 1 file and the conversation to before this prompt?")
      : l10n.t("Restore 1 file to before this prompt?");
  return alsoConversation
    ? l10n.t`Restore ${count} files and the conversation to before this prompt?`
    : l10n.t`Restore ${count} files to before this prompt?`;
}
