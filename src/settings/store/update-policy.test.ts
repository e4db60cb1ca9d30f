import { deepEqual, equal } from "node:assert/strict";
import type { AgentConfig } from "../../protocol/agents/agents";
import type { AgentState, EntryUpdate, PackageUpdate } from "../../protocol/agents/agent-service";
import { BUILT_IN_AGENTS } from "../../protocol/agents/built-in-agents";
import {
  configIn,
  forInstalled,
  isDue,
  readMemory,
  sentenceOf,
  stillNewer,
  unannounced,
  updatableIn,
  withUpdate,
} from "./update-policy";

const ada = { id: "ada", version: "1.0.0", _source: "registry", distribution: { npx: { package: "ada@1.0.0" } } };
const newer: EntryUpdate = {
  of: "agent",
  id: "ada",
  name: "Ada",
  from: "1.0.0",
  to: "1.1.0",
  entry: { ...ada, version: "1.1.0" },
};
const update: EntryUpdate = { of: "extension", id: "ada", name: "Ada's", to: "3.0.0", entry: {} };
const updatable = updatableIn([ada], undefined, []);
const npx = (id: string, spec: string): AgentConfig => ({ id, name: id, distribution: { npx: { package: spec } } });
const GEMINI = "@google/gemini-cli";
const gemini: PackageUpdate = {
  of: "agent",
  id: "gemini",
  name: "Gemini CLI",
  from: "0.30.0",
  to: "0.31.0",
  package: GEMINI,
};
const HOUR = 3_600_000;

