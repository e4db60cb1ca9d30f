/**
 * What is selected in a terminal. VS Code gives it to extensions by way of the clipboard only, which has its text back
 * afterwards.
 *
 * Invariants: one at a time; the clipboard's text is put back, also when something fails; a picture in it, which is no
 * text, stays as long as nothing is copied.
 */
export interface TerminalDeps {
  /** Has VS Code copy what is selected; nothing selected: it copies nothing. */
  copy(): PromiseLike<unknown>;
  readonly clipboard: { readText(): PromiseLike<string>; writeText(text: string): PromiseLike<void> };
}

export class TerminalSelection {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: TerminalDeps) {}

  /** Empty: nothing is selected. */
  read(): Promise<string> {
    const read = this.#last.then(() => this.#read());
    this.#last = read.catch(() => undefined);
    return read;
  }

  async #read(): Promise<string> {
    const { copy, clipboard } = this.deps;
    const before = await clipboard.readText();
    try {
      if (before !== "") await clipboard.writeText(""); // what was there before is no selection
      await copy();
      return await clipboard.readText();
    } finally {
      if (before !== "") await clipboard.writeText(before);
    }
  }
}
