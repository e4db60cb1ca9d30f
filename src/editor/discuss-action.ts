/** “Discuss in Symposium” at the light bulb of whatever is selected. */
import * as vscode from "vscode";

export function registerDiscussAction(command: string, title: string): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider({ pattern: "**" }, {
    provideCodeActions: (_document, range) => {
      if (range.isEmpty) return [];
      const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      action.command = { command, title };
      return [action];
    },
  }, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] });
}
