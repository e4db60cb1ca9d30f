import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { IdeAnswer, IdeLocation, IdeOperation } from "../../../src/protocol/ide/ide";
import { rendered } from "./render";

const spot = (line: number, text = `line ${line}`, file = "/w/src/a.ts"): IdeLocation => ({
  path: file,
  range: { start: { line, character: 2 }, end: { line, character: 5 } },
  text,
});
const at = { operation: "references", path: "/w/src/a.ts", at: { symbol: "x" } } as const;
const text = (operation: IdeOperation, answer: IdeAnswer): string => rendered(operation, answer, ["/w", "/other"]).text;

suite("rendered answer", () => {
  test("lists diagnostics with errors first, each with its line", () => {
    const operation = { operation: "diagnostics", path: "/w/src/a.ts" } as const;
    equal(
      text(operation, {
        kind: "diagnostics",
        total: 2,
        diagnostics: [
          { ...spot(0), severity: "hint", message: "unused" },
          { ...spot(4, "  let x;"), severity: "error", message: "No x.\n  Really.", source: "ts", code: "7" },
        ],
      }),
      "1 error, 1 hint in src/a.ts:\nsrc/a.ts:5:3 error [ts 7]: No x. · Really.\n    let x;\nsrc/a.ts:1:3 hint: unused\n    line 0",
    );
    equal(
      text(operation, { kind: "diagnostics", total: 0, diagnostics: [], note: "Still loading." }),
      "No problems in src/a.ts.\nStill loading.",
    );
    equal(text({ operation: "diagnostics" }, { kind: "diagnostics", total: 0, diagnostics: [] }), "No problems.");
  });

  test("groups locations by file", () => {
    equal(
      text(at, { kind: "locations", total: 3, locations: [spot(1), spot(2), spot(0, "z", "/usr/lib/b.ts")] }),
      "3 references in 2 files:\nsrc/a.ts\n  2:3  line 1\n  3:3  line 2\n/usr/lib/b.ts\n  1:3  z",
    );
    equal(
      text({ ...at, operation: "definition" }, { kind: "locations", total: 1, locations: [spot(1)] }),
      "1 definition:\nsrc/a.ts:2:3  line 1",
    );
    equal(text(at, { kind: "locations", total: 0, locations: [] }), "No reference was found there.");
    equal(
      text(at, { kind: "locations", total: 9, locations: [spot(1)] }),
      "9 references:\nsrc/a.ts\n  2:3  line 1\n… and 8 more, omitted.",
    );
    equal(text({ ...at, operation: "hover" }, { kind: "hover", text: " " }), "No information about that position.");
  });

  test("lists symbols as an outline or with locations", () => {
    equal(
      text(
        { operation: "document_symbols", path: "/w/src/a.ts" },
        {
          kind: "symbols",
          total: 2,
          symbols: [
            { ...spot(0), name: "A", kind: "class", depth: 0 },
            { ...spot(1), name: "b", kind: "method", detail: "()", depth: 1 },
          ],
        },
      ),
      "2 symbols:\n1: class A\n  2: method b ()",
    );
    equal(
      text(
        { operation: "workspace_symbols", query: "A" },
        { kind: "symbols", total: 1, symbols: [{ ...spot(0), name: "A", kind: "class", container: "m" }] },
      ),
      "1 symbol:\nsrc/a.ts:1:3 class A (in m)",
    );
  });

  test("shows changes as a preview", () => {
    const rename = { operation: "rename", path: "/w/src/a.ts", at: { line: 0 }, newName: "y" } as const;
    equal(
      text(rename, {
        kind: "changes",
        total: 2,
        changes: [
          { kind: "edit", path: "/w/src/a.ts", hunks: [{ line: 1, before: ["x"], after: ["y", "z"] }] },
          { kind: "move", path: "/w/x.ts", to: "/w/y.ts" },
        ],
      }),
      "Renaming to “y” would change 2 places in 2 files. This is a preview. Make the edits with your own tools.\n--- src/a.ts\n@@ line 2 @@\n-x\n+y\n+z\nmove x.ts to y.ts",
    );
    equal(
      text({ operation: "format", path: "/w/src/a.ts" }, { kind: "changes", total: 0, changes: [] }),
      "No changes: the file is already formatted.",
    );
  });

  test("lists code actions, or the edits of the named ones", () => {
    const list = { operation: "code_actions", path: "/w/src/a.ts", at: { line: 0 } } as const;
    equal(
      text(list, {
        kind: "actions",
        total: 2,
        actions: [
          { title: "Fix", kind: "quickfix", isPreferred: true },
          { title: "Move", disabled: "not here" },
        ],
      }),
      "2 code actions; ask again with “action” to see the edits of one:\n1. Fix (quickfix, preferred)\n2. Move (not possible: not here)",
    );
    equal(
      text(
        { ...list, title: "Fix" },
        {
          kind: "actions",
          total: 3,
          actions: [
            { title: "Fix", changes: [{ kind: "create", path: "/w/n.ts" }], command: "c" },
            { title: "Run", command: "r" },
            { title: "None" },
          ],
        },
      ),
      "Fix\nThis is a preview. Make the edits with your own tools.\nnew file n.ts\nIt also runs the command “c”, which cannot be previewed.\nRun\nIt runs the command “r”, which cannot be previewed.\nNone\nIt has no edits.",
    );
    equal(text(list, { kind: "actions", total: 0, actions: [] }), "No code actions are available at that position.");
  });

  test("contains the same structured data, counted from 1", () => {
    deepEqual(rendered(at, { kind: "locations", total: 1, locations: [spot(1)] }, ["/w"]).structured, {
      operation: "references",
      locations: [{ path: "src/a.ts", line: 2, character: 3, endLine: 2, text: "line 1" }],
      total: 1,
    });
  });

  test("is limited in length for any input", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 4000 }), (count, length) => {
        const { text: shown, structured } = rendered(
          at,
          {
            kind: "locations",
            total: count,
            locations: Array.from({ length: count }, (_, i) => spot(i, "x".repeat(length), `/w/${i % 7}`)),
          },
          ["/w"],
        );
        ok(shown.length < 24_200 && JSON.stringify(structured).length < 25_000);
        ok(
          shown.split("\n").filter(line => /^(  |\d:)\d+:3/.test(line)).length === count || shown.includes("omitted"),
          shown.slice(0, 100),
        );
      }),
    );
  });
});
