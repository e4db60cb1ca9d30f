import { deepEqual, equal, ok } from "node:assert/strict";
import type { ChatTool } from "../../../src/protocol/lm/lm";
import { RECORDED_TOOLS } from "../fixtures/recorded";
import { catalogue, changes, DUPLICATES } from "./tool-catalogue";
import { MAX_NAME_LENGTH, ToolNames } from "./tool-names";

const tool = (name: string, inputSchema: unknown = { type: "object" }, description = name): ChatTool => ({
  name,
  description,
  inputSchema,
});
const namesOf = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

suite("tool catalogue", () => {
  test("excludes tools that agents have themselves unless duplicates are requested", () => {
    const few = catalogue(RECORDED_TOOLS, { duplicates: false }),
      all = catalogue(RECORDED_TOOLS, { duplicates: true });
    deepEqual(
      namesOf(few.tools).filter(name => DUPLICATES.has(name)),
      [],
    );
    for (const name of [
      "vscode_listCodeUsages",
      "vscode_renameSymbol",
      "get_errors",
      "run_notebook_cell",
      "rec_noschema",
    ])
      ok(namesOf(few.tools).includes(name), name);
    equal(all.tools.length, RECORDED_TOOLS.length);
    deepEqual(all.leftOut, []);
  });

  test("never offers Symposium's permission tools to the agent", () => {
    const { tools, permission } = catalogue(
      [tool("symposium-agent-codex-read"), tool("a"), tool("symposium-agent-action"), tool("symposium-agent-new")],
      { duplicates: true },
    );
    deepEqual(namesOf(tools), ["a"]);
    deepEqual([...permission], ["symposium-agent-codex-read", "symposium-agent-action", "symposium-agent-new"]);
  });

  test("finds the permission tools inside a tool group and ignores descriptions that only mention them", () => {
    const group = tool(
      "activate_fallback_symposium-agent-custom1-fetch_1",
      {},
      "Call this tool when …:\n\nContains the tools: symposium-agent-custom1-fetch, symposium-agent-custom1-other\n\nBe sure to …",
    );
    const named = tool(
      "activate_fallback_symposium-agent-codex-read_1",
      {},
      "Contains additional tools from this toolset.",
    );
    const { tools, permission, grouped } = catalogue(
      [tool("symposium-agent-action"), group, named, tool("other", {}, "symposium-agent-edit")],
      { duplicates: false },
    );
    deepEqual(
      [...grouped],
      [
        ["symposium-agent-custom1-fetch", group.name],
        ["symposium-agent-custom1-other", group.name],
        ["symposium-agent-codex-read", named.name],
      ],
    );
    deepEqual([...permission], ["symposium-agent-action"]);
    deepEqual(
      namesOf(tools),
      [group.name.slice(0, MAX_NAME_LENGTH), named.name, "other"],
      "the agent's model can look into a group",
    );
  });

  test("excludes only the tools that cannot be offered, with their names", () => {
    const { tools, leftOut } = catalogue([tool("a"), tool("b", { type: "string" }), tool("c", "x"), tool("d")], {
      duplicates: false,
    });
    deepEqual(namesOf(tools), ["a", "d"]);
    deepEqual(namesOf(leftOut), ["b", "c"]);
  });

  test("keeps an allowed name in any order and the first of two tools with the same name", () => {
    deepEqual(
      catalogue([tool("a.b", {}, "one"), tool("a_b", {}, "two"), tool("a_b", {}, "three")], {
        duplicates: false,
      }).tools.map(({ name, description }) => [name, description]),
      [
        ["a_b_2", "one"],
        ["a_b", "two"],
      ],
    );
  });

  test("keeps the name of a tool during the session", () => {
    const names = new ToolNames();
    deepEqual(namesOf(catalogue([tool("a.b")], { duplicates: false, names }).tools), ["a_b"]);
    deepEqual(namesOf(catalogue([tool("a b"), tool("a_b"), tool("a.b")], { duplicates: false, names }).tools), [
      "a_b_3",
      "a_b_2",
      "a_b",
    ]);
  });

  test("reports only changes that the agent can see", () => {
    const of = (...tools: ChatTool[]) => catalogue(tools, { duplicates: false }).tools;
    equal(changes(of(tool("a"), tool("b")), of(tool("b"), tool("a"))), undefined);
    deepEqual(changes(of(tool("a"), tool("b"), tool("c")), of(tool("b", {}, "new"), tool("c"), tool("d"))), {
      added: ["d"],
      withdrawn: ["a"],
      changed: ["b"],
    });
    equal(changes(of(tool("a", { type: "object" })), of(tool("a", {}))), undefined);
  });
});
