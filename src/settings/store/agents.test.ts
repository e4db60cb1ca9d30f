import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { ELIZA } from "../../protocol/agents/agents";
import { BUILT_IN_AGENTS } from "../../protocol/agents/built-in-agents";
import { readAgents, withAgent, withBypass, withoutAgent } from "./agents";
import { readSettings } from "./settings";

const read = (agents: unknown, currentAgentId: unknown = "", bypassPermissions: unknown = []) =>
  readAgents({ agents, currentAgentId, bypassPermissions });
const mine = {
  id: "mine",
  name: "Mine",
  distribution: { local: { command: "my-agent", args: ["--acp"], env: { A: "b" } } },
};

/** Agents that are offered without being configured. */
const CHOICES = BUILT_IN_AGENTS.filter(({ id, needs }) => id !== ELIZA.id && needs === undefined);
const ids = (agents: readonly { readonly id: string }[]) => agents.map(({ id }) => id);

suite("agents in the settings", () => {
  test("defaults to Eliza and offers the other built-in agents", () => {
    deepEqual(read([]), {
      agents: [ELIZA, ...CHOICES],
      configured: ["elizacp"],
      own: [],
      currentAgentId: "elizacp",
      bypass: [],
      problems: [],
    });
    deepEqual(ids(CHOICES), ["zed-claude-code", "codex", "gemini"]);
    deepEqual(read(undefined, undefined, undefined), read([]));
  });

  test("is the same in array and object form", () => {
    const array = read([{ ...mine, name: "mine" }], "mine");
    const object = read({ mine: { command: "my-agent", args: ["--acp"], env: { A: "b" } } }, "mine");
    deepEqual(array, object);
    deepEqual(
      [ids(array.agents), array.configured, array.currentAgentId, array.problems],
      [["elizacp", ...ids(CHOICES), "mine"], ["elizacp", "mine"], "mine", []],
    );
  });

  test("accepts all known distributions and ignores later kinds", () => {
    const { agents, problems } = read([
      { id: "a", distribution: { executable: { path: "/a" }, npx: { package: "a" } } },
      { id: "b", distribution: { symposium: { subcommand: "eliza", args: ["--deterministic"] } } },
    ]);
    deepEqual(
      [agents.slice(4).map(({ distribution }) => distribution), problems],
      [
        [
          { executable: { path: "/a" }, npx: { package: "a" } },
          { symposium: { subcommand: "eliza", args: ["--deterministic"] } },
        ],
        [],
      ],
    );
  });

  test("overrides members of a built-in agent in its place", () => {
    const { agents } = read([mine, { id: "elizacp", bypassPermissions: true }]);
    deepEqual(agents, [{ ...ELIZA, bypassPermissions: true }, ...CHOICES, mine]);
    equal(read({ elizacp: { command: "my-eliza" } }).agents[0]?.distribution.local?.command, "my-eliza");
  });

  test("is configured if selected or listed, including non-installable ones", () => {
    deepEqual(read([], "gemini").configured, ["elizacp", "gemini"]);
    const { agents, configured } = read([{ id: "kiro-cli" }, { id: "codex", bypassPermissions: true }]);
    deepEqual(read([{ id: "kiro-cli" }, mine]).own, ["kiro-cli", "mine"]);
    deepEqual(
      [ids(agents), configured, agents.at(-1)?.distribution],
      [
        ["elizacp", ...ids(CHOICES), "kiro-cli"],
        ["elizacp", "codex", "kiro-cli"],
        { local: { command: "kiro-cli-chat", args: ["acp"] } },
      ],
    );
  });

  test("replaces renamed packages and keeps the registry's data", () => {
    const [entry] = read([
      {
        id: "c",
        version: "1.0.0",
        description: "d",
        _source: "registry",
        distribution: { npx: { package: "@zed-industries/claude-code-acp@latest" } },
      },
    ]).agents.slice(4);
    deepEqual(entry, {
      id: "c",
      name: "c",
      version: "1.0.0",
      description: "d",
      _source: "registry",
      distribution: { npx: { package: "@agentclientprotocol/claude-agent-acp@latest" } },
    });
  });

  test("drops invalid entries, with a sentence each", () => {
    const { agents, problems } = read([
      "x",
      null,
      {},
      { id: "" },
      { id: 1 },
      { id: "bare" },
      { id: "empty", distribution: {} },
      { id: "docker", distribution: { docker: { image: "x" } } },
      { id: "args", distribution: { local: { command: "x", args: [1] } } },
      { id: "env", distribution: { local: { command: "x", env: { A: 1 } } } },
      { id: "nocommand", distribution: { local: { command: " " } } },
      { id: "list", distribution: [] },
      mine,
      { ...mine, name: "Twice" },
    ]);
    deepEqual(agents, [ELIZA, ...CHOICES, mine]);
    equal(problems.length, 13);
    ok(problems.every(problem => /symposium\.agents.*\.$/.test(problem)));
    for (const agents of ["x", 1, true])
      deepEqual(read(agents).problems, ["symposium.agents is not a list of agents and is ignored."]);
    deepEqual(read({ a: 1, "": {} }).problems.length, 2);
  });

  test("reports an unknown current agent and uses Eliza", () => {
    const { currentAgentId, problems } = read([], "gone");
    deepEqual(
      [currentAgentId, problems],
      ["elizacp", ["symposium.currentAgentId contains “gone”, which is not a configured agent. New tabs use Eliza."]],
    );
    for (const value of [7, {}, { toString: 1 }]) equal(read([], value).currentAgentId, "elizacp");
  });

  test("reads the bypass from the agent's entry, else from the older list, as booleans only", () => {
    deepEqual(read([{ ...mine, bypassPermissions: true }]).bypass, ["mine"]);
    deepEqual(read([mine], "", ["mine", "elizacp", "unknown"]).bypass, ["elizacp", "mine"]);
    deepEqual(read([{ ...mine, bypassPermissions: false }], "", ["mine"]).bypass, []);
    const doubtful = read([{ ...mine, bypassPermissions: "yes" }]);
    deepEqual([doubtful.bypass, doubtful.problems.length], [[], 1]);
    deepEqual(read([mine], "", "mine").bypass, []);
    deepEqual(read([mine], "", ["mine", 1]).problems.length, 1);
  });

  test("always contains a current agent and bypasses only known agents (property)", () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (agents, currentAgentId, bypassPermissions) => {
        const result = read(agents, currentAgentId, bypassPermissions);
        const all = ids(result.agents);
        ok(
          all.includes(result.currentAgentId) &&
            all.includes("elizacp") &&
            [...result.bypass, ...result.configured].every(id => all.includes(id)),
        );
        equal(new Set(all).size, all.length);
      }),
      { numRuns: 300 },
    ));
});

