import { deepEqual, equal, ok } from "node:assert/strict";
import { BUILT_IN_AGENTS, builtInAgents } from "./built-in-agents";
import { entryOf, foundAgents, KNOWN_PROGRAMS } from "./known-programs";

const BUILT_IN = builtInAgents(() => false);
const everywhere = Object.fromEntries(KNOWN_PROGRAMS.map(({ program }) => [program, `/bin/${program}`]));

suite("known programs", () => {
  test("lists unique agents and programs of built-in ones", () => {
    for (const { program, agentId, agent } of KNOWN_PROGRAMS) {
      ok(
        agent === undefined
          ? BUILT_IN.some(({ id }) => id === agentId)
          : agent.id === agentId && agent.distribution.local?.command === program,
        program,
      );
    }
    for (const field of ["program", "agentId"] as const)
      equal(new Set(KNOWN_PROGRAMS.map(known => known[field])).size, KNOWN_PROGRAMS.length);
  });

  test("includes the required programs of built-in agents", () => {
    for (const { id, needs } of BUILT_IN_AGENTS)
      if (needs !== undefined) equal(KNOWN_PROGRAMS.find(({ program }) => program === needs)?.agentId, id);
  });

  test("maps found programs to configured, built-in or new agents", () => {
    const goose = { id: "goose", name: "My Goose", distribution: { npx: { package: "g" } } };
    const found = foundAgents([...BUILT_IN, goose], { goose: "/g", claude: "/c", "kiro-cli-chat": "/k" });
    deepEqual(
      found.map(({ agent: { id, name }, path, isNew }) => [id, name, path, isNew]),
      [
        ["zed-claude-code", "Claude", "/c", false],
        ["kiro-cli", "Kiro CLI", "/k", true],
        ["goose", "My Goose", "/g", false],
      ],
    );
    equal(foundAgents(BUILT_IN, everywhere).length, KNOWN_PROGRAMS.length);
    deepEqual(foundAgents(BUILT_IN, {}), []);
  });

  test("is stored by program name", () => {
    const [kiro] = foundAgents([], { "kiro-cli-chat": "/somewhere/kiro-cli-chat" });
    deepEqual(kiro && entryOf(kiro), {
      id: "kiro-cli",
      name: "Kiro CLI",
      description: "Kiro's agent",
      distribution: { local: { command: "kiro-cli-chat", args: ["acp"] } },
      _source: "custom",
    });
  });
});
