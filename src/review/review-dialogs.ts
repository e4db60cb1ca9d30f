/** Dialogs and messages of the review in VS Code. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { Clock } from "../clock";
import { REVIEW_COMMANDS, type ReviewCommandName } from "../names";
import { showError, showInformation, showModal } from "../notifications";
import type { ConversationActionDeps } from "./conversation-actions";
import type { ShownProgress } from "./operation-progress";
import type { PickItem } from "./review-commands";
import type { OperationRef } from "./review-operations";

const UNDO: ReviewCommandName = "symposium.undoLastOperation";
/** Enough time to read the sentence and to select it. */
const SHOWN_MS = 20_000;

type Dialogs = Pick<ConversationActionDeps, "pick" | "inform" | "showFailure" | "explain" | "ask">;

export const reviewDialogs: Dialogs = {
  pick: async <T>(title: string, items: readonly PickItem<T>[]) =>
    (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.value,
  inform: sentence => void showInformation(sentence),
  showFailure: sentence => void showError(sentence),
  explain: async (question, detail) => void (await showModal({ question, detail })),
  ask: async (question, detail, ...buttons) => showModal({ question, detail }, ...buttons),
};

/** Shows a message with one button. Resolves with true if it was selected. */
export async function askBeside(question: string, button: string): Promise<boolean> {
  return (await showInformation(question, button)) === button;
}

/** A notification with a bar, until `end`. */
export function showProgress(title: string): ShownProgress {
  let shown = 0,
    end = (): void => undefined,
    progress: vscode.Progress<{ increment: number }> | undefined;
  const ended = new Promise<void>(resolve => {
    end = resolve;
  });
  const report = (percent: number): void => {
    progress?.report({ increment: percent - shown });
    if (progress !== undefined) shown = percent;
  };
  void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, started => {
    progress = started;
    return ended;
  });
  return { report, end };
}

/** The last operation, in the status bar. Selecting it undoes the operation. */
export class OperationStatus implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem("symposium.review", vscode.StatusBarAlignment.Left);
  #timer: { dispose(): void } | undefined;

  constructor(private readonly clock: Clock) {
    this.#item.name = l10n.t("Symposium: Review");
  }

  show(sentence: string, undo?: OperationRef): void {
    const text = undo === undefined ? sentence : l10n.t`${sentence}. Undo`;
    this.#item.text = undo === undefined ? text : `$(discard) ${text}`;
    this.#item.tooltip = undo === undefined ? sentence : l10n.t("Undo this operation");
    this.#item.accessibilityInformation = { label: text };
    this.#item.command =
      undo === undefined ? undefined : { command: UNDO, title: REVIEW_COMMANDS[UNDO], arguments: [undo] };
    this.#item.show();
    this.#timer?.dispose();
    this.#timer = this.clock.after(SHOWN_MS, () => this.#item.hide());
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#item.dispose();
  }
}