suite("bypass in the settings", () => {
  test("is set on the agent's entry without other changes", () =>
    deepEqual(withBypass([1, { ...mine, _source: "registry" }, { id: "z" }], "mine", true), [
      1,
      { ...mine, _source: "registry", bypassPermissions: true },
      { id: "z" },
    ]));

  test("creates an entry for a built-in agent", () => {
    for (const value of [[], undefined, "x"])
      deepEqual(withBypass(value, "elizacp", true), [{ id: "elizacp", bypassPermissions: true }]);
  });

  test("keeps the object form", () =>
    deepEqual(withBypass({ mine: { command: "x", more: 1 } }, "elizacp", true), {
      mine: { command: "x", more: 1 },
      elizacp: { bypassPermissions: true },
    }));

  test("round-trips in both forms", () => {
    for (const value of [[], [mine], { mine: { command: "x" } }])
      for (const id of ["elizacp", "mine"]) {
        if (id === "mine" && Array.isArray(value) && value.length === 0) continue;
        const result = read(withBypass(value, id, true));
        deepEqual([result.bypass, result.problems], [[id], []]);
        deepEqual(read(withBypass(withBypass(value, id, true), id, false), "", [id]).bypass, []);
      }
  });
});

suite("adding an agent to the settings", () => {
  const entry = { id: "new", version: "1.0.0", _source: "registry", distribution: { npx: { package: "new@1.0.0" } } };

  test("appends it or replaces the entry with its id, without other changes", () => {
    for (const value of [[], undefined, "x", 7]) deepEqual(withAgent(value, entry), [entry]);
    deepEqual(withAgent([1, { id: "new", old: 1 }, mine], entry), [1, entry, mine]);
  });

  test("keeps the user's bypass and ignores the added one", () => {
    for (const bypassPermissions of [true, false]) {
      deepEqual(
        withAgent([{ ...mine, bypassPermissions }], { ...entry, id: "mine", bypassPermissions: !bypassPermissions }),
        [{ ...entry, id: "mine", bypassPermissions }],
      );
      deepEqual(withAgent([], { ...entry, bypassPermissions }), [entry]);
    }
    deepEqual(
      read(withAgent([{ ...mine, bypassPermissions: false }], { ...entry, id: "mine" }), "", ["mine"]).bypass,
      [],
    );
  });

  test("keeps the user's configuration file and ignores the added one", () => {
    const ownConfiguration = { file: "~/.mine.json", format: "mcpServers" };
    deepEqual(
      withAgent([{ ...mine, ownConfiguration }], { ...entry, id: "mine", ownConfiguration: { file: "/other" } }),
      [{ ...entry, id: "mine", ownConfiguration }],
    );
    deepEqual(withAgent([mine], { ...entry, ownConfiguration }), [mine, entry]);
  });

  test("replaces the effective one of two entries with its id, as for a bypass", () => {
    const broken = { id: "mine", name: "Broken" };
    deepEqual(withAgent([broken, mine], { ...entry, id: "mine" }), [broken, { ...entry, id: "mine" }]);
    deepEqual(read(withBypass([broken, mine], "mine", true)).bypass, ["mine"]);
    deepEqual(withAgent([broken], { ...entry, id: "mine" }), [{ ...entry, id: "mine" }]);
  });

  test("keeps object entries without a command or with another id, by key", () => {
    deepEqual(withAgent({ codex: { env: { KEY: "k" }, args: ["x"] }, mine: { id: "other", command: "x" } }, entry), [
      { id: "codex", env: { KEY: "k" }, args: ["x"] },
      { id: "mine", distribution: { local: { command: "x" } } },
      entry,
    ]);
  });

  test("converts the object form to a list with all members", () => {
    const value = withAgent(
      {
        mine: { command: "my-agent", args: ["--acp"], env: { A: "b" }, bypassPermissions: true, more: 1 },
        elizacp: { bypassPermissions: true },
      },
      entry,
    );
    deepEqual(value, [
      {
        id: "mine",
        bypassPermissions: true,
        more: 1,
        distribution: { local: { command: "my-agent", args: ["--acp"], env: { A: "b" } } },
      },
      { id: "elizacp", bypassPermissions: true },
      entry,
    ]);
    deepEqual(
      ids(read(value).agents).filter(id => !CHOICES.some(choice => choice.id === id)),
      ["elizacp", "mine", "new"],
    );
  });
});