suite("update policy", () => {
  test("checks only registry entries in both lists", () =>
    deepEqual(
      updatableIn([1, null, ada, { ...ada, _source: "custom" }, { id: "x" }], [{ id: "e", _source: "registry" }], []),
      { agents: [ada], extensions: [{ id: "e", _source: "registry" }], builtIns: [] },
    ));

  test("finds none in older or invalid settings", () =>
    deepEqual(
      [updatableIn({ a: {} }, "x", []), updatableIn(undefined, null, [])],
      [
        { agents: [], extensions: [], builtIns: [] },
        { agents: [], extensions: [], builtIns: [] },
      ],
    ));

  test("checks built-in agents, except those whose package the user has pinned or replaced", () => {
    const builtIns = (...agents: readonly AgentConfig[]) =>
      updatableIn([], [], agents).builtIns.map(({ id, distribution }) => [id, distribution.npx?.package]);
    deepEqual(
      builtIns(...BUILT_IN_AGENTS).map(([id]) => id),
      ["zed-claude-code", "codex", "gemini"],
    );
    const local: AgentConfig = { id: "codex", name: "Codex", distribution: { local: { command: "codex-acp" } } };
    deepEqual(
      builtIns(
        npx("zed-claude-code", "@zed-industries/claude-code-acp@latest"),
        npx("gemini", `${GEMINI}@0.30.0`),
        npx("gemini", `${GEMINI}@^0.30.0`),
        npx("gemini", `${GEMINI}@preview`),
        local,
        npx("other", GEMINI),
      ),
      [["zed-claude-code", "@zed-industries/claude-code-acp@latest"]],
    );
  });

  test("checks daily unless disabled, untrusted or without items", () => {
    const due = (change: Partial<Parameters<typeof isDue>[0]> = {}) =>
      isDue({ mode: "notify", isTrusted: true, updatable, memory: { told: [] }, now: 100 * HOUR, ...change });
    equal(due(), true);
    equal(due({ mode: "auto" }), true);
    equal(due({ mode: "off" }), false);
    equal(due({ isTrusted: false }), false);
    equal(due({ updatable: updatableIn([], [], []) }), false);
    equal(due({ updatable: updatableIn([], [ada], []) }), true);
    equal(due({ updatable: updatableIn([], [], [npx("gemini", GEMINI)]) }), true);
    equal(due({ memory: { askedAt: 77 * HOUR, told: [] } }), false);
    equal(due({ memory: { askedAt: 76 * HOUR, told: [] } }), true);
    equal(due({ memory: { askedAt: 200 * HOUR, told: [] } }), true);
  });

  test("reports each version once per agent and extension", () => {
    const first = unannounced([newer, update], { told: [] });
    deepEqual(first.fresh, [newer, update]);
    deepEqual(unannounced([newer, update], readMemory(JSON.parse(JSON.stringify(first.after)))).fresh, []);
    deepEqual(unannounced([{ ...newer, to: "1.2.0" }], first.after).fresh.length, 1);
  });

  test("bounds its memory and ignores invalid content", () => {
    const many = Array.from({ length: 300 }, (_, n): EntryUpdate => ({ ...newer, to: `${n}` }));
    equal(unannounced(many, { told: [] }).after.told.length, 200);
    for (const value of [undefined, 7, [], { askedAt: "x", told: {} }]) deepEqual(readMemory(value), { told: [] });
    deepEqual(readMemory({ askedAt: 7, told: [1, "a"] }), { askedAt: 7, told: ["a"] });
  });

  test("drops an update that was installed or whose entry was removed or replaced", () => {
    deepEqual(stillNewer([newer, update], updatable), [newer]);
    deepEqual(stillNewer([newer], updatableIn([{ ...ada, version: "1.1.0" }], [], [])), []);
    deepEqual(stillNewer([newer], updatableIn([{ ...ada, _source: "custom" }], [ada], [])), []);
  });

  test("drops an update older than the user's version", () => {
    deepEqual(stillNewer([newer], updatableIn([{ ...ada, version: "1.2.0" }], [], [])), []);
    const { version: _, ...unversioned } = ada,
      { from: __, ...anyNewer } = newer;
    deepEqual(
      [stillNewer([anyNewer], updatableIn([unversioned], [], [])), stillNewer([anyNewer], updatable)],
      [[anyNewer], []],
    );
  });

  test("drops an update of a built-in agent that the user has pinned or replaced", () => {
    const dropped = (...agents: readonly AgentConfig[]) =>
      stillNewer([gemini], updatableIn([], [], agents)).length === 0;
    deepEqual(
      [
        dropped(...BUILT_IN_AGENTS),
        dropped(npx("gemini", `${GEMINI}@latest`)),
        dropped(npx("gemini", `${GEMINI}@0.30.0`)),
        dropped(npx("gemini", "gemini-fork")),
        dropped(npx("codex", GEMINI)),
        dropped(),
      ],
      [false, false, true, true, true, true],
    );
  });

  test("drops an update of a built-in agent whose installed version has changed since the check", () => {
    const shown = (install: AgentState["install"] | undefined) =>
      forInstalled(
        [newer, gemini],
        install && new Map([["gemini", { kind: "npx", install, running: 0 } satisfies AgentState]]),
      ).map(({ id }) => id);
    deepEqual(shown({ kind: "installed", version: "0.30.0" }), ["ada", "gemini"]);
    for (const install of [
      undefined,
      { kind: "missing" },
      { kind: "installed" },
      { kind: "installed", version: "0.31.0" },
      { kind: "installing", phase: "installing" },
    ] as const)
      deepEqual(shown(install), ["ada"]);
  });

  test("replaces only the older registry entry and keeps the user's decisions", () => {
    const after = { ...ada, version: "1.1.0" };
    deepEqual(
      withUpdate([1, { ...ada, bypassPermissions: true }], { ...newer, entry: { ...after, bypassPermissions: false } }),
      [1, { ...after, bypassPermissions: true }],
    );
    for (const value of [undefined, [], { ada: {} }, [{ ...ada, version: "1.2.0" }], [{ ...ada, _source: "custom" }]])
      equal(withUpdate(value, newer), value);
    const extension: EntryUpdate = { ...newer, of: "extension", entry: { ...after, _enabled: true } };
    deepEqual(withUpdate([{ ...ada, _enabled: false }], extension), [{ ...after, _enabled: false }]);
    equal(withUpdate(undefined, extension), undefined);
  });

  test("reports all updates in one sentence", () => {
    equal(sentenceOf([newer]), "The registry has Ada 1.1.0 (you have 1.0.0).");
    equal(sentenceOf([gemini]), "The registry has Gemini CLI 0.31.0 (you have 0.30.0).");
    equal(
      sentenceOf([newer, update, newer]),
      "The registry has Ada 1.1.0 (you have 1.0.0), Ada's 3.0.0 and Ada 1.1.0 (you have 1.0.0).",
    );
  });

  test("installs the configuration that the settings will contain, also with a built-in agent's id", () => {
    deepEqual(configIn("agent", ada), {
      id: "ada",
      name: "ada",
      version: "1.0.0",
      _source: "registry",
      distribution: { npx: { package: "ada@1.0.0" } },
    });
    equal(
      configIn("agent", { id: "codex", version: "9", distribution: { npx: { package: "c@9" } } })?.distribution.npx
        ?.package,
      "c@9",
    );
    equal(configIn("agent", { id: "ada", distribution: {} }), undefined);
    deepEqual(configIn("extension", { ...ada, _source: "registry" }), {
      id: "ada",
      name: "ada",
      version: "1.0.0",
      _source: "registry",
      distribution: { npx: { package: "ada@1.0.0" } },
    });
  });
});
