import { deepEqual } from "node:assert/strict";
import { droppedOf, mayAttach, pastesImages } from "./dropped";

const PNG = { type: "image/png", name: "cat.png" },
  ODT = { type: "application/vnd.oasis.opendocument.text", name: "a.odt" };
const drop = (lists: Readonly<Record<string, string>>, ...files: readonly (typeof PNG)[]) =>
  droppedOf(type => lists[type] ?? "", files);
const EDITOR = "application/vnd.code.uri-list",
  LIST = "text/uri-list";

suite("what is dropped", () => {
  test("files of VS Code come by their addresses, one a line, without comments", () => {
    deepEqual(
      drop({ [EDITOR]: "# two\r\nfile:///w/a.ts\r\nvscode-remote://ssh/w/b\r\n", [LIST]: "file:///other" }, PNG),
      { uris: ["file:///w/a.ts", "vscode-remote://ssh/w/b"], images: [], others: [] },
    );
    deepEqual(drop({ [LIST]: "file:///w/a.ts" }, ODT), { uris: ["file:///w/a.ts"], images: [], others: [] });
  });

  test("an image of another program is taken as it is, what else it drags is told apart", () =>
    deepEqual(drop({ [LIST]: "file:///home/cat.png" }, PNG, ODT), { uris: [], images: [PNG], others: [ODT] }));

  test("a link to a page is nothing to attach", () =>
    deepEqual(drop({ [LIST]: "https://example.org/\njavascript:alert(1)\ndata:text/plain,x\nnonsense" }), {
      uris: [],
      images: [],
      others: [],
    }));

  test("what is merely text is left to the prompt", () =>
    deepEqual([["text/plain", "text/html"], ["Files"], [EDITOR], [LIST]].map(mayAttach), [false, true, true, true]));
});

suite("what is pasted", () => {
  test("an image, unless there is text beside it that is more than its name", () =>
    deepEqual(
      [
        pastesImages("", [PNG]),
        pastesImages("cat.png", [PNG]),
        pastesImages("a table of cats", [PNG]),
        pastesImages("", [ODT]),
        pastesImages("", []),
        pastesImages("cat.png\na.odt", [PNG, ODT]),
      ],
      [true, true, false, false, false, true],
    ));
});
