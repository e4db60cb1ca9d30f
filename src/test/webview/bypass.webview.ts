/** Allow Everything: its menu, confirmation, duration and end. In four themes. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { violations } from "../page/axe";
import { lastExchange, sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { textsSeen, THEMES } from "../page/contrast";
import { answerDialog, button, newTab, openPanel, seen, wear } from "../page/scripted";
import { openScripted } from "./fixture";

const QUESTION = /^Allow Scripted to do everything without asking\?/,
  ASK = "ask p options=allow_once,allow_always,reject_once,reject_always";

suite("Allow Everything", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
  });
  suiteTeardown(() => box.close());

  const chat = (): Locator => box.frame.locator("[data-part=chat]:visible"),
    more = (): Locator => chat().getByRole("button", { name: "More Actions" });
  const menu = (): Locator => box.frame.getByRole("menu", { name: "More Actions" }),
    item = (name: string): Locator => menu().getByRole("menuitem", { name });
  const focused = async (): Promise<string> =>
    await box.frame
      .locator("body")
      .evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");
  const isSet = (): boolean => JSON.stringify(box.readSettings()).includes(`"bypassPermissions":true`);
  const answer = async (): Promise<string> => {
    await turnEnded(box.frame);
    return (await lastExchange(box.frame)).answer;
  };
  /** Opens a tab with a pending permission request. */
  async function ask(): Promise<void> {
    await newTab(box);
    await sendPrompt(box.frame, ASK);
    await more().waitFor();
  }
  async function allowEverything(choice: string): Promise<void> {
    await more().click();
    await item("Allow Everything…").click();
    await answerDialog(box, QUESTION, choice);
  }

  test("is in the keyboard-accessible menu, not among a permission's options", async () => {
    await ask();
    assert.deepEqual(await chat().locator("[data-kind=permission] button[action-id]").allInnerTexts(), [
      "Allow Once",
      "Allow Always",
      "Reject",
    ]);
    await more().focus();
    await box.page.keyboard.press("Enter");
    await seen(async () => (await focused()) === "Reject Always", "the focus on the first of the menu");
    await box.page.keyboard.press("ArrowDown");
    assert.equal(await focused(), "Allow Everything…");
    await box.page.keyboard.press("Escape");
    await menu().waitFor({ state: "hidden" });
    assert.equal(await focused(), "More Actions");
    await box.page.keyboard.press("Enter");
    await item("Allow Everything…").waitFor();
    // the focus follows in an event after the menu
    await seen(async () => (await focused()) === "Reject Always", "the focus on the first of the menu again");
    await box.page.keyboard.press("End");
    assert.equal(await focused(), "Allow Everything…");
    await box.page.keyboard.press("Enter");
    await answerDialog(box, QUESTION, "Cancel");
    assert.deepEqual(
      [await more().count(), isSet(), await chat().locator("[data-part=dock-bypass]:visible").count()],
      [1, false, 0],
    );
  });

  for (const { theme, kind, name } of THEMES)
    test(`has a readable menu in ${theme}`, async () => {
      await ask();
      await wear(box, theme, kind);
      await more().click();
      await item("Allow Everything…").waitFor();
      const texts = (await textsSeen(box.frame, ".symposium-menu")).map(({ text, contrast }) => [
        text,
        contrast >= 4.5,
      ]);
      assert.deepEqual(texts, [
        ["Reject Always", true],
        ["Allow Everything…", true],
      ]);
      assert.equal((await violations(box.frame)).join("\n"), "");
      await box.screenshot(`bypass-menu-${name}`);
      await item("Allow Everything…").click();
      await box.page.locator(".monaco-dialog-box").getByText(QUESTION).first().waitFor();
      await box.screenshot(`bypass-question-${name}`);
      await answerDialog(box, QUESTION, "Cancel");
    });

  test("allows the session's requests without asking, without changing settings or other tabs", async () => {
    await ask();
    await allowEverything("This Session");
    assert.match(await answer(), /allowed without asking[^]*chose allow_once/);
    await sendPrompt(box.frame, ASK);
    assert.match(await answer(), /allowed without asking[^]*chose allow_once/);
    await newTab(box);
    await sendPrompt(box.frame, ASK);
    await button(box.frame, /^Reject$/).click();
    assert.match(await answer(), /rejected/);
    assert.deepEqual([isSet(), await chat().locator("[data-part=dock-bypass]:visible").count()], [false, 0]);
  });

  suite("in a session", () => {
    suiteSetup(async () => {
      await ask();
      await allowEverything("This Session");
      await turnEnded(box.frame);
    });

    for (const { theme, kind, name } of THEMES)
      test(`has a readable session badge in ${theme}`, async () => {
        await wear(box, theme, kind);
        await chat()
          .getByRole("button", { name: /^Permissions bypassed in this session\. Scripted acts / })
          .waitFor();
        await openPanel(box, "bypass");
        assert.deepEqual(
          (await textsSeen(box.frame, "[data-part=chat] .symposium-dock")).filter(({ contrast }) => contrast < 4.5),
          [],
        );
        assert.equal((await violations(box.frame)).join("\n"), "");
        await box.screenshot(`bypass-badge-${name}`);
      });

    test("ends with the badge's button", async () => {
      await chat().getByRole("button", { name: "Ask Again", exact: true }).click();
      await chat().locator("[data-part=dock-bypass]").waitFor({ state: "hidden" });
      await sendPrompt(box.frame, ASK);
      await button(box.frame, "Allow once").click();
      await answer();
      assert.match((await chat().locator("[data-kind=tool]").last().textContent()) ?? "", /Allowed by you/);
    });
  });

  // Last, because the setting applies to all sessions.
  suite("for an agent", () => {
    test("writes the setting for Always and marks later answers", async () => {
      await ask();
      await allowEverything("Always for Scripted");
      assert.match(await answer(), /allowed without asking[^]*chose allow_once/);
      await seen(() => Promise.resolve(isSet()), "the setting");
      await newTab(box);
      await sendPrompt(box.frame, ASK);
      assert.match(await answer(), /allowed without asking[^]*chose allow_once/);
      await chat()
        .getByRole("button", { name: /^Permissions bypassed\./ })
        .waitFor();
    });
  });
});
