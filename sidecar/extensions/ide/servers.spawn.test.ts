/** Requests to simulated language servers. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { hurriedClock } from "../../testing/accelerated-clock";
import { TEXT, ServersRig, hasMessage, places, ALL } from "../../testing/extensions/servers-rig";

suite("language server", () => {
  test("locates a symbol and returns the line of each result", async () => {
    await using rig = new ServersRig();
    deepEqual(places(await rig.at("definition", "one", 1)), ["0:0 one two BAD  "]);
    deepEqual(places(await rig.at("references", "two")), ["0:4 one two BAD  ", "2:0 two ODD heard"]);
    equal(await rig.hover("three"), "**three**, 5 letters");
    await rejects(rig.at("hover", "one", 2), hasMessage(/“one” is not on line 3 of .*a\.words; it is on lines 1, 2\./));
    equal(rig.times("initialize"), 1);
  });

  test("returns a nested outline", async () => {
    await using rig = new ServersRig();
    const answer = await rig.ask({ operation: "document_symbols", path: rig.file });
    deepEqual(
      answer.kind === "symbols" &&
        answer.symbols.slice(0, 3).map(({ name, kind, depth, text }) => [name, kind, depth, text]),
      [
        ["one", "function", 0, "one two BAD  "],
        ["two", "variable", 1, "one two BAD  "],
        ["BAD", "variable", 1, "one two BAD  "],
      ],
    );
  });

  test("finds symbols of the folder without open files", async () => {
    await using rig = new ServersRig();
    const answer = await rig.ask({ operation: "workspace_symbols", query: "hre" });
    deepEqual(answer.kind === "symbols" && answer.symbols.map(({ name, container, text }) => [name, container, text]), [
      ["three", "words", "three one"],
    ]);
    rig.write("", "b.none");
    await rejects(
      rig.ask({ operation: "workspace_symbols", query: "x", path: path.join(rig.folder, "b.none") }),
      hasMessage(/No language server is configured for files that end in “\.none”/),
    );
  });

  test("previews renames and formatting without changing files", async () => {
    await using rig = new ServersRig();
    deepEqual(await rig.ask({ operation: "rename", path: rig.file, at: { symbol: "one" }, newName: "uno" }), {
      kind: "changes",
      total: 2,
      changes: [
        {
          kind: "edit",
          path: rig.file,
          hunks: [
            { line: 0, before: ["one two BAD  "], after: ["uno two BAD  "] },
            { line: 1, before: ["three one"], after: ["three uno"] },
          ],
        },
      ],
    });
    await rejects(
      rig.ask({ operation: "rename", path: rig.file, at: { line: 4 }, newName: "x" }),
      hasMessage(/The symbol at this position cannot be renamed/),
    );
    deepEqual(await rig.ask({ operation: "format", path: rig.file }), {
      kind: "changes",
      total: 1,
      changes: [
        { kind: "edit", path: rig.file, hunks: [{ line: 0, before: ["one two BAD  "], after: ["one two BAD"] }] },
      ],
    });
    deepEqual(await rig.ask({ operation: "format", path: rig.file, lines: { start: 1, end: 99 } }), {
      kind: "changes",
      total: 0,
      changes: [],
    });
    equal(readFileSync(rig.file, "utf8"), TEXT);
  });

  test("returns code actions for the diagnostics and the edits of an action by its title", async () => {
    await using rig = new ServersRig(["pull"]);
    const at = { operation: "code_actions", path: rig.file, at: { line: 0 } } as const;
    deepEqual(await rig.ask(at), {
      kind: "actions",
      total: 3,
      actions: [
        { title: "Replace the bad word", kind: "quickfix", isPreferred: true },
        { title: "Run something", kind: "source", command: "words.run" },
        { title: "Never", kind: "refactor", disabled: "it is never possible" },
      ],
    });
    deepEqual(await rig.ask({ ...at, title: "replace" }), {
      kind: "actions",
      total: 1,
      actions: [
        {
          title: "Replace the bad word",
          kind: "quickfix",
          isPreferred: true,
          changes: [
            {
              kind: "edit",
              path: rig.file,
              hunks: [{ line: 0, before: ["one two BAD  "], after: ["one two GOOD  "] }],
            },
          ],
        },
      ],
    });
    await rejects(
      rig.ask({ ...at, title: "nothing" }),
      hasMessage(/No code action “nothing” exists at this position\. Available code actions: “Replace the bad word”/),
    );
  });

  test("returns current pulled diagnostics", async () => {
    await using rig = new ServersRig(["pull"]);
    deepEqual(await rig.problems(), ALL);
    rig.write("fine\n");
    deepEqual(await rig.problems(), []);
  });

  test("awaits the last published diagnostics", async () => {
    await using rig = new ServersRig([], { clock: hurriedClock(1) });
    deepEqual(await rig.problems(), ALL);
    rig.write("fine\n");
    deepEqual(await rig.problems(), []);
    const known = await rig.ask({ operation: "diagnostics" });
    deepEqual(
      [
        known.kind === "diagnostics" && known.total,
        known.note?.startsWith("This lists only files of earlier requests"),
      ],
      [0, true],
    );
  });

  test("receives changes on disk once, and closes deleted files", async () => {
    await using rig = new ServersRig(["pull"]);
    await rig.hover("three");
    rig.write("one\n", "b.words");
    await rig.ask({ operation: "hover", path: path.join(rig.folder, "b.words"), at: { symbol: "one" } });
    rig.write(`${TEXT}more\n`);
    rmSync(path.join(rig.folder, "b.words"));
    const received = (await rig.hover("heard")).split("\n").filter(each => each.startsWith("textDocument/did"));
    deepEqual(received, [
      "textDocument/didOpen 1",
      "textDocument/didOpen 1",
      "textDocument/didChange 2",
      "textDocument/didSave",
      "textDocument/didClose",
    ]);
    await rejects(
      rig.ask({ operation: "hover", path: path.join(rig.folder, "b.words"), at: { symbol: "one" } }),
      hasMessage(/File .*b\.words does not exist/),
    );
  });

  test("closes one file for each opened above the limit", async () => {
    await using rig = new ServersRig(["pull"]);
    for (let i = 0; i <= 40; i++) {
      rig.write("heard", `${i}.words`);
      await rig.ask({ operation: "hover", path: path.join(rig.folder, `${i}.words`), at: { symbol: "heard" } });
    }
    deepEqual([rig.times("textDocument/didOpen"), rig.times("textDocument/didClose")], [41, 1]);
  });

  test("receives responses to all its requests without changes", async () => {
    await using rig = new ServersRig(["asks"], { settings: { words: { style: "plain" } } });
    const answers: unknown = JSON.parse(await rig.hover("answers"));
    ok(Array.isArray(answers));
    deepEqual(
      answers.map((each: unknown, i) => (i === 1 ? "folders" : each)),
      [
        ["plain", { words: { style: "plain" } }],
        "folders",
        { applied: false, failureReason: "Edits are only shown, not applied." },
        null,
        null,
        null,
        { success: false },
        null,
        { error: -32601 },
      ],
    );
  });

  test("receives a request again after a content modified error", async () => {
    await using rig = new ServersRig(["busy"]);
    equal(await rig.hover("three"), "**three**, 5 letters");
  });

  test("rejects an unsupported operation without a request", async () => {
    await using rig = new ServersRig(["nothing"]);
    await rejects(rig.at("definition", "one"), hasMessage(/does not support textDocument\/definition/));
    equal(rig.times("textDocument/definition"), 0);
  });
});
