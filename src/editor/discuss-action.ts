/** “Discuss in Symposium” at the light bulb of whatever is selected. */
import * as vscode from "vscode";

export function registerDiscussAction(command: string, title: string): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    { pattern: "**" },
    {
      // VS Code also asks about what is no selection: a problem that is pointed at, say. The command would add
      // something else.
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
