import { deepEqual } from "node:assert/strict";
import { attachableParts, mayAttach, pastesImages } from "./attachable-data";

const PNG = { type: "image/png", name: "cat.png" },
  ODT = { type: "application/vnd.oasis.opendocument.text", name: "a.odt" };
const drop = (lists: Readonly<Record<string, string>>, ...files: readonly (typeof PNG)[]) =>
  attachableParts(type => lists[type] ?? "", files);
const EDITOR = "application/vnd.code.uri-list",
  LIST = "text/uri-list";

suite("dropped data", () => {
  test("contains VS Code's files as URIs, one per line without comments", () => {
    deepEqual(
      drop({ [EDITOR]: "# two\r\nfile:///w/a.ts\r\nvscode-remote://ssh/w/b\r\n", [LIST]: "file:///other" }, PNG),
      { uris: ["file:///w/a.ts", "vscode-remote://ssh/w/b"], images: [], others: [] },
    );
    deepEqual(drop({ [LIST]: "file:///w/a.ts" }, ODT), { uris: ["file:///w/a.ts"], images: [], others: [] });
  });

  test("contains images of another program, separated from other files", () =>
    deepEqual(drop({ [LIST]: "file:///home/cat.png" }, PNG, ODT), { uris: [], images: [PNG], others: [ODT] }));

  test("excludes links to pages", () =>
    deepEqual(drop({ [LIST]: "https://example.org/\njavascript:alert(1)\ndata:text/plain,x\nnonsense" }), {
      uris: [],
      images: [],
      others: [],
    }));

  test("leaves plain text to the prompt", () =>
    deepEqual([["text/plain", "text/html"], ["Files"], [EDITOR], [LIST]].map(mayAttach), [false, true, true, true]));
});

suite("pasted data", () => {
  test("contains an image unless there is text other than its name", () =>
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
