/** The file of the active editor, for suggested prompts. */
import path from "node:path";
import * as vscode from "vscode";
import type { ActiveFile } from "../protocol/page/first-screen";

/** Undefined without an editor of a file in the workspace. */
export function activeFile(): ActiveFile | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== "file" || !vscode.workspace.getWorkspaceFolder(uri)) return undefined;
  const problems = vscode.languages
    .getDiagnostics(uri)
    .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning);
  return { path: vscode.workspace.asRelativePath(uri).replaceAll(path.sep, "/"), problems: problems.length };
}

/** Calls `changed` when the value of `activeFile` may have changed. */
export function onActiveFileChange(changed: () => void): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(changed),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      const active = vscode.window.activeTextEditor?.document.uri.toString();
      if (uris.some(uri => uri.toString() === active)) changed();
    }),
  );
}
