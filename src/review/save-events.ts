/** Passes the saves of documents in VS Code to `save-reports.ts`. */
import * as vscode from "vscode";
import type { SaveReports } from "./save-reports";

interface SaveEvent {
  waitUntil(thenable: Thenable<unknown>): void;
}

export function reportSaves(reports: SaveReports): vscode.Disposable {
  const saving = (uri: vscode.Uri, event: SaveEvent): void => {
    if (uri.scheme === "file") event.waitUntil(reports.saving(uri.fsPath));
  };
  const saved = ({ uri }: { readonly uri: vscode.Uri }): void => {
    if (uri.scheme === "file") void reports.saved(uri.fsPath);
  };
  return vscode.Disposable.from(
    vscode.workspace.onWillSaveTextDocument(event => saving(event.document.uri, event)),
    vscode.workspace.onDidSaveTextDocument(saved),
    vscode.workspace.onWillSaveNotebookDocument(event => saving(event.notebook.uri, event)),
    vscode.workspace.onDidSaveNotebookDocument(saved),
  );
}
