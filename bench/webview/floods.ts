/** Measures whether the page keeps up with a flood of updates and still responds to its user. */
import type { Browser } from "playwright-core";
import type { Flood } from "./commands";
import { View } from "./view";

/** Milliseconds from posting this number of updates at once until the last one is on screen. */
export async function burst(browser: Browser, updates: number): Promise<number> {
  await using view = await View.open(browser);
  await view.command({ do: "turn", tab: 0, running: true });
  const texts = Array.from({ length: updates }, (_, i) => (i % 25 === 24 ? `word ${i}.\n\n` : `word ${i} `));
  const began = performance.now();
  await view.command({ do: "burst", tab: 0, entry: "answer", texts });
  // The page pauses between drawings, so the last update may be drawn later.
  await view.shows(`word ${updates - 1}`);
  return performance.now() - began;
}

export interface Keys {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Milliseconds from a key to its character on screen, while an agent floods another tab or the same one. */
export async function keys(
  browser: Browser,
  of: Flood | undefined,
  where: "another" | "same",
  presses: number,
): Promise<Keys> {
  await using view = await View.open(browser, 2);
  const flooded = where === "same" ? 0 : 1;
  // A turn without a flood would only animate the dot of its tab. Frames wait for the next tick of an animation.
  if (of !== undefined) {
    await view.command({ do: "turn", tab: flooded, running: true });
    await view.command({ do: "flood", tab: flooded, of });
  }
  // Tabs are opened one after another, and each is visible for a moment.
  await view.page.waitForTimeout(1_000);
  const input = view.page.locator("[data-part=prompt]:visible");
  await input.click();
  await view.keys();
  await view.longTasks();
  for (let i = 0; i < presses; i++) {
    await view.page.keyboard.press("abcdefghij"[i % 10] ?? "a");
    // The speed of a fast typist.
    await view.page.waitForTimeout(60);
  }
  await view.page.waitForTimeout(200);
  const times = [...(await view.keys())].sort((a, b) => a - b),
    max = Math.max(0, ...(await view.longTasks()));
  const typed = (await input.innerText()).length;
  if (typed !== presses || times.length !== presses)
    throw new Error(`${presses} keys, ${typed} characters, ${times.length} times`);
  if (of !== undefined) await view.command({ do: "still" });
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(part * times.length))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max };
}
