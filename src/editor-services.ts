/** What the chat asks of VS Code itself: folders, links, dialogs. */
import { homedir } from "node:os";
import * as vscode from "vscode";
import { linkTarget } from "./chat/links";
import type { FolderWorld } from "./chat/working-folders";
import type { Log } from "./log";
import { COMMANDS, type CommandName } from "./names";
import type { ActionId } from "./protocol/chat";

export function workspaceFolders(log: Log): FolderWorld {
  return {
    folders: () => (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath),
    pick: async () => (await vscode.window.showWorkspaceFolderPick({ placeHolder: "The folder in which the agent works" }))?.uri.fsPath,
    home: homedir(), log,
  };
}

/** Opens a web or mail address outside, a file of the workspace here, and nothing else. */
export async function openLink(href: string, { folders, log }: FolderWorld): Promise<void> {
  const target = linkTarget(href, folders());
  switch (target.kind) {
    case "external": await vscode.env.openExternal(vscode.Uri.parse(target.url, true)); return;
    case "file": {
      const at = new vscode.Position((target.line ?? 1) - 1, (target.column ?? 1) - 1);
      await vscode.window.showTextDocument(vscode.Uri.file(target.path), target.line === undefined ? {} : { selection: new vscode.Range(at, at) });
      return;
    }
    case "refused": log.warn("webview", "A link was not opened", { href, why: target.why });
  }
}

/** Where a button leads that stands for a command. */
const COMMAND_OF = {
  showLogs: "symposium.showLogs", restartAgent: "symposium.restartAgent", restartSidecar: "symposium.restartSidecar",
  selectAgent: "symposium.selectAgent", manageTrust: "workbench.trust.manage",
} as const satisfies Readonly<Record<ActionId, CommandName | "workbench.trust.manage">>;

export async function act(action: ActionId): Promise<void> { await vscode.commands.executeCommand(COMMAND_OF[action]); }

/** One message with the actions' commands as its buttons. */
export async function tell(message: string, actions: readonly ActionId[]): Promise<void> {
  const titles = actions.map(action => titleOf(COMMAND_OF[action]));
  const chosen = await vscode.window.showErrorMessage(message, ...titles);
  const action = actions[titles.indexOf(chosen ?? "")];
  if (action !== undefined) await act(action);
}

function titleOf(command: CommandName | "workbench.trust.manage"): string { return command === "workbench.trust.manage" ? "Manage Workspace Trust" : COMMANDS[command]; }
