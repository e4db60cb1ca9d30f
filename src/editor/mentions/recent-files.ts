/** Files open in an editor, and recently used files, latest first. */
import * as vscode from "vscode";

/** Maximum number of recently used files. */
const MAX_FILES = 50;

export class RecentFiles implements vscode.Disposable {
  #recent: readonly vscode.Uri[] = [];
  readonly #listener: vscode.Disposable;

  constructor() {
    this.#add(vscode.window.activeTextEditor);
    this.#listener = vscode.window.onDidChangeActiveTextEditor(editor => this.#add(editor));
  }

  all(): readonly { readonly file: vscode.Uri; readonly isOpen: boolean }[] {
    const open = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.flatMap(({ input }) => fileOf(input) ?? []));
    const isOpen = new Set(open.map(String)),
      recent = this.#recent.filter(file => isOpen.has(String(file)));
    return [
      ...distinct([...recent, ...open]).map(file => ({ file, isOpen: true })),
      ...this.#recent.filter(file => !isOpen.has(String(file))).map(file => ({ file, isOpen: false })),
    ];
  }

  dispose(): void {
    this.#listener.dispose();
  }

  #add(editor: vscode.TextEditor | undefined): void {
    if (editor?.document.uri.scheme === "file")
      this.#recent = distinct([editor.document.uri, ...this.#recent]).slice(0, MAX_FILES);
  }
}

function distinct(files: readonly vscode.Uri[]): readonly vscode.Uri[] {
  return [...new Map(files.map(file => [String(file), file])).values()];
}

function fileOf(input: unknown): vscode.Uri | undefined {
  const uri =
    input instanceof vscode.TabInputText ||
    input instanceof vscode.TabInputCustom ||
    input instanceof vscode.TabInputNotebook
      ? input.uri
      : input instanceof vscode.TabInputTextDiff
        ? input.modified
        : undefined;
  return uri?.scheme === "file" ? uri : undefined;
}
