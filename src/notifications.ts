/** VS Code's notifications. The only module that shows them, because VS Code renders links in their texts. */
import * as vscode from "vscode";
import { notificationText } from "./protocol/text/notification-text";

/** Resolves with the selected button. */
type Notify = (sentence: string, ...buttons: readonly string[]) => Thenable<string | undefined>;

export const showInformation: Notify = (sentence, ...buttons) =>
  vscode.window.showInformationMessage(notificationText(sentence), ...buttons);

export const showWarning: Notify = (sentence, ...buttons) =>
  vscode.window.showWarningMessage(notificationText(sentence), ...buttons);

export const showError: Notify = (sentence, ...buttons) =>
  vscode.window.showErrorMessage(notificationText(sentence), ...buttons);

export interface ModalQuestion {
  readonly question: string;
  readonly detail: string;
}

/** Shows a modal dialog. Its texts are plain text in VS Code, without links. */
export function showModal(
  { question, detail }: ModalQuestion,
  ...buttons: readonly string[]
): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(question, { modal: true, detail }, ...buttons);
}
