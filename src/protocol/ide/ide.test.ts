import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { IDE_OPERATIONS, ideRequest, MAX_ITEMS, readIdeAnswer, type IdeRequest } from "./ide";
import { validated } from "../wire/schema";
import { diagnosticsAnswer, changesAnswer, chosenByTitle, rangeOfActions, rangeOfLines, withLines } from "./ide-answer";
import { offeringIde, offersIde } from "./ide-capability";

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };
const spot = { path: "/a", range, text: "x" };

suite("IDE operations capability", () => {
  test("is detected and added beside other members", () => {
    const given = {
      protocolVersion: 1,
      clientCapabilities: { terminal: true, _meta: { other: 1, "symposium.dev": { more: 2 } } },
    };
    deepEqual(offeringIde(given), {
      protocolVersion: 1,
      clientCapabilities: { terminal: true, _meta: { other: 1, "symposium.dev": { more: 2, ide_operations: true } } },
    });
    ok(offersIde(offeringIde(given)) && offersIde(offeringIde(undefined)));
    ok(offersIde({ capabilities: { _meta: { "symposium.dev": { ide_operations: {} } } } }));
    for (const value of [false, 1, "yes", null, [], undefined])
      equal(offersIde({ clientCapabilities: { _meta: { "symposium.dev": { ide_operations: value } } } }), false);
  });
});

suite("IDE request", () => {
  const at = { line: 0, symbol: "x" },
    folders = ["/w"];
  const requests: readonly IdeRequest[] = [
    { operation: "diagnostics", folders },
    { operation: "diagnostics", path: "/a", folders },
    { operation: "definition", path: "/a", at, folders },
    { operation: "references", path: "/a", at: {}, folders },
    { operation: "hover", path: "/a", at: { line: 3, character: 1 }, folders },
    { operation: "document_symbols", path: "/a", folders },
    { operation: "workspace_symbols", query: "", folders },
    { operation: "workspace_symbols", query: "q", path: "/a", folders },
    { operation: "rename", path: "/a", at, newName: "y", folders },
    { operation: "code_actions", path: "/a", at, folders },
    { operation: "code_actions", path: "/a", at, endLine: 2, title: "t", folders },
    { operation: "format", path: "/a", folders },
    { operation: "format", path: "/a", lines: { start: 1, end: 2 }, folders },
  ];
  test("is parsed for each operation", () => {
    for (const request of requests)
      deepEqual(validated(ideRequest, JSON.parse(JSON.stringify(request))), { ok: true, message: request });
    deepEqual(new Set(requests.map(each => each.operation)), new Set(IDE_OPERATIONS));
  });

  test("is rejected with a sentence if invalid", () => {
    const wrong = (value: unknown): string => {
      const read = validated(ideRequest, value);
      return read.ok ? "accepted" : read.why;
    };
    deepEqual(
      [
        wrong(null),
        wrong({ operation: "fly", folders }),
        wrong({ operation: "hover", folders }),
        wrong({ operation: "diagnostics" }),
        wrong({ operation: "rename", path: "/a", folders }),
        wrong({ operation: "workspace_symbols", folders }),
      ],
      [
        "message: wrong type, expected Object",
        'message.operation: wrong type, expected ("diagnostics" | ("definition" | "references" | "hover") | "document_symbols" | ' +
          '"workspace_symbols" | "rename" | "code_actions" | "format")',
        "message.path: missing",
        "message.folders: missing",
        "message.newName: missing",
        "message.query: missing",
      ],
    );
  });

  test("is parsed without invalid members", () => {
    deepEqual(
      validated(ideRequest, {
        operation: "hover",
        path: "/a",
        at: { line: -1, character: 1.5, symbol: 7 },
        folders: [1, "/w"],
      }),
      { ok: true, message: { operation: "hover", path: "/a", at: {}, folders } },
    );
  });
});

