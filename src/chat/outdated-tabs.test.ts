import { deepEqual } from "node:assert/strict";
import { deferred } from "../protocol/wire/deferred";
import { WorkingFolders } from "../editor/files/working-folders";
import type { NewChat } from "../protocol/sidecar";
import type { Settings } from "../settings/store/settings";
import { noFirstScreen } from "../testing/no-first-screen";
import { settled } from "../testing/settled";
import { begunWith, BACKOFF, MINE, RUNNING, settingsWith, Fixture } from "../testing/chat-controller-fixture";
import { SessionStarts } from "./session-start";

const X = { id: "x", name: "X", distribution: { local: { command: "x" } } },
  Y = { ...X, id: "y" };

/** The `outdated` list that the page receives with these settings. */
function outdated(fixture: Fixture, now: Settings): readonly string[] {
  fixture.settings = now;
  fixture.chat.postState();
  return fixture.of("state").at(-1)?.outdated ?? [];
}

suite("outdated tabs", () => {
  const OTHERS: readonly (readonly [what: string, more: Readonly<Record<string, unknown>>])[] = [
    ["its agent's command", { "symposium.agents": [{ ...MINE, distribution: { local: { command: "other" } } }] }],
    ["a removed agent", { "symposium.agents": [] }],
    ["the protocol", { "symposium.experimentalProtocolV2": true }],
    ["an added extension", { "symposium.extensions": [X, Y] }],
    ["a removed extension", { "symposium.extensions": [] }],
    ["a disabled extension", { "symposium.extensions": [{ ...X, _enabled: false }] }],
    ["an extension's kind", { "symposium.extensions": [{ ...X, kind: "mcp" }] }],
    ["an extension's command", { "symposium.extensions": [{ ...X, distribution: { npx: { package: "x" } } }] }],
    ["an extension's settings", { "symposium.extensions": [{ ...X, settings: { a: 1 } }] }],
  ];
  const BEFORE = { "symposium.extensions": [X] };
  for (const [what, overrides] of OTHERS) {
    test(`includes a tab after a change of ${what} until the change is reverted`, async () => {
      const fixture = await begunWith(BEFORE);
      deepEqual(
        [outdated(fixture, settingsWith({ ...BEFORE, ...overrides })), outdated(fixture, settingsWith(BEFORE))],
        [["t"], []],
      );
    });
  }

  test("includes a tab after a change of an MCP server's address or header", async () => {
    const at = (http: object) => ({ "symposium.extensions": [{ id: "x", kind: "mcp", distribution: { http } }] }),
      here = { url: "https://example.com/a", headers: { A: "1" } };
    const fixture = await begunWith(at(here));
    deepEqual(
      [at({ ...here, url: "https://example.com/b" }), at({ ...here, headers: { A: "2" } }), at(here)].map(overrides =>
        outdated(fixture, settingsWith(overrides)),
      ),
      [["t"], ["t"], []],
    );
  });

  test("includes a tab after a change of the order of extensions", async () => {
    const fixture = await begunWith({ "symposium.extensions": [X, Y] });
    deepEqual(outdated(fixture, settingsWith({ "symposium.extensions": [Y, X] })), ["t"]);
  });

  test("ignores the key order of a setting", async () => {
    const agent = (local: object) => [{ ...MINE, distribution: { local } }];
    const fixture = await begunWith({
      "symposium.agents": agent({ command: "mine", env: { A: "1", B: "2" } }),
      "symposium.extensions": [{ ...X, settings: { a: { c: 1, d: 2 }, b: 1 } }],
    });
    deepEqual(
      outdated(
        fixture,
        settingsWith({
          "symposium.agents": agent({ env: { B: "2", A: "1" }, command: "mine" }),
          "symposium.extensions": [{ ...X, settings: { b: 1, a: { d: 2, c: 1 } } }],
        }),
      ),
      [],
    );
  });

  test("ignores names, permissions, other agents and the selected agent", async () => {
    const fixture = await begunWith(BEFORE),
      same = [
        {
          "symposium.agents": [
            { ...MINE, name: "Other", bypassPermissions: true, version: "2" },
            { ...MINE, id: "more" },
          ],
        },
        { "symposium.currentAgentId": "elizacp" },
        { "symposium.extensions": [{ ...X, name: "Other", description: "d", version: "2", _source: "registry" }] },
        { "symposium.requireModifierToSend": true },
      ];
    deepEqual(
      same.map(overrides => outdated(fixture, settingsWith({ ...BEFORE, ...overrides }))),
      same.map(() => []),
    );
  });

  test("excludes a new tab opened beside one, which has the same agent", async () => {
    const fixture = await begunWith();
    fixture.settings = settingsWith({ ...BEFORE, "symposium.currentAgentId": "elizacp" });
    await fixture.send(
      { type: "newTab", tabId: "u", agentId: "mine" },
      { type: "newTab", tabId: "v", agentId: "gone" },
    );
    deepEqual(
      fixture.calls("chat/new").map(params => (params as NewChat).agent.id),
      ["mine", "mine", "elizacp"],
    );
    deepEqual([fixture.chat.outdatedTabs, fixture.of("state").at(-1)?.outdated], [["t"], ["t"]]);
  });

  test("compares with the extensions after the folder choice and the agent before it", async () => {
    for (const [overrides, expected] of [
      [BEFORE, []],
      [{ "symposium.agents": [{ ...MINE, distribution: { local: { command: "other" } } }] }, ["t"]],
    ] as const) {
      const fixture = new Fixture(),
        now = settingsWith(overrides);
      fixture.settings = settingsWith();
      Object.defineProperty(fixture, "folders", {
        get: () => {
          fixture.settings = now;
          return ["/w"];
        },
      });
      await fixture.send({ type: "newTab", tabId: "t" });
      deepEqual(outdated(fixture, now), expected);
    }
  });

  test("forgets a tab closed during its folder choice", async () => {
    const choosing = deferred<string>(),
      { chosen, log, sidecar } = new Fixture();
    const folders = new WorkingFolders({
      folders: () => ["/a", "/b"],
      pick: () => choosing.promise,
      report: () => undefined,
      home: "/home/me",
      log,
    });
    let now = settingsWith();
    const beginnings = new SessionStarts({
      settings: () => now,
      firstScreen: noFirstScreen,
      selectAgent: async () => undefined,
      sidecar: { client: () => sidecar.current() },
      chosen,
      folders,
    });
    const plan = beginnings.of({ tabId: "t" })();
    await settled();
    beginnings.forget("t");
    choosing.resolve("/a");
    await plan;
    now = settingsWith(BEFORE);
    deepEqual(beginnings.outdated(["t"]), []);
  });

  test("excludes a lost session that restarts with the current settings", async () => {
    const fixture = await begunWith();
    deepEqual(outdated(fixture, settingsWith(BEFORE)), ["t"]);
    await fixture.become(BACKOFF);
    deepEqual(fixture.of("state").at(-1)?.outdated, undefined);
    await fixture.become(RUNNING);
    await fixture.ready({ tabId: "t", agentId: "mine" });
    deepEqual(fixture.chat.outdatedTabs, []);
  });

  test("notifies listeners once about changes, without closed tabs", async () => {
    const fixture = await begunWith();
    await fixture.send({ type: "newTab", tabId: "u" });
    deepEqual(outdated(fixture, settingsWith(BEFORE)), ["t", "u"]);
    fixture.chat.postState();
    await fixture.send({ type: "closeTab", tabId: "t" }, { type: "closeTab", tabId: "u" });
    await settled();
    deepEqual(
      fixture.done.filter(line => line.startsWith("outdated")),
      ["outdated t u", "outdated u", "outdated "],
    );
  });
});
