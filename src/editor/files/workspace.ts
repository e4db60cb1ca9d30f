/** Workspace services of the chat: folders, and opening links. */
import * as l10n from "@vscode/l10n";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { linkTarget, LinkNotOpened, pageAddress } from "./links";
import { printout } from "../sanitize-terminal-output";
import type { WorkspaceFolders } from "./working-folders";
import type { Log } from "../../log";
import { visibleLine } from "../../protocol/text/visible-text";
import type { PageToHost } from "../../protocol/page/host-to-page";

export function workspaceFolders(log: Log): WorkspaceFolders {
  const folders = () => (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  return {
    folders: () => folders().map(({ uri }) => uri.fsPath),
    // `showWorkspaceFolderPick` ignores `ignoreFocusOut`. The chat takes the focus while its tab opens, and the picker
    // must stay open.
    pick: async () => {
      const items = folders().map(({ name, uri }) => ({ label: name, description: uri.fsPath, folder: uri.fsPath }));
      return (
        await vscode.window.showQuickPick(items, {
          placeHolder: l10n.t("Select the agent's working folder"),
          ignoreFocusOut: true,
        })
      )?.folder;
    },
    home: homedir(),
    log,
  };
}

/**
 * Opens a web or mail address in the browser, or a workspace file in the editor. Throws `LinkNotOpened` for all other
 * links. `preview`: the focus does not move.
 */
export async function openLink(href: string, preview: boolean, { folders }: WorkspaceFolders): Promise<void> {
  const target = linkTarget(href, folders());
  switch (target.kind) {
    case "external":
      await openOutside(target.url);
      return;
    case "file": {
      const at = new vscode.Position((target.line ?? 1) - 1, (target.column ?? 1) - 1),
        end = target.endLine === undefined ? at : new vscode.Position(target.endLine, 0);
      const options = {
        ...(preview ? { preview, preserveFocus: true } : {}),
        ...(target.line === undefined ? {} : { selection: new vscode.Range(at, end) }),
      };
      try {
        await vscode.window.showTextDocument(vscode.Uri.file(target.path), options);
      } catch (error) {
        throw LinkNotOpened.missing(target.path, error);
      }
      return;
    }
    case "refused":
      throw LinkNotOpened.refused(target.why);
  }
}

/** Opens a web page in the browser. Any other URL is logged and not opened. */
export async function openPage(url: string, { log }: WorkspaceFolders): Promise<void> {
  const address = pageAddress(url);
  if (address === undefined) log.warn("agent", "Did not open a URL that is not a web page", { url });
  else await openOutside(address);
}

/** Passes a string instead of a `Uri`, which would decode the query and break a callback address in it. */
async function openOutside(address: string): Promise<void> {
  await vscode.env.openExternal(address as unknown as vscode.Uri);
}

/** Opens a read-only terminal with the current output of an agent's terminal. */
export function showPrintout({
  command,
  output,
  exit,
}: Pick<Extract<PageToHost, { type: "openTerminal" }>, "command" | "output" | "exit">): void {
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
