import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { ELIZA } from "../protocol/agents";
import { readAgents, withBypass } from "./agents";
import { readSettings } from "./settings";

const read = (agents: unknown, currentAgentId: unknown = "", bypassPermissions: unknown = []) => readAgents({ agents, currentAgentId, bypassPermissions });
const mine = { id: "mine", name: "Mine", distribution: { local: { command: "my-agent", args: ["--acp"], env: { A: "b" } } } };

suite("agents in the settings", () => {
  test("without settings there is Eliza", () => {
    deepEqual(read([]), { agents: [ELIZA], currentAgentId: "elizacp", bypass: [], problems: [] });
    deepEqual(read(undefined, undefined, undefined), read([]));
  });

  test("both forms say the same", () => {
    const array = read([{ ...mine, name: "mine" }], "mine");
    const object = read({ mine: { command: "my-agent", args: ["--acp"], env: { A: "b" } } }, "mine");
    deepEqual(array, object);
    deepEqual([array.agents.map(({ id }) => id), array.currentAgentId, array.problems], [["elizacp", "mine"], "mine", []]);
  });

  test("all our distributions are read, and kinds of later versions beside them are no problem", () => {
    const { agents, problems } = read([
      { id: "a", distribution: { executable: { path: "/a" }, npx: { package: "a" } } },
      { id: "b", distribution: { symposium: { subcommand: "eliza", args: ["--deterministic"] } } },
    ]);
    deepEqual([agents.slice(1).map(({ distribution }) => distribution), problems],
      [[{ executable: { path: "/a" } }, { symposium: { subcommand: "eliza", args: ["--deterministic"] } }], []]);
  });

  test("an entry with a built-in's id overrides what it names and keeps the rest, in the built-in's place", () => {
    const { agents } = read([mine, { id: "elizacp", bypassPermissions: true }]);
    deepEqual(agents, [{ ...ELIZA, bypassPermissions: true }, mine]);
    equal(read({ elizacp: { command: "my-eliza" } }).agents[0]?.distribution.local?.command, "my-eliza");
  });

  test("what cannot be read is left out alone, with a sentence each", () => {
    const { agents, problems } = read([
      "x", null, {}, { id: "" }, { id: 1 }, { id: "bare" }, { id: "empty", distribution: {} }, { id: "npx", distribution: { npx: { package: "x" } } },
      { id: "args", distribution: { local: { command: "x", args: [1] } } }, { id: "env", distribution: { local: { command: "x", env: { A: 1 } } } },
      { id: "nocommand", distribution: { local: { command: " " } } }, { id: "list", distribution: [] }, mine, { ...mine, name: "Twice" },
    ]);
    deepEqual(agents, [ELIZA, mine]);
    equal(problems.length, 13);
    ok(problems.every(problem => /symposium\.agents.*\.$/.test(problem)));
    for (const agents of ["x", 1, true]) deepEqual(read(agents).problems, ["symposium.agents is no list of agents and is not used."]);
    deepEqual(read({ a: 1, "": {} }).problems.length, 2);
  });

  test("a current agent that is not there is said, and Eliza answers", () => {
    const { currentAgentId, problems } = read([], "gone");
    deepEqual([currentAgentId, problems], ["elizacp", ["symposium.currentAgentId names “gone”, which is no agent here; Eliza answers instead."]]);
    for (const value of [7, {}, { toString: 1 }]) equal(read([], value).currentAgentId, "elizacp");
  });

  test("bypass comes from the agent's own field, else from the older list, and never from what is no boolean", () => {
    deepEqual(read([{ ...mine, bypassPermissions: true }]).bypass, ["mine"]);
    deepEqual(read([mine], "", ["mine", "elizacp", "unknown"]).bypass, ["elizacp", "mine"]);
    deepEqual(read([{ ...mine, bypassPermissions: false }], "", ["mine"]).bypass, []);
    const doubtful = read([{ ...mine, bypassPermissions: "yes" }]);
    deepEqual([doubtful.bypass, doubtful.problems.length], [[], 1]);
    deepEqual(read([mine], "", "mine").bypass, []);
    deepEqual(read([mine], "", ["mine", 1]).problems.length, 1);
  });

  test("whatever JSON stands there, there is a current agent, and nobody is bypassed who is no agent", () =>
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (agents, currentAgentId, bypassPermissions) => {
      const result = read(agents, currentAgentId, bypassPermissions);
      const ids = result.agents.map(({ id }) => id);
      ok(ids.includes(result.currentAgentId) && ids.includes("elizacp") && result.bypass.every(id => ids.includes(id)));
      equal(new Set(ids).size, ids.length);
    }), { numRuns: 300 }));
});

suite("bypass in the settings", () => {
  test("it is set on the agent's entry; order, other entries and unknown fields stay", () =>
    deepEqual(withBypass([1, { ...mine, _source: "registry" }, { id: "z" }], "mine"), [1, { ...mine, _source: "registry", bypassPermissions: true }, { id: "z" }]));

  test("a built-in agent gets an entry", () => {
    for (const value of [[], undefined, "x"]) deepEqual(withBypass(value, "elizacp"), [{ id: "elizacp", bypassPermissions: true }]);
  });

  test("the object form stays one", () =>
    deepEqual(withBypass({ mine: { command: "x", more: 1 } }, "elizacp"), { mine: { command: "x", more: 1 }, elizacp: { bypassPermissions: true } }));

  test("what is written is read as a bypass, in both forms", () => {
    for (const value of [[], [mine], { mine: { command: "x" } }]) for (const id of ["elizacp", "mine"]) {
      if (id === "mine" && Array.isArray(value) && value.length === 0) continue;
      const result = read(withBypass(value, id));
      deepEqual([result.bypass, result.problems], [[id], []]);
    }
  });
});

suite("settings", () => {
  test("values of the wrong type count as absent", () => {
    const { acpAgentPath, traceDir, logLevel } = readSettings(name => name === "symposium.logLevel" ? "loud" : 7);
    deepEqual([acpAgentPath, traceDir, logLevel], ["", "", "info"]);
    for (const [level, read] of [["debug", "debug"], ["error", "error"], ["trace", "info"]] as const) equal(readSettings(name => name === "symposium.logLevel" ? level : undefined).logLevel, read);
  });
});
