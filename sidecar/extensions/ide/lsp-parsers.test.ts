import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { MAX_ITEMS } from "../../../src/protocol/ide/ide";
import { changesAnswer } from "../../../src/protocol/ide/ide-answer";
import { actionsIn, changesIn, diagnosticIn, fromTsserver, hoverIn, pathOf, spotsIn, symbolsIn } from "./lsp-parsers";

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };

suite("parser of LSP responses", () => {
  test("parses locations in three forms without duplicates, and keeps a non-file URI", () => {
    const uri = "file:///w/a%20b.ts";
    deepEqual(spotsIn({ uri, range }), [{ path: "/w/a b.ts", range }]);
    deepEqual(
      spotsIn([
        { uri, range },
        { targetUri: uri, targetRange: range, targetSelectionRange: range },
        { uri: "jdt://x", range },
        { uri: 7, range },
        { uri },
        null,
      ]),
      [
        { path: "/w/a b.ts", range },
        { path: "jdt://x", range },
      ],
    );
    deepEqual(
      [spotsIn(null), pathOf("file://host/share"), pathOf("")],
      [[], process.platform === "win32" ? "\\\\host\\share" : undefined, undefined],
    );
  });

  test("parses hovers in four forms", () => {
    deepEqual(
      [
        { kind: "markdown", value: "a" },
        "a",
        { language: "ts", value: "a" },
        ["a", { value: "" }, { language: "ts", value: "b" }],
        null,
      ].map(contents => hoverIn({ contents })),
      ["a", "a", "```ts\na\n```", "a\n\n```ts\nb\n```", ""],
    );
  });

  test("parses symbols with children or with locations", () => {
    deepEqual(
      symbolsIn(
        [
          {
            name: "A",
            kind: 5,
            range,
            selectionRange: range,
            detail: " d ",
            children: [{ name: "b", kind: 6, range, selectionRange: range }, { kind: 1 }],
          },
        ],
        "/a",
      ),
      [
        { path: "/a", range, name: "A", kind: "class", depth: 0, detail: "d" },
        { path: "/a", range, name: "b", kind: "method", depth: 1 },
      ],
    );
    deepEqual(
      symbolsIn([
        { name: "A", kind: 99, containerName: "c", location: { uri: "file:///a", range } },
        { name: "B", kind: 12, location: { uri: "file:///b" } },
      ]).map(each => [each.name, each.kind, each.container, each.range.start.line]),
      [
        ["A", "symbol", "c", 1],
        ["B", "function", undefined, 0],
      ],
    );
  });

  test("limits the depth of outlines", () => {
    const deep: { name: string; kind: number; range: typeof range; children: unknown[] } = {
      name: "x",
      kind: 5,
      range,
      children: [],
    };
    deep.children.push(deep);
    equal(symbolsIn([deep], "/a").length, 13);
  });

  test("parses workspace edits in two forms, and file operations", () => {
    const edit = { range, newText: "x" };
    deepEqual(changesIn({ changes: { "file:///a": [edit, null], "file:///b": [] } }), [
      { kind: "edit", path: "/a", edits: [edit] },
    ]);
    deepEqual(
      changesIn({
        changes: {},
        documentChanges: [
          { textDocument: { uri: "file:///a" }, edits: [edit] },
          { textDocument: { uri: "file:///a" }, edits: [edit] },
          { kind: "create", uri: "file:///n" },
          { kind: "rename", oldUri: "file:///n", newUri: "file:///m" },
          { kind: "delete", uri: "file:///m" },
          { kind: "fly" },
          7,
        ],
      }),
      [
        { kind: "edit", path: "/a", edits: [edit, edit] },
        { kind: "create", path: "/n" },
        { kind: "move", path: "/n", to: "/m" },
        { kind: "delete", path: "/m" },
      ],
    );
    deepEqual(changesIn(null), []);
  });

  test("marks a preview above the file limit as incomplete", async () => {
    const files = Array.from({ length: MAX_ITEMS + 1 }, (_, i) => `file:///${i}`),
      edits = [{ range, newText: "x" }];
    for (const edit of [
      { changes: Object.fromEntries(files.map(uri => [uri, edits])) },
      { documentChanges: files.map(uri => ({ textDocument: { uri }, edits })) },
    ]) {
      const { changes, note } = await changesAnswer(changesIn(edit), async () => ["", "a name"]);
      deepEqual([changes.length, note], [MAX_ITEMS, "This preview is not complete."]);
    }
  });

  test("parses actions that are commands or have a command", () => {
    deepEqual(
      actionsIn([
        { title: "T", command: "c", arguments: [] },
        { title: "U", command: { command: "d" }, edit: { changes: {} } },
        { title: "" },
        null,
      ]).map(({ raw: _, ...each }) => each),
      [
        { title: "T", command: "c" },
        { title: "U", command: "d", changes: [] },
      ],
    );
  });

  test("treats a diagnostic without severity as an error", () => {
    deepEqual(diagnosticIn({ range, message: "m", code: 7, source: "s" }), {
      range,
      message: "m",
      severity: "error",
      code: "7",
      source: "s",
    });
    deepEqual(
      [
        diagnosticIn({ range }),
        diagnosticIn({ message: "m" }),
        diagnosticIn({ range, message: "m", severity: 4 })?.severity,
      ],
      [undefined, undefined, "hint"],
    );
    deepEqual(
      fromTsserver({
        body: [
          {
            start: { line: 1, offset: 2 },
            end: { line: 1, offset: 3 },
            text: "t",
            code: 1,
            category: "suggestion",
            reportsUnnecessary: true,
          },
          { category: "error" },
        ],
      }),
      [
        {
          range: { start: { line: 0, character: 1 }, end: { line: 0, character: 2 } },
          message: "t",
          code: 1,
          source: "typescript",
          severity: 4,
          tags: [1],
        },
      ],
    );
  });

  test("never throws for any content", () => {
    fc.assert(
      fc.property(fc.anything(), value => {
        for (const read of [spotsIn, hoverIn, symbolsIn, changesIn, actionsIn, diagnosticIn, fromTsserver]) {
          read(value);
          read([value]);
        }
      }),
    );
  });
});
