import { deepEqual, equal } from "node:assert/strict";
import { readDistribution } from "./distribution";
import {
  BUILT_IN_AGENTS,
  builtInAgent,
  builtInAgentOf,
  builtInAgents,
  currentArguments,
  currentPackage,
} from "./built-in-agents";

suite("built-in agents", () => {
  test("has unique public ids in picker order", () =>
    deepEqual(
      BUILT_IN_AGENTS.map(({ id }) => id),
      ["elizacp", "zed-claude-code", "codex", "gemini", "kiro-cli"],
    ));

  test("can be parsed like other agents", () => {
    for (const { distribution } of BUILT_IN_AGENTS)
      deepEqual(readDistribution(JSON.parse(JSON.stringify(distribution))), distribution);
  });

  test("is excluded without its required program", () => {
    deepEqual(
      builtInAgents(() => false).map(({ id }) => id),
      ["elizacp", "zed-claude-code", "codex", "gemini"],
    );
    deepEqual(
      builtInAgents(program => program === "kiro-cli-chat"),
      BUILT_IN_AGENTS,
    );
  });
});

suite("name of a built-in agent", () => {
  const ids = (names: readonly string[]): readonly unknown[] => names.map(name => builtInAgent(name)?.id);

  test("is its id or a short name", () => {
    for (const { id } of BUILT_IN_AGENTS) equal(builtInAgent(id)?.id, id);
    deepEqual(ids(["eliza", "claude", "codex", "gemini", "kiro"]), [
      "elizacp",
      "zed-claude-code",
      "codex",
      "gemini",
      "kiro-cli",
    ]);
    deepEqual(ids(["", "Claude", "goose", "toString"]), [undefined, undefined, undefined, undefined]);
  });

  test("is found by its package", () => {
    equal(builtInAgentOf("@google/gemini-cli")?.id, "gemini");
    equal(builtInAgentOf("@google/gemini-cli@latest"), undefined);
  });
});

suite("renamed argument", () => {
  test("is mapped for its package without a pinned version", () => {
    for (const spec of ["@google/gemini-cli", "@google/gemini-cli@latest"])
      deepEqual(currentArguments(spec, ["--experimental-acp", "-m", "x"]), ["--acp", "-m", "x"]);
    for (const spec of ["@google/gemini-cli@0.1.9", "other"])
      deepEqual(currentArguments(spec, ["--experimental-acp"]), ["--experimental-acp"]);
  });
});

suite("renamed package", () => {
  const MOVED: readonly [was: string, is: string][] = [
    ["@zed-industries/claude-code-acp", "@agentclientprotocol/claude-agent-acp"],
    ["@zed-industries/claude-code-acp@latest", "@agentclientprotocol/claude-agent-acp@latest"],
    ["@zed-industries/claude-agent-acp", "@agentclientprotocol/claude-agent-acp"],
    ["@zed-industries/codex-acp", "@agentclientprotocol/codex-acp"],
  ];
  for (const [was, is] of MOVED) test(`maps ${was} to ${is}`, () => equal(currentPackage(was), is));

  test("keeps other packages and versions unchanged", () => {
    for (const spec of [
      "@zed-industries/claude-code-acp@0.4.0",
      "@google/gemini-cli@latest",
      "@agentclientprotocol/codex-acp",
      "claude-code-acp",
      "@zed-industries/codex-acp2",
      "",
      "@",
    ])
      equal(currentPackage(spec), spec);
  });
});
