import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { ELIZA } from "../../protocol/agents";
import { BUILT_IN_AGENTS } from "../../protocol/built-in-agents";
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
  test("without settings Eliza is chosen, and the others that are built in can be", () => {
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

  test("both forms say the same", () => {
    const array = read([{ ...mine, name: "mine" }], "mine");
    const object = read({ mine: { command: "my-agent", args: ["--acp"], env: { A: "b" } } }, "mine");
    deepEqual(array, object);
    deepEqual(
      [ids(array.agents), array.configured, array.currentAgentId, array.problems],
      [["elizacp", ...ids(CHOICES), "mine"], ["elizacp", "mine"], "mine", []],
    );
  });

  test("all our distributions are read, and kinds of later versions beside them are no problem", () => {
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

  test("an entry with a built-in's id overrides what it names and keeps the rest, in the built-in's place", () => {
    const { agents } = read([mine, { id: "elizacp", bypassPermissions: true }]);
    deepEqual(agents, [{ ...ELIZA, bypassPermissions: true }, ...CHOICES, mine]);
    equal(read({ elizacp: { command: "my-eliza" } }).agents[0]?.distribution.local?.command, "my-eliza");
  });

  test("one that is chosen, or written down, is configured; what Symposium cannot install is there when it is written down", () => {
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

  test("packages that the documents name are those of today; what the registry said of an agent stays", () => {
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

  test("what cannot be read is left out alone, with a sentence each", () => {
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
      deepEqual(read(agents).problems, ["symposium.agents is no list of agents and is not used."]);
    deepEqual(read({ a: 1, "": {} }).problems.length, 2);
  });

  test("a current agent that is not there is said, and Eliza answers", () => {
    const { currentAgentId, problems } = read([], "gone");
    deepEqual(
      [currentAgentId, problems],
      ["elizacp", ["symposium.currentAgentId names “gone”, which is no agent here; Eliza answers instead."]],
    );
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
  test("it is set on the agent's entry; order, other entries and unknown fields stay", () =>
    deepEqual(withBypass([1, { ...mine, _source: "registry" }, { id: "z" }], "mine", true), [
      1,
      { ...mine, _source: "registry", bypassPermissions: true },
      { id: "z" },
    ]));

  test("a built-in agent gets an entry", () => {
    for (const value of [[], undefined, "x"])
      deepEqual(withBypass(value, "elizacp", true), [{ id: "elizacp", bypassPermissions: true }]);
  });

  test("the object form stays one", () =>
    deepEqual(withBypass({ mine: { command: "x", more: 1 } }, "elizacp", true), {
      mine: { command: "x", more: 1 },
      elizacp: { bypassPermissions: true },
    }));

  test("what is written is read as a bypass, in both forms", () => {
    for (const value of [[], [mine], { mine: { command: "x" } }])
      for (const id of ["elizacp", "mine"]) {
        if (id === "mine" && Array.isArray(value) && value.length === 0) continue;
        const result = read(withBypass(value, id, true));
        deepEqual([result.bypass, result.problems], [[id], []]);
        deepEqual(read(withBypass(withBypass(value, id, true), id, false), "", [id]).bypass, []);
      }
  });
});

suite("an agent that is added to the settings", () => {
  const entry = { id: "new", version: "1.0.0", _source: "registry", distribution: { npx: { package: "new@1.0.0" } } };

  test("comes last, or takes the place of the one with its id; the others stay as they are", () => {
    for (const value of [[], undefined, "x", 7]) deepEqual(withAgent(value, entry), [entry]);
    deepEqual(withAgent([1, { id: "new", old: 1 }, mine], entry), [1, entry, mine]);
  });

  test("whether it is asked about is what the user decided, never what is added says", () => {
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

  test("its own configuration is the file that the user named, also after an update, never what is added says", () => {
    const ownConfiguration = { file: "~/.mine.json", format: "mcpServers" };
    deepEqual(
      withAgent([{ ...mine, ownConfiguration }], { ...entry, id: "mine", ownConfiguration: { file: "/other" } }),
      [{ ...entry, id: "mine", ownConfiguration }],
    );
    deepEqual(withAgent([mine], { ...entry, ownConfiguration }), [mine, entry]);
  });

  test("of two with its id it takes the place of the one that counts, and so does a bypass", () => {
    const broken = { id: "mine", name: "Broken" };
    deepEqual(withAgent([broken, mine], { ...entry, id: "mine" }), [broken, { ...entry, id: "mine" }]);
    deepEqual(read(withBypass([broken, mine], "mine", true)).bypass, ["mine"]);
    deepEqual(withAgent([broken], { ...entry, id: "mine" }), [{ ...entry, id: "mine" }]);
  });

  test("what the older form says without a command, or of another id, is kept as it is, and its name counts", () => {
    deepEqual(withAgent({ codex: { env: { KEY: "k" }, args: ["x"] }, mine: { id: "other", command: "x" } }, entry), [
      { id: "codex", env: { KEY: "k" }, args: ["x"] },
      { id: "mine", distribution: { local: { command: "x" } } },
      entry,
    ]);
  });

  test("the older form becomes the list, with all that it said", () => {
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

suite("An agent's own configuration in the settings", () => {
  test("names a file and its format; what cannot be read is reported and left out", () => {
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

suite("an agent that is removed from the settings", () => {
  test("is gone, every entry of it, and the others stay, in both forms", () => {
    deepEqual(withoutAgent([1, mine, { id: "z" }, { ...mine, name: "Twice" }], "mine"), [1, { id: "z" }]);
    deepEqual(withoutAgent({ mine: { command: "x" }, z: { command: "z" } }, "mine"), { z: { command: "z" } });
  });

  test("what is not there changes nothing", () => {
    for (const value of [undefined, "x", [mine], { z: {} }]) equal(withoutAgent(value, "toString"), value);
  });
});

suite("settings", () => {
  test("values of the wrong type count as absent", () => {
    const { acpAgentPath, traceDir, logLevel } = readSettings(name => (name === "symposium.logLevel" ? "loud" : 7));
    deepEqual([acpAgentPath, traceDir, logLevel], ["", "", "info"]);
    for (const [level, read] of [
      ["debug", "debug"],
      ["error", "error"],
      ["trace", "info"],
    ] as const)
      equal(readSettings(name => (name === "symposium.logLevel" ? level : undefined)).logLevel, read);
  });

  test("offers ACP version 2 in both chats if the setting is on (issue 15 item 2)", () => {
    const { protocolV2, languageModel } = readSettings(name =>
      name === "symposium.experimentalProtocolV2" ? true : undefined,
    );
    deepEqual([protocolV2, languageModel.protocol], [true, 2]);
    equal(readSettings(() => undefined).languageModel.protocol, undefined);
  });
});
