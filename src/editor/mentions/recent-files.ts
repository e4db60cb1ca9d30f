/** Files open in an editor, and recently used files, latest first. */
import * as vscode from "vscode";

/** Maximum number of recently used files. */
const MAX_FILES = 50;

export class RecentFiles implements vscode.Disposable {
  #lately: readonly vscode.Uri[] = [];
  readonly #listener: vscode.Disposable;

  constructor() {
    this.#used(vscode.window.activeTextEditor);
    this.#listener = vscode.window.onDidChangeActiveTextEditor(editor => this.#used(editor));
  }

  all(): readonly { readonly file: vscode.Uri; readonly isOpen: boolean }[] {
    const open = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.flatMap(({ input }) => fileOf(input) ?? []));
    const isOpen = new Set(open.map(String)),
      lately = this.#lately.filter(file => isOpen.has(String(file)));
    return [
      ...distinct([...lately, ...open]).map(file => ({ file, isOpen: true })),
      ...this.#lately.filter(file => !isOpen.has(String(file))).map(file => ({ file, isOpen: false })),
    ];
  }

  dispose(): void {
    this.#listener.dispose();
  }

  #used(editor: vscode.TextEditor | undefined): void {
    if (editor?.document.uri.scheme === "file")
      this.#lately = distinct([editor.document.uri, ...this.#lately]).slice(0, MAX_FILES);
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