suite("IDE answer", () => {
  test("is parsed unchanged", () => {
    for (const [operation, answer] of [
      [
        "diagnostics",
        {
          kind: "diagnostics",
          diagnostics: [{ ...spot, severity: "hint", message: "m", source: "s", code: "1" }],
          total: 3,
          note: "n",
        },
      ],
      ["references", { kind: "locations", locations: [spot, { path: "/b", range }], total: 2 }],
      ["hover", { kind: "hover", text: "t" }],
      [
        "workspace_symbols",
        {
          kind: "symbols",
          symbols: [{ ...spot, name: "n", kind: "class", detail: "d", container: "c", depth: 1 }],
          total: 1,
        },
      ],
      [
        "rename",
        {
          kind: "changes",
          changes: [
            { kind: "edit", path: "/a", hunks: [{ line: 0, before: ["a"], after: [] }] },
            { kind: "create", path: "/b" },
            { kind: "move", path: "/b", to: "/c" },
          ],
          total: 3,
        },
      ],
      [
        "code_actions",
        {
          kind: "actions",
          actions: [{ title: "t", kind: "k", isPreferred: true, disabled: "d", command: "c", changes: [] }],
          total: 1,
        },
      ],
    ] as const)
      deepEqual(readIdeAnswer(operation, JSON.parse(JSON.stringify(answer))), answer);
  });

  test("is rejected for another operation", () => {
    for (const value of [null, {}, { kind: "hover", text: "" }, { kind: "symbols", symbols: [] }])
      equal(readIdeAnswer("references", value), undefined);
  });

  test("is bounded, and invalid items are dropped", () => {
    const many = readIdeAnswer("references", {
      kind: "locations",
      locations: [{ path: "/a" }, { range }, null, ...Array(MAX_ITEMS + 5).fill({ ...spot, text: "x".repeat(5000) })],
      total: "many",
    });
    ok(
      many?.kind === "locations" &&
        many.locations.length === MAX_ITEMS - 3 &&
        many.total === MAX_ITEMS - 3 &&
        many.locations[0]?.text?.length === 401,
    );
    const hover = readIdeAnswer("hover", { kind: "hover", text: "x".repeat(1e6) });
    ok(hover?.kind === "hover" && hover.text.length < 21_000);
  });

  test("is parsed or rejected without throwing for any input", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...IDE_OPERATIONS),
        fc.anything(),
        fc.constantFrom("diagnostics", "locations", "hover", "symbols", "changes", "actions"),
        fc.array(fc.anything()),
        (operation, anything, kind, list) => {
          readIdeAnswer(operation, anything);
          readIdeAnswer(operation, { kind, [kind]: list, total: anything });
          validated(ideRequest, anything);
          offersIde(anything);
        },
      ),
    );
  });
});

suite("IDE answer items", () => {
  const lines = async (path: string): Promise<readonly string[]> => (path === "/a" ? ["zero", "one"] : []);

  test("lists errors first and never omits them", () => {
    const all = Array.from(
      { length: MAX_ITEMS + 10 },
      (_, i) =>
        ({
          path: "/a",
          range,
          message: "m",
          severity: i === MAX_ITEMS + 9 ? "error" : i === 0 ? "hint" : "warning",
        }) as const,
    );
    const { diagnostics, total } = diagnosticsAnswer(all);
    deepEqual(
      [diagnostics[0]?.severity, diagnostics.length, total, diagnostics.some(each => each.severity === "hint")],
      ["error", MAX_ITEMS, MAX_ITEMS + 10, false],
    );
  });

  test("contains the line of a readable location", async () => {
    deepEqual(
      await withLines(
        [
          { path: "/a", range },
          { path: "/b", range },
        ],
        lines,
      ),
      [
        { path: "/a", range, text: "one" },
        { path: "/b", range },
      ],
    );
  });

  test("marks a long preview as incomplete", async () => {
    const edit = (i: number) => ({
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
      newText: `${"x".repeat(390)}${i}\n`,
    });
    const whole = await changesAnswer(
        [
          { kind: "edit", path: "/a", edits: [edit(1)] },
          { kind: "delete", path: "/b" },
        ],
        lines,
      ),
      cut = await changesAnswer(
        Array.from({ length: 80 }, (_, i) => ({ kind: "edit" as const, path: "/a", edits: [edit(i)] })),
        lines,
      );
    deepEqual(
      [whole.total, whole.note, cut.total, cut.changes.length < 60, cut.note],
      [2, undefined, 80, true, "This preview is not complete."],
    );
  });

  test("selects an action by its title or a part of it", () => {
    const found = [{ title: "Add import" }, { title: "Add all imports" }, { title: "Fix" }];
    deepEqual(
      [
        chosenByTitle(found, "Add import"),
        chosenByTitle(found, "add"),
        chosenByTitle(found, "zz"),
        chosenByTitle([], "zz"),
      ],
      [
        [{ title: "Add import" }],
        [{ title: "Add import" }, { title: "Add all imports" }],
        {
          wrong:
            "No code action “zz” exists at this position. Available code actions: “Add import”, “Add all imports”, “Fix”.",
        },
        { wrong: "No code action “zz” exists at this position. No code actions are available." },
      ],
    );
  });

  test("uses the whole line without a position", () => {
    const start = { line: 0, character: 1 };
    deepEqual(rangeOfActions(["abc", "de"], start, { line: 0, symbol: "b" }, undefined), { start, end: start });
    deepEqual(rangeOfActions(["abc", "de"], start, { line: 0 }, undefined), { start, end: { line: 0, character: 3 } });
    deepEqual(rangeOfActions(["abc", "de"], start, { line: 0, symbol: "b" }, 7), {
      start,
      end: { line: 1, character: 2 },
    });
    deepEqual(
      [rangeOfLines(["abc", "de"], { start: 1, end: 9 }, "/a"), rangeOfLines(["abc"], { start: 1, end: 1 }, "/a")],
      [
        { start: { line: 1, character: 0 }, end: { line: 1, character: 2 } },
        { wrong: "/a has 1 lines, so line 2 does not exist." },
      ],
    );
  });
});
