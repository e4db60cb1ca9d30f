import { deepEqual, equal, rejects } from "node:assert/strict";
import { deferred } from "../../protocol/wire/deferred";
import { TerminalSelection } from "./terminal-selection";

class Clipboard {
  text = "mine";
  async readText(): Promise<string> {
    return this.text;
  }
  async writeText(text: string): Promise<void> {
    this.text = text;
  }
}

suite("TerminalSelection", () => {
  test("reads through the clipboard and restores it", async () => {
    const clipboard = new Clipboard();
    const selection = new TerminalSelection({
      clipboard,
      copy: async () => {
        clipboard.text = "$ ls";
      },
    });
    deepEqual([await selection.read(), clipboard.text], ["$ ls", "mine"]);
  });

  test("returns an empty text without a selection", async () => {
    const clipboard = new Clipboard();
    deepEqual(
      [await new TerminalSelection({ clipboard, copy: async () => undefined }).read(), clipboard.text],
      ["", "mine"],
    );
  });

  test("does not overwrite a picture in the clipboard", async () => {
    const written: string[] = [];
    const clipboard = {
      readText: async () => "",
      writeText: async (text: string) => {
        written.push(text);
      },
    };
    deepEqual([await new TerminalSelection({ clipboard, copy: async () => undefined }).read(), written], ["", []]);
  });

  test("restores the clipboard when the copy fails and reads again", async () => {
    const clipboard = new Clipboard();
    let fails = true;
    const selection = new TerminalSelection({
      clipboard,
      copy: async () => {
        if (fails) throw new Error("no");
        clipboard.text = "$ ls";
      },
    });
    await rejects(selection.read(), /no/);
    equal(clipboard.text, "mine");
    fails = false;
    equal(await selection.read(), "$ ls");
  });

  test("serializes concurrent reads", async () => {
    const clipboard = new Clipboard(),
      copied = deferred<undefined>();
    let copies = 0;
    const selection = new TerminalSelection({
      clipboard,
      copy: async () => {
        await copied.promise;
        clipboard.text = `selected ${++copies}`;
      },
    });
    const both = [selection.read(), selection.read()];
    copied.resolve(undefined);
    deepEqual([await Promise.all(both), clipboard.text], [["selected 1", "selected 2"], "mine"]);
  });
});
