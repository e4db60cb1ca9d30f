import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { ADDED_LIMIT, rounded } from "../../../src/protocol/chat/session-details";
import { promptChange, setupChange } from "./message-diff";

const server = (name: string, command = "/bin/x") => ({ name, command, args: [], env: [] });
const text = (text: string) => ({ type: "text", text });
const prompt = (...blocks: readonly unknown[]) => ({ sessionId: "s", prompt: blocks });

suite("changes by an extension", () => {
  test("compares a session setup: servers by name, other members by key", () => {
    const before = { cwd: "/w", mcpServers: [server("a"), server("b"), server("c")], _meta: { x: 1 } };
    const after = {
      cwd: "/w",
      mcpServers: [server("d"), server("a"), server("b", "/bin/y")],
      _meta: { x: 2 },
      more: true,
    };
    deepEqual(setupChange(before, after), {
      added: ["d"],
      removed: ["c"],
      replaced: ["b"],
      members: ["_meta", "more"],
    });
    deepEqual(
      setupChange(
        { cwd: "/w", mcpServers: [server("a")] },
        { cwd: "/v", mcpServers: [server("a"), server("a", "/bin/y")] },
      ),
      { replaced: ["a"], members: ["cwd"] },
    );
    deepEqual(setupChange(undefined, { mcpServers: [{}] }), { added: ["?"] });
  });

  test("returns the text that is added to the system prompt, in both forms", () => {
    const content = (...texts: readonly string[]) => ({ systemPrompt: { mode: "append", content: texts.map(text) } }),
      meta = (systemPrompt: unknown) => ({ _meta: { systemPrompt } });
    deepEqual(setupChange(content("a"), content("a", "rule")), { members: ["systemPrompt"], text: "rule" });
    deepEqual(setupChange({}, meta({ append: "rule" })), { members: ["_meta"], text: "rule" });
    deepEqual(setupChange(meta("own"), meta("own, rule")), { members: ["_meta"], text: ", rule" });
    deepEqual(setupChange(meta("own"), {}), { members: ["_meta"] });
  });

  test("ignores the order of keys and servers", () => {
    equal(
      setupChange(
        { cwd: "/w", mcpServers: [server("a"), server("b")] },
        { mcpServers: [{ env: [], args: [], command: "/bin/x", name: "b" }, server("a")], cwd: "/w" },
      ),
      undefined,
    );
    equal(setupChange("odd", "odd"), undefined);
  });

  test("limits the number and length of names", () => {
    const many = setupChange(
      {},
      { mcpServers: Array.from({ length: 500 }, (_, i) => server(`${"n".repeat(1000)}${i}`)) },
    );
    deepEqual([many?.added?.length, many?.added?.[0]?.length], [50, 100]);
  });

  const TABLE: readonly (readonly [string, readonly unknown[], readonly unknown[], ReturnType<typeof promptChange>])[] =
    [
      [
        "a block added before",
        [text("hello")],
        [text("Be brief."), text("hello")],
        { added: 1, removed: 0, altered: 0, text: "Be brief." },
      ],
      [
        "a block added after",
        [text("hello")],
        [text("hello"), text("Bye.")],
        { added: 1, removed: 0, altered: 0, text: "Bye." },
      ],
      [
        "text added around a text",
        [text("hello")],
        [text("<rule/> hello")],
        { added: 0, removed: 0, altered: 1, text: "<rule/> " },
      ],
      [
        "blocks added between equal ones",
        [text("a"), text("b"), text("c")],
        [text("a"), text("x"), text("b"), text("y"), text("c")],
        { added: 2, removed: 0, altered: 0, text: "x\n\ny" },
      ],
      ["removed blocks", [text("a"), text("b"), text("c")], [text("b")], { added: 0, removed: 2, altered: 0 }],
      [
        "a file instead of a text",
        [text("a")],
        [{ type: "resource", resource: { uri: "file:///b", text: "b" } }],
        { added: 0, removed: 0, altered: 1, text: "b" },
      ],
      [
        "invalid blocks",
        [],
        [
          { type: "image", data: "AA", mimeType: "image/png" },
          { type: "resource_link", name: "n", uri: "file:///n" },
        ],
        { added: 2, removed: 0, altered: 0, text: "[image]\n\n[resource_link n]" },
      ],
      [
        "nothing",
        [text("a"), { type: "image", data: "AA" }],
        [
          { text: "a", type: "text" },
          { data: "AA", type: "image" },
        ],
        undefined,
      ],
      ["a shortened text", [text("a long one")], [text("a one")], { added: 0, removed: 0, altered: 1 }],
    ];
  for (const [what, before, after, change] of TABLE)
    test(`compares a prompt: ${what}`, () => deepEqual(promptChange(prompt(...before), prompt(...after)), change));

  test("limits the stored text of added blocks", () => {
    const change = promptChange(prompt(), prompt(text("ö".repeat(100_000))));
    equal(change?.text?.length, ADDED_LIMIT);
    equal(change?.text?.at(-1), "…");
    equal(change?.cutFrom, 200_000);
  });

  test("compares very long prompts in linear time", () => {
    const many = Array.from({ length: 2000 }, (_, i) => text(String(i)));
    deepEqual(promptChange(prompt(...many), prompt(text("new"), ...many)), {
      added: 1,
      removed: 0,
      altered: 0,
      text: "new",
    });
    equal(promptChange(prompt(...many), prompt(...many.map(({ text: old }) => text(`${old}!`))))?.altered, 2000);
  });

  test("has consistent counts, and none for equal prompts (property)", () => {
    const block = fc.oneof(fc.constantFrom("a", "b", "c").map(text), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), fc.array(block, { maxLength: 8 }), (before, after) => {
        const change = promptChange(prompt(...before), prompt(...after));
        equal(promptChange(prompt(...before), prompt(...before.map(item => structuredClone(item)))), undefined);
        if (!change) return equal(before.length, after.length);
        equal(before.length + change.added - change.removed, after.length);
        ok(change.altered <= Math.min(before.length, after.length));
      }),
    );
  });

  test("rounds times", () => deepEqual([0.2, 0.6, 9.4, 12.7, 147, 12_345].map(rounded), [0, 1, 9, 13, 150, 12_000]));
});
