/**
 * The decision about a rewind whose changes are shown in an editor. The editor has the button *Restore* until the
 * user selects it, closes the editor or opens another preview. A message offers the same, but VS Code hides messages
 * after some seconds.
 *
 * Invariants:
 * - Each decision is made once. Without a confirmation it is negative.
 * - A decision is open only as long as its editor or its message is. A new preview closes the editor of the last one.
 */
import { deferred } from "../protocol/wire/deferred";
import { isTitled, type EditorTabs } from "./change-tabs";

interface Shown {
  readonly title: string;
  readonly decide: (isConfirmed: boolean) => void;
  /** `opening`: VS Code has not reported the editor yet. */
  editor: "opening" | "open";
}

export interface RewindPreviewDeps {
  readonly tabs: EditorTabs;
  /** Shows a message with one button. Resolves with true if it was selected, otherwise when the message is closed. */
  ask(question: string, button: string): Promise<boolean>;
  /** Whether the active editor is the preview. */
  showActive(isActive: boolean): void;
}

export class RewindPreview {
  #shown: Shown | undefined;
  readonly #listener: { dispose(): void };

  constructor(private readonly deps: RewindPreviewDeps) {
    this.#listener = deps.tabs.onChange(() => this.#changed());
  }

  /** `open`: opens the editor with this title. Resolves with true if the user confirms the question. */
  async confirm(title: string, question: string, button: string, open: () => Promise<void>): Promise<boolean> {
    const { promise, resolve } = deferred<boolean>(),
      shown: Shown = { title, decide: resolve, editor: "opening" },
      previous = this.#end(this.#shown, false);
    this.#shown = shown;
    await previous;
    // Replaced by a newer preview.
    if (this.#shown !== shown) return promise;
    try {
      await open();
    } catch (error) {
      await this.#end(shown, false);
      throw error;
    }
    this.#changed();
    if (this.#shown === shown) void this.#ask(shown, question, button);
    return promise;
  }

  /** Confirms the preview that is shown. */
  async restore(): Promise<void> {
    await this.#end(this.#shown, true);
  }

  async #ask(shown: Shown, question: string, button: string): Promise<void> {
    const isSelected = await this.deps.ask(question, button);
    if (isSelected || shown.editor === "opening") await this.#end(shown, isSelected);
  }

  #changed(): void {
    const shown = this.#shown,
      { tabs, showActive } = this.deps,
      active = tabs.active();
    if (shown !== undefined) {
      if (tabs.labels().some(label => isTitled(label, shown.title))) shown.editor = "open";
      else if (shown.editor === "open") void this.#end(shown, false);
    }
    showActive(active !== undefined && this.#shown !== undefined && isTitled(active, this.#shown.title));
  }

  /** Decides, and closes the editor. */
  async #end(shown: Shown | undefined, isConfirmed: boolean): Promise<void> {
    if (shown === undefined || shown !== this.#shown) return;
    this.#shown = undefined;
    shown.decide(isConfirmed);
    this.deps.showActive(false);
    await this.deps.tabs.close(label => isTitled(label, shown.title));
  }

  dispose(): void {
    this.#shown?.decide(false);
    this.#shown = undefined;
    this.#listener.dispose();
  }
}
