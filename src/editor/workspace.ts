/** What the chat asks of the workspace: its folders, and where links lead. */
import { homedir } from "node:os";
import * as vscode from "vscode";
import { linkTarget, LinkNotOpened } from "./links";
import type { FolderWorld } from "./working-folders";
import type { Log } from "../log";

export function workspaceFolders(log: Log): FolderWorld {
  const folders = () => (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  return {
    folders: () => folders().map(({ uri }) => uri.fsPath),
    // Not showWorkspaceFolderPick, which does not heed ignoreFocusOut: the chat takes the focus while its tab opens, and the
    // question must outlive that.
    pick: async () => {
      const items = folders().map(({ name, uri }) => ({ label: name, description: uri.fsPath, folder: uri.fsPath }));
      return (await vscode.window.showQuickPick(items, { placeHolder: "The folder in which the agent works", ignoreFocusOut: true }))?.folder;
    },
    say: message => void vscode.window.showInformationMessage(message),
    home: homedir(), log,
  };
}

/** Opens a web or mail address outside, a file of the workspace here, and nothing else: throws `LinkNotOpened`. */
export async function openLink(href: string, { folders }: FolderWorld): Promise<void> {
  const target = linkTarget(href, folders());
  switch (target.kind) {
    case "external": await vscode.env.openExternal(vscode.Uri.parse(target.url, true)); return;
    case "file": {
      const at = new vscode.Position((target.line ?? 1) - 1, (target.column ?? 1) - 1);
      try { await vscode.window.showTextDocument(vscode.Uri.file(target.path), target.line === undefined ? {} : { selection: new vscode.Range(at, at) }); }
      catch (error) { throw LinkNotOpened.missing(target.path, error); }
      return;
    }
    case "refused": throw LinkNotOpened.refused(target.why);
  }
}
