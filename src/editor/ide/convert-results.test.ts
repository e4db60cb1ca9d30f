import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import { Freshness, FIRST_NEWS_MS, NO_NEWS_MS, QUIET_MS } from "./diagnostics-freshness";
import { actionsIn, changesIn, diagnosticsIn, editsIn, hoverIn, pathOf, spotsIn, symbolsIn } from "./convert-results";

/** Like VS Code's class, whose properties are getters. */
class Position {
  constructor(private readonly at: readonly [number, number]) {}
  get line(): number {
    return this.at[0];
  }
  get character(): number {
    return this.at[1];
  }
}
class Range {
  constructor(
    private readonly from: readonly [number, number],
    private readonly to = from,
  ) {}
  get start(): Position {
    return new Position(this.from);
  }
  get end(): Position {
    return new Position(this.to);
  }
}
const file = (fsPath: string) => ({ scheme: "file", fsPath });
const range = new Range([1, 2]),
  plain = { start: { line: 1, character: 2 }, end: { line: 1, character: 2 } };

suite("conversion of VS Code's language results", () => {
  test("converts both forms of locations, without duplicates, and keeps a non-file URI", () => {
    const web = { scheme: "https", toString: () => "https://x" };
    deepEqual(
      spotsIn([
        { uri: file("/a"), range },
        { targetUri: file("/a"), targetRange: new Range([0, 0]), targetSelectionRange: range },
        { targetUri: web, targetRange: range },
        { uri: file("/a") },
        null,
      ]),
      [
        { path: "/a", range: plain },
        { path: "https://x", range: plain },
      ],
    );
    deepEqual([spotsIn(undefined), pathOf("x"), pathOf(null)], [[], undefined, undefined]);
  });
  test("converts hovers to text", () =>
    deepEqual(
      hoverIn([
        { contents: [{ value: "a" }, "b", { language: "ts", value: "c" }, 7] },
        { contents: [{ value: "" }] },
        null,
      ]),
      "a\n\nb\n\n```ts\nc\n```",
    ));
  test("converts symbols with children or with locations", () => {
    deepEqual(
      symbolsIn(
        [
          {
            name: "A",
            kind: 4,
            detail: "d",
            range,
            selectionRange: range,
            children: [{ name: "b", kind: 5, selectionRange: range, children: [] }, { kind: 1 }],
          },
        ],
        "/a",
      ),
      [
        { path: "/a", range: plain, name: "A", kind: "class", depth: 0, detail: "d" },
        { path: "/a", range: plain, name: "b", kind: "method", depth: 1 },
      ],
    );
    deepEqual(
      symbolsIn([
        { name: "f", kind: 11, containerName: "c", location: { uri: file("/a"), range } },
        { name: "g", kind: 99, location: { uri: file("/b") } },
      ]).map(each => [each.name, each.kind, each.container, each.path]),
      [
        ["f", "function", "c", "/a"],
        ["g", "symbol", undefined, "/b"],
      ],
    );
  });
  test("converts edits of one or several files", () => {
    const edit = { range, newText: "x" },
      read = { range: plain, newText: "x" };
    deepEqual(editsIn([edit, { range }, null]), [read]);
    const workspace = {
      own: [
        [file("/a"), [edit]],
        [file("/b"), []],
        [7, [edit]],
      ],
      entries(): unknown {
        return this.own;
      },
    };
    deepEqual(
      [changesIn(workspace), changesIn(null), changesIn({})],
      [[{ kind: "edit", path: "/a", edits: [read] }], [], []],
    );
  });
  test("converts actions and commands", () => {
    deepEqual(
      actionsIn([
        { title: "T", command: "c" },
        {
          title: "U",
          kind: { value: "quickfix" },
          isPreferred: true,
          command: { command: "d" },
          edit: { entries: () => [] },
        },
        { title: "V", disabled: { reason: "no" } },
        { title: "" },
      ]),
      [
        { title: "T", command: "c" },
        { title: "U", kind: "quickfix", isPreferred: true, command: "d", changes: [] },
        { title: "V", disabled: "no" },
      ],
    );
  });
  test("converts diagnostics with an optional code link", () => {
    deepEqual(
      diagnosticsIn(
        [
          { range, message: "m", severity: 1, source: "s", code: { value: 7, target: {} } },
          { range, message: "n", severity: 0, code: "x" },
          { message: "o" },
        ],
        "/a",
      ),
      [
        { path: "/a", range: plain, severity: "warning", message: "m", source: "s", code: "7" },
        { path: "/a", range: plain, severity: "error", message: "n", code: "x" },
      ],
    );
  });
  test("never throws for any content", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: false }), value => {
        for (const read of [spotsIn, hoverIn, symbolsIn, editsIn, actionsIn]) read([value]);
        diagnosticsIn([value], "/a");
      }),
    );
  });
});

suite("diagnostics freshness", () => {
  test("waits once for unseen files", () => {
    const freshness = new Freshness(1000);
    deepEqual(
      [freshness.settledIn("a", 1000), freshness.settledIn("a", 1000 + NO_NEWS_MS), freshness.hasNews("a")],
      [NO_NEWS_MS, 0, false],
    );
  });
  test("waits for a quiet period after a report", () => {
    const freshness = new Freshness(0);
    freshness.diagnosed("a", 100);
    deepEqual(
      [freshness.settledIn("a", 100), freshness.settledIn("a", 100 + QUIET_MS), freshness.hasNews("a")],
      [QUIET_MS, 0, true],
    );
  });
  test("expires after a change and waits longer for a newly shown file", () => {
    const freshness = new Freshness(0);
    freshness.diagnosed("a", 100);
    freshness.changed("a", 5000);
    freshness.shown("b", 5000);
    deepEqual(
      [freshness.settledIn("a", 5000), freshness.hasNews("a"), freshness.settledIn("b", 5000)],
      [NO_NEWS_MS, false, FIRST_NEWS_MS],
    );
    freshness.diagnosed("b", 6000);
    deepEqual(freshness.settledIn("b", 6000), QUIET_MS);
  });
  test("keeps the newest files", () => {
    const freshness = new Freshness(0);
    for (let i = 0; i <= 500; i++) freshness.diagnosed(String(i), 10);
    deepEqual([freshness.hasNews("0"), freshness.hasNews("1"), freshness.hasNews("500")], [false, true, true]);
  });
});
