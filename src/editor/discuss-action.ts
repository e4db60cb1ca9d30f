/** The code action “Discuss in Symposium”, offered for a selection. */
import * as vscode from "vscode";

export function registerDiscussAction(command: string, title: string): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    { pattern: "**" },
    {
      // VS Code also requests code actions for ranges that are not a selection, such as a diagnostic under the pointer.
      // For those the command would add the wrong text.
      provideCodeActions: (_document, range) => {
        if (!(range instanceof vscode.Selection) || range.isEmpty) return [];
        const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
        action.command = { command, title };
        return [action];
      },
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
}
