import { deepEqual } from "node:assert/strict";
import { deferred } from "../deferred";
import type { BypassUntil } from "../protocol/sidecar";
import type { Bypassed } from "../protocol/webview";
import type { Settings } from "../settings/settings";
import { settled } from "../testing/settled";
import { BACKOFF, begunWith, MINE, settingsWith, type World } from "../testing/chat-controller-world";

const ASKING = { id: "workspace", _enabled: true, _source: "built-in" },
  APPROVING = { ...ASKING, settings: { approve: "all" } };

/** What the page is told when these are the settings. */
function told(world: World, now: Settings): readonly Bypassed[] | undefined {
  world.settings = now;
  world.chat.postState();
  return world.of("state").at(-1)?.bypassed;
}

suite("tabs in which something is done without asking", () => {
  const BYPASS = { "symposium.agents": [{ ...MINE, bypassPermissions: true }] };

  test("those of an agent that is let do what it wants, from when it is to when it is not, and no others", async () => {
    const world = await begunWith();
    await world.says({ type: "new-tab", tabId: "u", agentId: "elizacp" });
    deepEqual(
      [told(world, settingsWith()), told(world, settingsWith(BYPASS)), told(world, settingsWith())],
      [undefined, [{ tabId: "t", by: ["agent"] }], undefined],
    );
  });

  test("those that began with the extension Workspace approving all, whatever is set since", async () => {
    const world = await begunWith({ "symposium.extensions": [APPROVING] });
    deepEqual(told(world, settingsWith({ "symposium.extensions": [ASKING] })), [{ tabId: "t", by: ["workspace"] }]);
    await world.says({ type: "new-tab", tabId: "u" });
    deepEqual(told(world, settingsWith({ ...BYPASS, "symposium.extensions": [APPROVING] })), [
      { tabId: "t", by: ["agent", "workspace"] },
      { tabId: "u", by: ["agent"] },
    ]);
  });

  for (const id of ["cargo", "ferris", "sparkle"])
    test(`those that began with the extension ${id} approving all`, async () => {
      const world = await begunWith({ "symposium.extensions": [{ ...APPROVING, id }] });
      deepEqual(told(world, world.settings), [{ tabId: "t", by: [id] }]);
    });

  for (const [what, entry] of [
    ["asks", ASKING],
    ["is off", { ...APPROVING, _enabled: false }],
    ["is another's of that name", { ...APPROVING, _source: "custom", distribution: { local: { command: "x" } } }],
    ["approves something else", { ...ASKING, settings: { approve: "some" } }],
  ] as const) {
    test(`none where that extension ${what}`, async () => {
      const world = await begunWith({ "symposium.extensions": [entry] });
      deepEqual(told(world, world.settings), undefined);
    });
  }

  test("a tab that is closed is none of them", async () => {
    const world = await begunWith(BYPASS);
    await world.says({ type: "close-tab", tabId: "t" });
    deepEqual(told(world, world.settings), undefined);
  });

  test("the badge leads to the settings", async () => {
    const world = await begunWith(BYPASS);
    await world.says({ type: "action", tabId: "t", action: "openSettings" });
    deepEqual(
      world.done.filter(line => line === "openSettings"),
      ["openSettings"],
    );
  });
});

suite("a bypass that the page asks for", () => {
  for (const until of ["sessionEnds", "revoked"] as const)
    test(`is confirmed by the user for this agent, until ${until}`, async () => {
      const world = await begunWith();
      world.confirmed = until;
      await world.says({ type: "bypass", tabId: "t" });
      deepEqual(
        [world.done.filter(line => line.startsWith("confirm")), world.calls("chat/bypass")],
        [["confirm bypass Mine"], [{ sessionId: "s1", until }]],
      );
    });

  test("allows nothing when the user cancels, or when there is no such tab", async () => {
    const world = await begunWith();
    await world.says({ type: "bypass", tabId: "t" }, { type: "bypass", tabId: "gone" });
    deepEqual(
      [world.done.filter(line => line.startsWith("confirm")), world.calls("chat/bypass")],
      [["confirm bypass Mine"], []],
    );
  });

  for (const [what, end] of [
    ["the tab is closed", world => world.says({ type: "close-tab", tabId: "t" })],
    [
      "the sidecar dies",
      async world => {
        world.sidecar.die();
        await world.become(BACKOFF);
      },
    ],
  ] satisfies [string, (world: World) => Promise<void>][])
    test(`allows nothing when ${what} while the user is asked`, async () => {
      const world = await begunWith(),
        confirmed = deferred<BypassUntil | undefined>();
      world.confirmed = confirmed.promise;
      await world.says({ type: "bypass", tabId: "t" });
      await end(world);
      confirmed.resolve("sessionEnds");
      await settled();
      deepEqual(world.calls("chat/bypass"), []);
    });

  test("of the session ends without a question", async () => {
    const world = await begunWith();
    await world.says({ type: "end-bypass", tabId: "t" }, { type: "end-bypass", tabId: "gone" });
    deepEqual(world.calls("chat/endBypass"), [{ sessionId: "s1" }]);
  });
});
