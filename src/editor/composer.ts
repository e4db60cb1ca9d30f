/** Provides the mention list after an `@`, and attachments from the editor. */
import path from "node:path";
import * as vscode from "vscode";
import type { Clock } from "../clock";
import type { Log } from "../log";
import type { Mention, ContextSource } from "../protocol/chat/attachments";
import { ContextSources, type Gathered } from "./mentions/context-sources";
import { FileIndex } from "./mentions/file-index";
import { Mentions } from "./mentions/mentions";
import { RecentFiles } from "./mentions/recent-files";
import { TerminalSelection } from "./mentions/terminal-selection";
import { symbolPlaces, workspaceSymbols, type SymbolPlace } from "./mentions/workspace-symbols";

export class EditorComposer implements vscode.Disposable {
  readonly context = new ContextSources(
    new TerminalSelection({
      copy: () => vscode.commands.executeCommand("workbench.action.terminal.copySelection"),
      clipboard: vscode.env.clipboard,
    }),
  );
  readonly #index: FileIndex;
  readonly #recent = new RecentFiles();
  readonly #mentions: Mentions;

  constructor(clock: Clock, log: Log) {
    const index = (this.#index = new FileIndex(log, () =>
      (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file"),
    ));
    this.#mentions = new Mentions({
      clock,
      log,
      files: (query, signal) => index.files(query, signal),
      symbols: query => workspaceSymbols(query, index),
      now: () => ({
        offers: this.context.offers(),
        opened: this.#recent.all().map(({ file, isOpen }) => ({ listed: index.place(file), isOpen })),
      }),
    });
  }

  find(query: string, found: (mentions: readonly Mention[]) => void, signal: AbortSignal): Promise<void> {
    return this.#mentions.find(query, found, signal);
  }
  gather(source: ContextSource): Promise<Gathered> {
    return this.context.gather(source);
  }

  /** Symbols of the workspace whose names match the query. */
  symbols(query: string): Promise<readonly SymbolPlace[]> {
    return symbolPlaces(query, this.#index);
  }

  /** Absolute paths of the workspace's files. */
  async listedFiles(): Promise<readonly string[]> {
    const listed = await this.#index.files("", new AbortController().signal);
    return listed.flatMap(({ kind, root, path: file }) => (kind === "file" ? [path.join(root, file)] : []));
  }

  dispose(): void {
    this.#index.dispose();
    this.#recent.dispose();
  }
}
