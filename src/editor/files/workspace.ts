/** What the chat asks of the workspace: its folders, and where links lead. */
import { homedir } from "node:os";
import * as vscode from "vscode";
import { linkTarget, LinkNotOpened, pageAddress } from "./links";
import { printout } from "../terminal-output";
import type { FolderDeps } from "./working-folders";
import type { Log } from "../../log";
import { visibleLine } from "../../protocol/visible-text";
import type { PageToHost } from "../../protocol/webview";

export function workspaceFolders(log: Log): FolderDeps {
  const folders = () => (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  return {
    folders: () => folders().map(({ uri }) => uri.fsPath),
    // Not showWorkspaceFolderPick, which does not heed ignoreFocusOut: the chat takes the focus while its tab opens,
    // and the question must outlive that.
    pick: async () => {
      const items = folders().map(({ name, uri }) => ({ label: name, description: uri.fsPath, folder: uri.fsPath }));
      return (
        await vscode.window.showQuickPick(items, {
          placeHolder: "The folder in which the agent works",
          ignoreFocusOut: true,
        })
      )?.folder;
    },
    say: message => void vscode.window.showInformationMessage(message),
    home: homedir(),
    log,
  };
}

/**
 * Opens a web or mail address outside, a file of the workspace here, and nothing else: throws `LinkNotOpened`.
 * `preview`: the focus stays where it is.
 */
export async function openLink(href: string, preview: boolean, { folders }: FolderDeps): Promise<void> {
  const target = linkTarget(href, folders());
  switch (target.kind) {
    case "external":
      await openOutside(target.url);
      return;
    case "file": {
      const at = new vscode.Position((target.line ?? 1) - 1, (target.column ?? 1) - 1);
      const how = {
        ...(preview ? { preview, preserveFocus: true } : {}),
        ...(target.line === undefined ? {} : { selection: new vscode.Range(at, at) }),
      };
      try {
        await vscode.window.showTextDocument(vscode.Uri.file(target.path), how);
      } catch (error) {
        throw LinkNotOpened.missing(target.path, error);
      }
      return;
    }
    case "refused":
      throw LinkNotOpened.refused(target.why);
  }
}

/**
 * In the browser, when it is a web page; whoever is told to open anything else has been told wrong, and it is logged.
 */
export async function openPage(url: string, { log }: FolderDeps): Promise<void> {
  const address = pageAddress(url);
  if (address === undefined) log.warn("agent", "What is no web page was not opened", { url });
  else await openOutside(address);
}

/**
 * A text passes as it is. A `Uri`, which the type asks for, has its query decoded, and a page that finds its way back
 * by its query is not found.
 */
async function openOutside(address: string): Promise<void> {
  await vscode.env.openExternal(address as unknown as vscode.Uri);
}

/** A terminal that shows what an agent's terminal had printed by now, and takes nothing. */
export function showPrintout({
  command,
  output,
  exit,
}: Pick<Extract<PageToHost, { type: "open-terminal" }>, "command" | "output" | "exit">): void {
  const write = new vscode.EventEmitter<string>();
  const pty: vscode.Pseudoterminal = {
    onDidWrite: write.event,
    open: () => write.fire(printout(output, exit)),
    close: () => write.dispose(),
  };
  vscode.window.createTerminal({ name: visibleName(command), pty, isTransient: true }).show(true);
}

function visibleName(command: string): string {
  return visibleLine(command).slice(0, 100) || "Agent";
}
