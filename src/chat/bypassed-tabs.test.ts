import { deepEqual } from "node:assert/strict";
import { deferred } from "../deferred";
import type { BypassUntil } from "../protocol/sidecar";
import type { Bypassed } from "../protocol/webview";
import type { Settings } from "../settings/store/settings";
import { settled } from "../testing/settled";
import { BACKOFF, begunWith, MINE, settingsWith, type Fixture } from "../testing/chat-controller-world";

const ASKING = { id: "workspace", _enabled: true, _source: "built-in" },
  APPROVING = { ...ASKING, settings: { approve: "all" } };

/** The `bypassed` list that the page receives with these settings. */
function told(fixture: Fixture, now: Settings): readonly Bypassed[] | undefined {
  fixture.settings = now;
  fixture.chat.postState();
  return fixture.of("state").at(-1)?.bypassed;
}

suite("tabs in which something is done without asking", () => {
  const BYPASS = { "symposium.agents": [{ ...MINE, bypassPermissions: true }] };

  test("those of an agent that is let do what it wants, from when it is to when it is not, and no others", async () => {
    const fixture = await begunWith();
    await fixture.says({ type: "new-tab", tabId: "u", agentId: "elizacp" });
    deepEqual(
      [told(fixture, settingsWith()), told(fixture, settingsWith(BYPASS)), told(fixture, settingsWith())],
      [undefined, [{ tabId: "t", by: ["agent"] }], undefined],
    );
  });

  test("those that began with the extension Workspace approving all, whatever is set since", async () => {
    const fixture = await begunWith({ "symposium.extensions": [APPROVING] });
    deepEqual(told(fixture, settingsWith({ "symposium.extensions": [ASKING] })), [{ tabId: "t", by: ["workspace"] }]);
    await fixture.says({ type: "new-tab", tabId: "u" });
    deepEqual(told(fixture, settingsWith({ ...BYPASS, "symposium.extensions": [APPROVING] })), [
      { tabId: "t", by: ["agent", "workspace"] },
      { tabId: "u", by: ["agent"] },
    ]);
  });

  for (const id of ["cargo", "ferris", "sparkle"])
    test(`those that began with the extension ${id} approving all`, async () => {
      const fixture = await begunWith({ "symposium.extensions": [{ ...APPROVING, id }] });
      deepEqual(told(fixture, fixture.settings), [{ tabId: "t", by: [id] }]);
    });

  for (const [what, entry] of [
    ["asks", ASKING],
    ["is off", { ...APPROVING, _enabled: false }],
    ["is another's of that name", { ...APPROVING, _source: "custom", distribution: { local: { command: "x" } } }],
    ["approves something else", { ...ASKING, settings: { approve: "some" } }],
  ] as const) {
    test(`none where that extension ${what}`, async () => {
      const fixture = await begunWith({ "symposium.extensions": [entry] });
      deepEqual(told(fixture, fixture.settings), undefined);
    });
  }

  test("a tab that is closed is none of them", async () => {
    const fixture = await begunWith(BYPASS);
    await fixture.says({ type: "close-tab", tabId: "t" });
    deepEqual(told(fixture, fixture.settings), undefined);
  });

  test("the badge leads to the settings", async () => {
    const fixture = await begunWith(BYPASS);
    await fixture.says({ type: "action", tabId: "t", action: "openSettings" });
    deepEqual(
      fixture.done.filter(line => line === "openSettings"),
      ["openSettings"],
    );
  });
});

suite("a bypass that the page asks for", () => {
  for (const until of ["sessionEnds", "revoked"] as const)
    test(`is confirmed by the user for this agent, until ${until}`, async () => {
      const fixture = await begunWith();
      fixture.confirmed = until;
      await fixture.says({ type: "bypass", tabId: "t" });
      deepEqual(
        [fixture.done.filter(line => line.startsWith("confirm")), fixture.calls("chat/bypass")],
        [["confirm bypass Mine"], [{ sessionId: "s1", until }]],
      );
    });

  test("allows nothing when the user cancels, or when there is no such tab", async () => {
    const fixture = await begunWith();
    await fixture.says({ type: "bypass", tabId: "t" }, { type: "bypass", tabId: "gone" });
    deepEqual(
      [fixture.done.filter(line => line.startsWith("confirm")), fixture.calls("chat/bypass")],
      [["confirm bypass Mine"], []],
    );
  });

  for (const [what, end] of [
    ["the tab is closed", fixture => fixture.says({ type: "close-tab", tabId: "t" })],
    [
      "the sidecar dies",
      async fixture => {
        fixture.sidecar.die();
        await fixture.become(BACKOFF);
      },
    ],
  ] satisfies [string, (fixture: Fixture) => Promise<void>][])
    test(`allows nothing when ${what} while the user is asked`, async () => {
      const fixture = await begunWith(),
        confirmed = deferred<BypassUntil | undefined>();
      fixture.confirmed = confirmed.promise;
      await fixture.says({ type: "bypass", tabId: "t" });
      await end(fixture);
      confirmed.resolve("sessionEnds");
      await settled();
      deepEqual(fixture.calls("chat/bypass"), []);
    });

  test("of the session ends without a question", async () => {
    const fixture = await begunWith();
    await fixture.says({ type: "end-bypass", tabId: "t" }, { type: "end-bypass", tabId: "gone" });
    deepEqual(fixture.calls("chat/endBypass"), [{ sessionId: "s1" }]);
  });
});