suite("own configuration in the settings", () => {
  test("names a file and its format, and reports and drops invalid values", () => {
    const of = (ownConfiguration: unknown) => {
      const { agents, problems } = read([{ id: "mine", distribution: { local: { command: "x" } }, ownConfiguration }]);
      return [agents.find(({ id }) => id === "mine")?.ownConfiguration, problems.length];
    };
    for (const file of ["/a/b.json", "~/b.json", "C:\\b.json"])
      deepEqual(of({ file, format: "mcpServers" }), [{ file, format: "mcpServers" }, 0]);
    for (const wrong of [
      { file: "b.json", format: "mcpServers" },
      { file: "/b.json", format: "yaml" },
      { file: 1 },
      "/b.json",
      null,
    ])
      deepEqual(of(wrong), [undefined, 1]);
  });
});

suite("removing an agent from the settings", () => {
  test("removes all its entries in both forms and keeps the others", () => {
    deepEqual(withoutAgent([1, mine, { id: "z" }, { ...mine, name: "Twice" }], "mine"), [1, { id: "z" }]);
    deepEqual(withoutAgent({ mine: { command: "x" }, z: { command: "z" } }, "mine"), { z: { command: "z" } });
  });

  test("changes nothing for an unknown agent", () => {
    for (const value of [undefined, "x", [mine], { z: {} }]) equal(withoutAgent(value, "toString"), value);
  });
});

suite("settings", () => {
  test("treats values of the wrong type as absent", () => {
    const { acpAgentPath, traceDir, logLevel } = readSettings(name => (name === "symposium.logLevel" ? "loud" : 7));
    deepEqual([acpAgentPath, traceDir, logLevel], ["", "", "info"]);
    for (const [level, read] of [
      ["debug", "debug"],
      ["error", "error"],
      ["trace", "info"],
    ] as const)
      equal(readSettings(name => (name === "symposium.logLevel" ? level : undefined)).logLevel, read);
  });

  test("logs messages about agents at the level of all others, or at their own", () => {
    const levels = (logLevel: unknown, agentLogLevel: unknown) => {
      const settings = readSettings(
        name => ({ "symposium.logLevel": logLevel, "symposium.agentLogLevel": agentLogLevel })[name as string],
      );
      return [settings.logLevel, settings.agentLogLevel];
    };
    deepEqual(levels("warn", ""), ["warn", "warn"]);
    deepEqual(levels(undefined, undefined), ["info", "info"]);
    deepEqual(levels("error", "debug"), ["error", "debug"]);
    deepEqual(levels("debug", "loud"), ["debug", "debug"]);
  });

  test("offers ACP version 2 in both chats if the setting is on (issue 15 item 2)", () => {
    const { protocolV2, languageModel } = readSettings(name =>
      name === "symposium.experimentalProtocolV2" ? true : undefined,
    );
    deepEqual([protocolV2, languageModel.protocol], [true, 2]);
    equal(readSettings(() => undefined).languageModel.protocol, undefined);
  });
});
