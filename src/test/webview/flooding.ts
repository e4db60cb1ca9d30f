/** A turn that floods the page while the user types in another tab. */
import assert from "node:assert/strict";
import { promptInput, type ChatBox } from "../page/harness";
import { becomes, newTab, seen, shownText, showsText, stopTurn } from "../page/scripted";

export interface Flood {
  readonly what: string;
  readonly script: string;
  /** Text at the end of the turn, or the notice about the flood. */
  readonly expectedText: string | RegExp;
}

/**
 * A machine that runs all of VS Code beside the flood is slow and occasionally delays a key. A frozen page takes much
 * longer.
 */
const SOON_MS = 1_000,
  FROZEN_MS = 10_000;

/** Asserts that a key in the tab `quiet` is shown soon, the flood is reported, and the agent can be stopped. */
export async function survives(box: ChatBox, quiet: string, { what, script, expectedText }: Flood): Promise<void> {
  await newTab(box);
  const flooded = await selectedTab(box);
  await (await promptInput(box.frame)).fill(script);
  await box.frame.locator("[data-part=send]:visible").click();
  await selectTab(box, quiet);
  const times = await typedKeys(box, "still here");
  const median = times.toSorted((a, b) => a - b)[times.length >> 1] ?? Infinity;
  assert.ok(median < SOON_MS && Math.max(...times) < FROZEN_MS, `${what}: ${times.map(Math.round).join(" ")} ms`);
  await selectTab(box, flooded);
  await seen(
    async () =>
      typeof expectedText === "string"
        ? (await shownText(box.frame)).includes(expectedText)
        : expectedText.test(await shownText(box.frame)),
    `the end of ${what}`,
    90_000,
  );
  await stopTurn(box.frame);
  await (await promptInput(box.frame)).fill("say STILL-ALIVE");
  await box.frame.locator("[data-part=send]:visible").click();
  await showsText(box.frame, /^STILL-ALIVE$/m);
}

export const selectedTab = async (box: ChatBox): Promise<string> =>
  (await box.frame.locator("body").getAttribute("data-tab")) ?? "";

/** Selects each tab in turn until this tab is selected. */
export async function selectTab(box: ChatBox, tabId: string): Promise<void> {
  await seen(async () => {
    for (const label of await box.frame.locator("[role=tab]").all()) {
      await label.click();
      if ((await selectedTab(box)) === tabId) return true;
    }
    return false;
  }, "that tab");
}

/** Milliseconds from each key to the frame that shows it. */
export async function typedKeys(box: ChatBox, text: string): Promise<readonly number[]> {
  const body = box.frame.locator("body"),
    input = await promptInput(box.frame);
  await input.fill("");
  await input.click();
  await body.evaluate(() => {
    const times: number[] = [],
      before = "keyTimes" in window;
    Object.assign(window, { keyTimes: times });
    if (before) return;
    addEventListener(
      "keydown",
      ({ timeStamp }) => {
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            if ("keyTimes" in window && Array.isArray(window.keyTimes))
              window.keyTimes.push(performance.now() - timeStamp);
          }),
        );
      },
      true,
    );
  });
  await input.pressSequentially(text, { delay: 100 });
  await becomes(() => input.innerText(), text, "what was typed");
  const times = () =>
    body.evaluate(() => ("keyTimes" in window && Array.isArray(window.keyTimes) ? window.keyTimes.map(Number) : []));
  await becomes(async () => (await times()).length, text.length, "the frame after the last key");
  return times();
}
