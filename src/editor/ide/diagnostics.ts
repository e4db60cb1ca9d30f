/**
 * Current diagnostics of a file. Language services report diagnostics incrementally. Some analyse only files that are
 * open in a tab. A file without a tab is opened in a background tab, which is closed after the services have reported.
 */
import * as vscode from "vscode";
import type { Clock } from "../../clock";
import { Freshness } from "./diagnostics-freshness";

export class IdeDiagnostics implements vscode.Disposable {
  #watching: { readonly freshness: Freshness; readonly subscriptions: readonly vscode.Disposable[] } | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /**
   * Waits until `until` at the latest, or until `signal` aborts. `hasSpoken`: whether a language service reported on
   * the current text.
   */
  async of(
    { uri }: vscode.TextDocument,
    until: number,
    signal: AbortSignal,
  ): Promise<{ readonly diagnostics: readonly vscode.Diagnostic[]; readonly hasSpoken: boolean }> {
    const freshness = this.#watch(),
      key = uri.toString(),
      isInTab = tabsOf(uri).length > 0;
    // a background tab in an empty window becomes active
    const wasEmpty = vscode.window.tabGroups.all.every(({ tabs }) => tabs.length === 0);
    if (!isInTab) {
      freshness.shown(key, this.clock.now());
      await vscode.commands.executeCommand("vscode.open", uri, {
        background: true,
        preserveFocus: true,
        preview: false,
      });
    }
    try {
      for (
        let ms = this.#remaining(freshness, key, until);
        ms > 0 && !signal.aborted;
        ms = this.#remaining(freshness, key, until)
      )
        await this.#wait(ms, signal);
      return {
        diagnostics: vscode.languages.getDiagnostics(uri),
        hasSpoken: freshness.hasNews(key) || vscode.languages.getDiagnostics(uri).length > 0,
      };
    } finally {
      const ours = isInTab ? [] : tabsOf(uri).filter(tab => (!tab.isActive || wasEmpty) && !tab.isDirty);
      if (ours.length > 0) await vscode.window.tabGroups.close(ours, true);
    }
  }

  dispose(): void {
    for (const each of this.#watching?.subscriptions ?? []) each.dispose();
  }

  /** Adds the listeners with the first request. */
  #watch(): Freshness {
    if (this.#watching) return this.#watching.freshness;
    const { clock } = this,
      freshness = new Freshness(clock.now());
    this.#watching = {
      freshness,
      subscriptions: [
        vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
          if (contentChanges.length > 0) freshness.changed(document.uri.toString(), clock.now());
        }),
        vscode.languages.onDidChangeDiagnostics(({ uris }) => {
          for (const uri of uris) freshness.diagnosed(uri.toString(), clock.now());
          for (const listener of [...this.#listeners]) listener();
        }),
      ],
    };
    return freshness;
  }

  #remaining(freshness: Freshness, key: string, until: number): number {
    const now = this.clock.now();
    return Math.min(freshness.settledIn(key, now), until - now);
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const finish = (): void => {
        this.#listeners.delete(finish);
        signal.removeEventListener("abort", finish);
        timer.dispose();
        resolve();
      };
      const timer = this.clock.after(ms, finish);
      this.#listeners.add(finish);
      signal.addEventListener("abort", finish);
    });
  }
}

function tabsOf(uri: vscode.Uri): readonly vscode.Tab[] {
  const key = uri.toString(),
    showsFile = ({ input }: vscode.Tab): boolean =>
      ((input instanceof vscode.TabInputText ||
        input instanceof vscode.TabInputCustom ||
        input instanceof vscode.TabInputNotebook) &&
        input.uri.toString() === key) ||
      (input instanceof vscode.TabInputTextDiff && input.modified.toString() === key);
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(showsFile));
}
