/** Dialogs of the session commands in VS Code. */
import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { showInformation, showModal } from "../notifications";
import type { ChosenFile, SessionDialogs } from "./session-commands";
import { MAX_HITS, type SearchItem, type SearchResults, type SessionSearch } from "./session-search";

export const sessionDialogs: SessionDialogs = {
  pickSession: async (title, items) =>
    (await vscode.window.showQuickPick(items, { title, matchOnDescription: true, matchOnDetail: true }))?.session,
  search: searchList,
  askTitle: async title =>
    vscode.window.showInputBox({
      title: l10n.t("Rename Session"),
      prompt: l10n.t("Leave the title empty to restore the original title."),
      value: title,
    }),
  confirm: async (question, detail, yes) => (await showModal({ question, detail }, yes)) === yes,
  saveFile: async name => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    return chosen(
      await vscode.window.showSaveDialog({
        title: l10n.t("Export Session"),
        ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, `${name}.md`) }),
        filters: { Markdown: ["md"], JSON: ["json"] },
      }),
    );
  },
  openFile: async () => {
    const [file] =
      (await vscode.window.showOpenDialog({ title: l10n.t("Import Session"), filters: { JSON: ["json"] } })) ?? [];
    return chosen(file);
  },
  inform: sentence => void showInformation(sentence),
  copy: async text => vscode.env.clipboard.writeText(text),
};

function chosen(uri: vscode.Uri | undefined): ChosenFile | undefined {
  return uri && { scheme: uri.scheme, path: uri.fsPath };
}

type Item = vscode.QuickPickItem & { readonly found?: SearchItem };

async function searchList(
  start: (show: (results: SearchResults) => void) => SessionSearch,
): Promise<SearchItem | undefined> {
  const list = vscode.window.createQuickPick<Item>(),
    title = l10n.t("Search Sessions");
  list.title = title;
  list.placeholder = l10n.t("Text in a session");
  const search = start(({ items, isSearching, isCut, problem }) => {
    list.busy = isSearching;
    list.title = isCut ? l10n.t`Search Sessions (first ${MAX_HITS} hits)` : title;
    list.items = problem === undefined ? items.map(itemOf) : [{ label: problem, alwaysShow: true }];
  });
  const accepted = new Promise<SearchItem | undefined>(resolve => {
    list.onDidChangeValue(text => search.typed(text));
    list.onDidAccept(() => {
      const found = list.selectedItems[0]?.found;
      if (found !== undefined) resolve(found);
    });
    list.onDidHide(() => resolve(undefined));
  });
  list.show();
  try {
    return await accepted;
  } finally {
    search.dispose();
    list.dispose();
  }
}

/** The sidecar has already filtered the items. */
function itemOf(found: SearchItem): Item {
  const { label, description, detail } = found;
  return { label, description, detail, alwaysShow: true, found };
}
