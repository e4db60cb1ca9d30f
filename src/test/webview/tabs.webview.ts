/** The tab strip: titles, status dots, and its layout in views of any width. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { violations } from "../page/axe";
import { sendPrompt, type ChatBox } from "../page/harness";
import { newTab, seen, setWidth } from "../page/scripted";
import { openScripted } from "./fixture";

suite("tab strip", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
  });
  suiteTeardown(() => box.close());

  const tabs = (): Locator => box.frame.getByRole("tab");
  const allTabs = (): Locator => box.frame.getByRole("button", { name: "All Tabs" });
  const selected = (): Locator => box.frame.getByRole("tab", { selected: true });
  const names = async (): Promise<readonly string[]> => (await tabs().allTextContents()).map(text => text.trim());

  test("shows the title and the status of each tab", async () => {
    await sendPrompt(box.frame, "ask p options=allow_once,reject_once");
    await box.frame.locator("[data-kind=permission]").waitFor();
    await newTab(box);
    await sendPrompt(box.frame, "hang");
    await newTab(box);
    await seen(
      async () => (await names())[0] === "needs your answer: ask p options=allow_once,reject_once",
      "a question",
    );
    await seen(async () => (await names())[1] === "working: hang", "a running turn");
    assert.deepEqual(await violations(box.frame), []);
    for (const width of [260, 340, 700]) {
      await setWidth(box, width);
      await box.screenshot(`tabs-${width}`);
    }
    await setWidth(box, 900);
    assert.equal(await allTabs().count(), 0);
  });

  test("scrolls the selected tab fully into view, at any width", async () => {
    const isWhole = async (): Promise<boolean> => {
      const [tab, add, view] = await Promise.all([
        selected().locator("xpath=../..").boundingBox(),
        box.frame.getByRole("button", { name: "New Tab" }).boundingBox(),
        box.page.locator("iframe.webview").boundingBox(),
      ]);
      if (tab === null || add === null || view === null) return false;
      return tab.width >= 60 && tab.x >= view.x - 1 && tab.x + tab.width <= add.x + 1;
    };
    await setWidth(box, 300);
    for (let i = 0; i < 3; i++) {
      await newTab(box);
      await seen(isWhole, "the new tab");
    }
    for (const width of [700, 340, 260]) {
      await setWidth(box, width);
      await seen(isWhole, `the selected tab at ${width} px`);
      await box.screenshot(`tabs-many-${width}`);
    }
    assert.equal(await allTabs().count(), 1);
    await allTabs().press("Enter");
    const items = box.frame.getByRole("menuitemradio");
    assert.equal(await items.count(), await tabs().count());
    assert.equal(await items.first().textContent(), "needs your answer: ask p options=allow_once,reject_once");
    const starts = await items.evaluateAll(all =>
      all.map(item => {
        const range = document.createRange();
        range.selectNodeContents(item.querySelector(".symposium-tab-name")?.lastChild ?? item);
        return Math.round(range.getBoundingClientRect().left);
      }),
    );
    assert.equal(new Set(starts).size, 1, `titles in a column: ${starts.join()}`);
    assert.deepEqual(await violations(box.frame), []);
    await box.screenshot("tabs-menu-260");
    const menuWidth = async (): Promise<number | undefined> => {
      const size = await box.frame.getByRole("menu", { name: "All Tabs" }).boundingBox();
      return size?.width;
    };
    const width = await menuWidth();
    for (const viewWidth of [400, 260]) {
      await box.page.keyboard.press("Escape");
      await setWidth(box, viewWidth);
      await allTabs().press("Enter");
    }
    assert.equal(await menuWidth(), width, "the width of a menu that was at another place");
    await box.page.keyboard.press("Home");
    await box.page.keyboard.press("Enter");
    await seen(async () => (await tabs().first().getAttribute("aria-selected")) === "true", "the tab of the menu");
    await seen(isWhole, "the tab of the menu, whole");
    await tabs().last().click();
    await selected().press("Home");
    await seen(isWhole, "the first tab");
    assert.equal(await tabs().first().getAttribute("aria-selected"), "true");
  });
});
