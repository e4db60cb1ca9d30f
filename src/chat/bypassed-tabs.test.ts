import { deepEqual } from "node:assert/strict";
import type { Bypassed } from "../protocol/webview";
import type { Settings } from "../settings/settings";
import { begunWith, MINE, settingsWith, type World } from "../testing/chat-controller-world";

const ASKING = { id: "workspace", _enabled: true, _source: "built-in" }, APPROVING = { ...ASKING, settings: { approve: "all" } };

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
    deepEqual([told(world, settingsWith()), told(world, settingsWith(BYPASS)), told(world, settingsWith())], [undefined, [{ tabId: "t", by: ["agent"] }], undefined]);
  });

  test("those that began with the extension Workspace approving all, whatever is set since", async () => {
    const world = await begunWith({ "symposium.extensions": [APPROVING] });
    deepEqual(told(world, settingsWith({ "symposium.extensions": [ASKING] })), [{ tabId: "t", by: ["workspace"] }]);
    await world.says({ type: "new-tab", tabId: "u" });
    deepEqual(told(world, settingsWith({ ...BYPASS, "symposium.extensions": [APPROVING] })), [{ tabId: "t", by: ["agent", "workspace"] }, { tabId: "u", by: ["agent"] }]);
  });

  for (const [what, entry] of [["asks", ASKING], ["is off", { ...APPROVING, _enabled: false }], ["is another's of that name", { ...APPROVING, _source: "custom", distribution: { local: { command: "x" } } }], ["approves something else", { ...ASKING, settings: { approve: "some" } }]] as const) {
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
    deepEqual(world.done.filter(line => line === "openSettings"), ["openSettings"]);
  });
});
