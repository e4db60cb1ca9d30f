/**
 * Reads the selection of a terminal. VS Code exposes it through the clipboard only, so the clipboard's text is restored
 * afterwards.
 *
 * Invariants:
 * - Reads are serialized.
 * - The clipboard's text is restored, also after a failure.
 * - An image in the clipboard is kept unless text is copied.
 */
export interface TerminalDeps {
  /** Copies the selection to the clipboard. Does nothing without a selection. */
  copy(): PromiseLike<unknown>;
  readonly clipboard: { readText(): PromiseLike<string>; writeText(text: string): PromiseLike<void> };
}

export class TerminalSelection {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: TerminalDeps) {}

  /** Empty if nothing is selected. */
  read(): Promise<string> {
    const read = this.#last.then(() => this.#read());
    this.#last = read.catch(() => undefined);
    return read;
  }

  async #read(): Promise<string> {
    const { copy, clipboard } = this.deps;
    const before = await clipboard.readText();
    try {
      if (before !== "") await clipboard.writeText(""); // the previous text must not be mistaken for a selection
      await copy();
      return await clipboard.readText();
    } finally {
      if (before !== "") await clipboard.writeText(before);
    }
  }
}
