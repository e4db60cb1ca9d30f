import { deepEqual } from "node:assert/strict";
import { deferred } from "../deferred";
import { WorkingFolders } from "../editor/files/working-folders";
import type { NewChat } from "../protocol/sidecar";
import type { Settings } from "../settings/store/settings";
import { settled } from "../testing/settled";
import { begunWith, BACKOFF, MINE, RUNNING, SHOWN, settingsWith, Fixture } from "../testing/chat-controller-world";
import { SessionStarts } from "./session-start";

const X = { id: "x", name: "X", distribution: { local: { command: "x" } } },
  Y = { ...X, id: "y" };

/** The `outdated` list that the page receives with these settings. */
function outdated(fixture: Fixture, now: Settings): readonly string[] {
  fixture.settings = now;
  fixture.chat.postState();
  return fixture.of("state").at(-1)?.outdated ?? [];
}

suite("tabs that go on as they began", () => {
  const OTHERS: readonly (readonly [what: string, more: Readonly<Record<string, unknown>>])[] = [
    ["its agent's command", { "symposium.agents": [{ ...MINE, distribution: { local: { command: "other" } } }] }],
    ["its agent, which is gone,", { "symposium.agents": [] }],
    ["the protocol", { "symposium.experimentalProtocolV2": true }],
    ["an extension more", { "symposium.extensions": [X, Y] }],
    ["an extension less", { "symposium.extensions": [] }],
    ["an extension that is off", { "symposium.extensions": [{ ...X, _enabled: false }] }],
    ["an extension's kind", { "symposium.extensions": [{ ...X, kind: "mcp" }] }],
    ["an extension's command", { "symposium.extensions": [{ ...X, distribution: { npx: { package: "x" } } }] }],
    ["an extension's settings", { "symposium.extensions": [{ ...X, settings: { a: 1 } }] }],
  ];
  const BEFORE = { "symposium.extensions": [X] };
  for (const [what, more] of OTHERS) {
    test(`${what} is another: the tab is one, until the settings are as before`, async () => {
      const fixture = await begunWith(BEFORE);
      deepEqual(
        [outdated(fixture, settingsWith({ ...BEFORE, ...more })), outdated(fixture, settingsWith(BEFORE))],
        [["t"], []],
      );
    });
  }

  test("so it is when the address of an MCP server is another, or a header that goes there", async () => {
    const at = (http: object) => ({ "symposium.extensions": [{ id: "x", kind: "mcp", distribution: { http } }] }),
      here = { url: "https://example.com/a", headers: { A: "1" } };
    const fixture = await begunWith(at(here));
    deepEqual(
      [at({ ...here, url: "https://example.com/b" }), at({ ...here, headers: { A: "2" } }), at(here)].map(more =>
        outdated(fixture, settingsWith(more)),
      ),
      [["t"], ["t"], []],
    );
  });

  test("the order of extensions counts", async () => {
    const fixture = await begunWith({ "symposium.extensions": [X, Y] });
    deepEqual(outdated(fixture, settingsWith({ "symposium.extensions": [Y, X] })), ["t"]);
  });

  test("nor in which order somebody wrote what a setting holds", async () => {
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

  test("names, permissions, other agents and which one is selected are nothing to a tab that is open", async () => {
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
      same.map(more => outdated(fixture, settingsWith({ ...BEFORE, ...more }))),
      same.map(() => []),
    );
  });

  test("a new tab beside it has what is set now, with the agent that it is told to have", async () => {
    const fixture = await begunWith();
    fixture.settings = settingsWith({ ...BEFORE, "symposium.currentAgentId": "elizacp" });
    await fixture.says(
      { type: "new-tab", tabId: "u", agentId: "mine" },
      { type: "new-tab", tabId: "v", agentId: "gone" },
    );
    deepEqual(
      fixture.calls("chat/new").map(params => (params as NewChat).agent.id),
      ["mine", "mine", "elizacp"],
    );
    deepEqual([fixture.chat.outdatedTabs, fixture.of("state").at(-1)?.outdated], [["t"], ["t"]]);
  });

  test("while its folder is being chosen the extensions may become others: those are the ones that it begins with, the agent is not", async () => {
    for (const [more, expected] of [
      [BEFORE, []],
      [{ "symposium.agents": [{ ...MINE, distribution: { local: { command: "other" } } }] }, ["t"]],
    ] as const) {
      const fixture = new Fixture(),
        now = settingsWith(more);
      fixture.settings = settingsWith();
      Object.defineProperty(fixture, "folders", {
        get: () => {
          fixture.settings = now;
          return ["/w"];
        },
      });
      await fixture.says({ type: "new-tab", tabId: "t" });
      deepEqual(outdated(fixture, now), expected);
    }
  });

  test("nothing is kept of a tab that is closed while its folder is being chosen", async () => {
    const choosing = deferred<string>(),
      { chosen, log } = new Fixture();
    const folders = new WorkingFolders({
      folders: () => ["/a", "/b"],
      pick: () => choosing.promise,
      say: () => undefined,
      home: "/home/me",
      log,
    });
    let now = settingsWith();
    const beginnings = new SessionStarts({ settings: () => now, selectAgent: async () => undefined, chosen, folders });
    const plan = beginnings.of("t", { shown: [] })();
    await settled();
    beginnings.forget("t");
    choosing.resolve("/a");
    await plan;
    now = settingsWith(BEFORE);
    deepEqual(beginnings.outdated(["t"]), []);
  });

  test("a session that is lost begins anew with what is set then", async () => {
    const fixture = await begunWith();
    deepEqual(outdated(fixture, settingsWith(BEFORE)), ["t"]);
    await fixture.become(BACKOFF);
    deepEqual(fixture.of("state").at(-1)?.outdated, undefined);
    await fixture.become(RUNNING);
    await fixture.ready({ tabId: "t", shown: SHOWN, agentId: "mine" });
    deepEqual(fixture.chat.outdatedTabs, []);
  });

  test("whoever wants to know is told when there are others, once, and not of tabs that are closed", async () => {
    const fixture = await begunWith();
    await fixture.says({ type: "new-tab", tabId: "u" });
    deepEqual(outdated(fixture, settingsWith(BEFORE)), ["t", "u"]);
    fixture.chat.postState();
    await fixture.says({ type: "close-tab", tabId: "t" }, { type: "close-tab", tabId: "u" });
    await settled();
    deepEqual(
      fixture.done.filter(line => line.startsWith("outdated")),
      ["outdated t u", "outdated u", "outdated "],
    );
  });
});
