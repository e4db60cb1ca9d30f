/**
 * Reads the selection of a terminal. VS Code exposes it through the clipboard only, so the clipboard's text is restored
 * afterwards.
 *
 * Invariants:
 * - One read at a time.
 * - The clipboard's text is restored, also after a failure.
 * - An image in the clipboard is not text. It stays unless something is copied.
 */
export interface TerminalDeps {
  /** Makes VS Code copy the selection. Without a selection it copies nothing. */
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
