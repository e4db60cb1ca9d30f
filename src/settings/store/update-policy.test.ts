import { deepEqual, equal } from "node:assert/strict";
import type { RegistryUpdate } from "../../protocol/agents/agent-service";
import {
  configIn,
  importsIn,
  isDue,
  readMemory,
  sentenceOf,
  stillNewer,
  unannounced,
  withUpdate,
} from "./update-policy";

const ada = { id: "ada", version: "1.0.0", _source: "registry", distribution: { npx: { package: "ada@1.0.0" } } };
const newer: RegistryUpdate = {
  of: "agent",
  id: "ada",
  name: "Ada",
  from: "1.0.0",
  to: "1.1.0",
  entry: { ...ada, version: "1.1.0" },
};
const update: RegistryUpdate = { of: "extension", id: "ada", name: "Ada's", to: "3.0.0", entry: {} };
const imports = importsIn([ada], undefined);
const HOUR = 3_600_000;

suite("update policy", () => {
  test("checks only registry entries in both lists", () =>
    deepEqual(
      importsIn([1, null, ada, { ...ada, _source: "custom" }, { id: "x" }], [{ id: "e", _source: "registry" }]),
      { agents: [ada], extensions: [{ id: "e", _source: "registry" }] },
    ));

  test("finds none in older or invalid settings", () =>
    deepEqual(
      [importsIn({ a: {} }, "x"), importsIn(undefined, null)],
      [
        { agents: [], extensions: [] },
        { agents: [], extensions: [] },
      ],
    ));

  test("checks daily unless disabled, untrusted or without entries", () => {
    const due = (change: Partial<Parameters<typeof isDue>[0]> = {}) =>
      isDue({ mode: "notify", isTrusted: true, imports, memory: { told: [] }, now: 100 * HOUR, ...change });
    equal(due(), true);
    equal(due({ mode: "auto" }), true);
    equal(due({ mode: "off" }), false);
    equal(due({ isTrusted: false }), false);
    equal(due({ imports: importsIn([], []) }), false);
    equal(due({ imports: importsIn([], [ada]) }), true);
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
    const many = Array.from({ length: 300 }, (_, n): RegistryUpdate => ({ ...newer, to: `${n}` }));
    equal(unannounced(many, { told: [] }).after.told.length, 200);
    for (const value of [undefined, 7, [], { askedAt: "x", told: {} }]) deepEqual(readMemory(value), { told: [] });
    deepEqual(readMemory({ askedAt: 7, told: [1, "a"] }), { askedAt: 7, told: ["a"] });
  });

  test("drops an update that was installed or whose entry was removed or replaced", () => {
    deepEqual(stillNewer([newer, update], imports), [newer]);
    deepEqual(stillNewer([newer], importsIn([{ ...ada, version: "1.1.0" }], [])), []);
    deepEqual(stillNewer([newer], importsIn([{ ...ada, _source: "custom" }], [ada])), []);
  });

  test("drops an update older than the user's version", () => {
    deepEqual(stillNewer([newer], importsIn([{ ...ada, version: "1.2.0" }], [])), []);
    const { version: _, ...unversioned } = ada,
      { from: __, ...anyNewer } = newer;
    deepEqual(
      [stillNewer([anyNewer], importsIn([unversioned], [])), stillNewer([anyNewer], imports)],
      [[anyNewer], []],
    );
  });

  test("replaces only the older registry entry and keeps the user's decisions", () => {
    const after = { ...ada, version: "1.1.0" };
    deepEqual(
      withUpdate([1, { ...ada, bypassPermissions: true }], { ...newer, entry: { ...after, bypassPermissions: false } }),
      [1, { ...after, bypassPermissions: true }],
    );
    for (const value of [undefined, [], { ada: {} }, [{ ...ada, version: "1.2.0" }], [{ ...ada, _source: "custom" }]])
      equal(withUpdate(value, newer), value);
    const extension: RegistryUpdate = { ...newer, of: "extension", entry: { ...after, _enabled: true } };
    deepEqual(withUpdate([{ ...ada, _enabled: false }], extension), [{ ...after, _enabled: false }]);
    equal(withUpdate(undefined, extension), undefined);
  });

  test("reports all updates in one sentence", () => {
    equal(sentenceOf([newer]), "The registry has Ada 1.1.0 (you have 1.0.0).");
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
