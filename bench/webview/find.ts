/** Measures find in a restored conversation, from the query to its count and to the oldest match on screen. */
import type { Browser } from "playwright-core";
import { View } from "./view";

export interface FindTimes {
  /** Milliseconds until the number of matches is on screen. */
  readonly count: number;
  /** Milliseconds until the oldest match is on screen, which the page has to load. */
  readonly oldest: number;
  /** The longest task of the main thread in milliseconds. 0: no task exceeded 50. */
  readonly maxTask: number;
}

export async function find(browser: Browser, entries: number): Promise<FindTimes> {
  await using view = await View.open(browser, 1, entries);
  const { page } = view;
  await page.locator("[data-part=prompt]:visible").click();
  await page.keyboard.press("Control+f");
  await page.locator(".symposium-find input:focus").waitFor();
  await page.waitForTimeout(500);
  await view.longTasks();
  const count = await until(view, `Answer ${entries - 1}`, () =>
    [...document.querySelectorAll(".symposium-find-count")].some(({ textContent }) => textContent === "1 of 1"),
  );
  const oldest = await until(view, "Prompt 0:", () => {
    const card = document.querySelector("[data-found=current]"),
      list = card?.closest("[data-part=conversation]")?.getBoundingClientRect(),
      { top = 0, bottom = 0 } = card?.getBoundingClientRect() ?? {};
    return (
      card?.textContent?.includes("Prompt 0:") === true && list !== undefined && bottom > list.top && top < list.bottom
    );
  });
  await page.waitForTimeout(500);
  return { count, oldest, maxTask: Math.max(0, ...(await view.longTasks())) };
}

/** Milliseconds from typing the query until the condition holds. */
async function until({ page }: View, query: string, condition: () => boolean): Promise<number> {
  await page.keyboard.press("Control+a");
  const began = performance.now();
  await page.keyboard.insertText(query);
  await page.waitForFunction(condition, undefined, { polling: "raf", timeout: 60_000 });
  return performance.now() - began;
}
