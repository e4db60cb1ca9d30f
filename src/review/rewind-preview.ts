/**
 * The decision about a rewind whose changes are shown in an editor. The editor has the button *Restore* until the
 * user selects it, closes the editor or opens another preview. A message offers the same, but VS Code hides messages
 * after some seconds.
 *
 * Invariant: each decision is made once. Without a confirmation it is negative.
 */
import * as vscode from "vscode";
import { REVIEW_CONTEXTS } from "../names";

interface Shown {
  /** Start of the label of the editor's tab. VS Code appends the number of files. */
  readonly title: string;
  readonly decide: (isConfirmed: boolean) => void;
}

export class RewindPreview implements vscode.Disposable {
  #shown: Shown | undefined;
  readonly #listeners: vscode.Disposable;

  /** `ask`: shows a message with one button; resolves with true if it was selected. */
  constructor(private readonly ask: (question: string, button: string) => Promise<boolean>) {
    const { tabGroups } = vscode.window;
    this.#listeners = vscode.Disposable.from(
      tabGroups.onDidChangeTabs(({ closed }) => {
        if (closed.some(tab => this.#isPreview(tab)) && this.#tabs().length === 0) this.#decide(this.#shown, false);
        this.#showContext();
      }),
      tabGroups.onDidChangeTabGroups(() => this.#showContext()),
    );
  }

  /** `title`: that of the open editor. Resolves with true if the user confirms the question. */
  confirm(title: string, question: string, button: string): Promise<boolean> {
    this.#decide(this.#shown, false);
    return new Promise(resolve => {
      const shown: Shown = { title, decide: resolve };
      this.#shown = shown;
      this.#showContext();
      void this.ask(question, button).then(isSelected => {
        if (isSelected) this.#confirm(shown);
      });
    });
  }

  /** Confirms the preview that is shown. */
  restore(): void {
    this.#confirm(this.#shown);
  }

  #confirm(shown: Shown | undefined): void {
    const tabs = shown === this.#shown ? this.#tabs() : [];
    this.#decide(shown, true);
    void vscode.window.tabGroups.close(tabs);
  }

  #decide(shown: Shown | undefined, isConfirmed: boolean): void {
    shown?.decide(isConfirmed);
    if (shown !== this.#shown) return;
    this.#shown = undefined;
    this.#showContext();
  }

  #isPreview({ label }: vscode.Tab): boolean {
    return this.#shown !== undefined && label.startsWith(this.#shown.title);
  }

  #tabs(): readonly vscode.Tab[] {
    return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(tab => this.#isPreview(tab)));
  }

  #showContext(): void {
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    void vscode.commands.executeCommand(
      "setContext",
      REVIEW_CONTEXTS.rewindPreview,
      activeTab !== undefined && this.#isPreview(activeTab),
    );
  }

  dispose(): void {
    this.#decide(this.#shown, false);
    this.#listeners.dispose();
  }
}
