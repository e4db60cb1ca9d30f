import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { KNOWN_PROGRAMS } from "../../protocol/agents/known-programs";
import { agentGroups, registryItems } from "./agent-items";
import { readAgents } from "./agents";

const read = (agents: unknown, currentAgentId = "") => readAgents({ agents, currentAgentId, bypassPermissions: [] });
const bob = { id: "bob", name: "Bob", distribution: { local: { command: "bob" } } };
const shown = (...given: Parameters<typeof agentGroups>) =>
  agentGroups(...given).map(({ title, items }) => [
    title,
    ...items.map(({ label, description = "" }) => `${label}: ${description}`),
  ]);

suite("agent lists", () => {
  test("contains the user's agents with the selection, installable ones and a link to more", () =>
    deepEqual(shown(read([bob], "bob"), {}), [
      ["", "Eliza: elizacp", "Bob: bob (selected)"],
      ["Installed with the first tab", "Claude: zed-claude-code", "Codex: codex", "Gemini CLI: gemini"],
      ["", "$(cloud-download) More Agents from the Registry…: "],
    ]));

  test("groups agents and programs found on this computer with their path", () => {
    const groups = agentGroups(read([bob]), { claude: "/bin/claude", goose: "/g" });
    deepEqual(
      groups[1]?.items.map(({ label, description, chosen }) => [label, description, chosen.kind]),
      [
        ["Claude", "/bin/claude", "agent"],
        ["Goose", "/g", "new"],
      ],
    );
    deepEqual(
      groups[2]?.items.map(({ label }) => label),
      ["Codex", "Gemini CLI"],
    );
  });

  test("contains a user's agent only among the user's", () =>
    deepEqual(
      shown(read([{ id: "goose", distribution: { local: { command: "g" } } }], "zed-claude-code"), {
        claude: "/c",
        goose: "/g",
      })[0],
      ["", "Eliza: elizacp", "Claude: zed-claude-code (selected)", "goose: goose"],
    ));

  test("contains each agent and program once (property)", () =>
    fc.assert(
      fc.property(fc.subarray([...KNOWN_PROGRAMS]), fc.subarray(["codex", "goose", "x"]), (programs, ids) => {
        const settings = read(ids.map(id => ({ ...bob, id })));
        const items = agentGroups(settings, Object.fromEntries(programs.map(({ program }) => [program, "/p"]))).flatMap(
          group => group.items,
        );
        const all = items.flatMap(({ chosen }) =>
          chosen.kind === "agent" ? [chosen.id] : chosen.kind === "new" ? [chosen.found.agent.id] : [],
        );
        deepEqual(
          all.toSorted(),
          [...new Set([...settings.agents.map(({ id }) => id), ...programs.map(({ agentId }) => agentId)])].sort(),
        );
        equal(items.at(-1)?.chosen.kind, "more");
      }),
    ));

  test("lists available registry agents first, others with the reason, and marks existing ones", () => {
    const agent = (id: string, missing?: string) => ({
      id,
      name: id.toUpperCase(),
      version: "1.0.0",
      description: `about ${id}`,
      entry: { id },
      ...(missing === undefined ? {} : { missing }),
    });
    deepEqual(
      registryItems([agent("a", "A is not for this computer."), agent("b"), agent("c")], ["c"]).map(
        ({ label, description, detail }) => [label, description, detail],
      ),
      [
        ["B", "1.0.0", "about b"],
        ["C", "1.0.0, in your settings", "about c"],
        ["$(circle-slash) A", "1.0.0", "A is not for this computer."],
      ],
    );
  });
});
