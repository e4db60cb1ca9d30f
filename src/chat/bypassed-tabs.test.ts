import { deepEqual } from "node:assert/strict";
import { deferred } from "../protocol/wire/deferred";
import type { BypassUntil } from "../protocol/sidecar";
import type { Bypassed } from "../protocol/page/host-to-page";
import type { Settings } from "../settings/store/settings";
import { settled } from "../testing/settled";
import { BACKOFF, begunWith, MINE, settingsWith, type Fixture } from "../testing/chat-controller-fixture";

const ASKING = { id: "workspace", _enabled: true, _source: "built-in" },
  APPROVING = { ...ASKING, settings: { approve: "all" } };

/** The `bypassed` list that the page receives with these settings. */
function bypassedTabs(fixture: Fixture, now: Settings): readonly Bypassed[] | undefined {
  fixture.settings = now;
  fixture.chat.postState();
  return fixture.of("state").at(-1)?.bypassed;
}

suite("bypassed tabs", () => {
  const BYPASS = { "symposium.agents": [{ ...MINE, bypassPermissions: true }] };

  test("includes the tabs of an agent while its bypass is set", async () => {
    const fixture = await begunWith();
    await fixture.send({ type: "newTab", tabId: "u", agentId: "elizacp" });
    deepEqual(
      [
        bypassedTabs(fixture, settingsWith()),
        bypassedTabs(fixture, settingsWith(BYPASS)),
        bypassedTabs(fixture, settingsWith()),
      ],
      [undefined, [{ tabId: "t", by: ["agent"] }], undefined],
    );
  });

  test("includes tabs that started with an approving Workspace extension", async () => {
    const fixture = await begunWith({ "symposium.extensions": [APPROVING] });
    deepEqual(bypassedTabs(fixture, settingsWith({ "symposium.extensions": [ASKING] })), [
      { tabId: "t", by: ["workspace"] },
    ]);
    await fixture.send({ type: "newTab", tabId: "u" });
    deepEqual(bypassedTabs(fixture, settingsWith({ ...BYPASS, "symposium.extensions": [APPROVING] })), [
      { tabId: "t", by: ["agent", "workspace"] },
      { tabId: "u", by: ["agent"] },
    ]);
  });

  for (const id of ["cargo", "ferris", "sparkle"])
    test(`includes tabs that started with an approving ${id} extension`, async () => {
      const fixture = await begunWith({ "symposium.extensions": [{ ...APPROVING, id }] });
      deepEqual(bypassedTabs(fixture, fixture.settings), [{ tabId: "t", by: [id] }]);
    });

  for (const [what, entry] of [
    ["requests permission", ASKING],
    ["is disabled", { ...APPROVING, _enabled: false }],
    ["belongs to another source", { ...APPROVING, _source: "custom", distribution: { local: { command: "x" } } }],
    ["approves other actions", { ...ASKING, settings: { approve: "some" } }],
  ] as const) {
    test(`excludes tabs whose extension ${what}`, async () => {
      const fixture = await begunWith({ "symposium.extensions": [entry] });
      deepEqual(bypassedTabs(fixture, fixture.settings), undefined);
    });
  }

  test("excludes a closed tab", async () => {
    const fixture = await begunWith(BYPASS);
    await fixture.send({ type: "closeTab", tabId: "t" });
    deepEqual(bypassedTabs(fixture, fixture.settings), undefined);
  });

  test("opens the settings from the badge", async () => {
    const fixture = await begunWith(BYPASS);
    await fixture.send({ type: "action", tabId: "t", action: "openSettings" });
    deepEqual(
      fixture.done.filter(line => line === "openSettings"),
      ["openSettings"],
    );
  });
});

suite("bypass requested by the page", () => {
  for (const until of ["sessionEnds", "revoked"] as const)
    test(`is confirmed by the user for the agent until ${until}`, async () => {
      const fixture = await begunWith();
      fixture.confirmed = until;
      await fixture.send({ type: "bypass", tabId: "t" });
      deepEqual(
        [fixture.done.filter(line => line.startsWith("confirm")), fixture.calls("chat/bypass")],
        [["confirm bypass Mine"], [{ sessionId: "s1", until }]],
      );
    });

  test("allows nothing if the user cancels or the tab is unknown", async () => {
    const fixture = await begunWith();
    await fixture.send({ type: "bypass", tabId: "t" }, { type: "bypass", tabId: "gone" });
    deepEqual(
      [fixture.done.filter(line => line.startsWith("confirm")), fixture.calls("chat/bypass")],
      [["confirm bypass Mine"], []],
    );
  });

  for (const [what, end] of [
    ["the tab closes", fixture => fixture.send({ type: "closeTab", tabId: "t" })],
    [
      "the sidecar exits",
      async fixture => {
        fixture.sidecar.die();
        await fixture.become(BACKOFF);
      },
    ],
  ] satisfies [string, (fixture: Fixture) => Promise<void>][])
    test(`allows nothing if ${what} during the confirmation`, async () => {
      const fixture = await begunWith(),
        confirmed = deferred<BypassUntil | undefined>();
      fixture.confirmed = confirmed.promise;
      await fixture.send({ type: "bypass", tabId: "t" });
      await end(fixture);
      confirmed.resolve("sessionEnds");
      await settled();
      deepEqual(fixture.calls("chat/bypass"), []);
    });

  test("ends without confirmation", async () => {
    const fixture = await begunWith();
    await fixture.send({ type: "endBypass", tabId: "t" }, { type: "endBypass", tabId: "gone" });
    deepEqual(fixture.calls("chat/endBypass"), [{ sessionId: "s1" }]);
  });
});
