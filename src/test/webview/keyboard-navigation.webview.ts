/** Keyboard-only navigation of the chat: between cards, along the tabs, and back to the prompt. */
import assert from "node:assert/strict";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { input } from "../page/prompt-steps";
import { becomes, newTab, seen, showsText } from "../page/scripted";
import { openScripted } from "./fixture";

suite("accessibility: keyboard paths", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
    await sendPrompt(
      box.frame,
      'title First; say One.; tool t1 execute List; toolupdate t1 completed input={"command":"ls"}; say Two.',
    );
    await turnEnded(box.frame);
  });
  suiteTeardown(() => box.close());

  const press = (...keys: readonly string[]): Promise<void> =>
    keys.reduce<Promise<void>>((before, key) => before.then(() => box.page.keyboard.press(key)), Promise.resolve());
  /** The name, or the text, of the focused element in the page. */
  const focused = (): Promise<string> =>
    box.frame.locator("body").evaluate(() => {
      const { activeElement: at } = document;
      return document.hasFocus() && at && at !== document.body
        ? (at.getAttribute("aria-label") ?? at.textContent).trim()
        : "";
    });
  const is = async (name: string): Promise<void> => {
    let at = "";
    try {
      await seen(async () => (at = await focused()) === name, `the focus on ${name}`);
    } catch (error) {
      throw new Error(`The focus is on “${at}”; the tabs are ${(await tabs()).join()}.`, { cause: error });
    }
  };
  const tabs = () =>
    box.frame
      .getByRole("tab")
      .evaluateAll(all =>
        all.map(
          tab =>
            `${tab.textContent}${tab.getAttribute("aria-selected") === "true" ? " *" : ""}${tab.getAttribute("tabindex") === "0" ? " 0" : ""}`,
        ),
      );

  test("moves between cards and the prompt with Alt+Up and Alt+Down", async () => {
    await input(box.frame).focus();
    await box.page.keyboard.type("draft");
    for (const name of ["Answer", "Tool call", "Answer", "You", "You"]) {
      await press("Alt+ArrowUp");
      await is(name);
    }
    await press("Alt+ArrowDown", "Alt+ArrowDown");
    await is("Tool call");
    await press("Tab");
    await is("Details");
    await press("Alt+ArrowUp");
    await is("Tool call");
    await press("Alt+ArrowDown", "Alt+ArrowDown");
    await is("Prompt");
    assert.equal(await input(box.frame).innerText(), "draft");
  });

  test("unfolds a card and announces its state", async () => {
    await press("Alt+ArrowUp", "Alt+ArrowUp", "Tab");
    await is("Details");
    const fold = box.frame.getByRole("button", { name: "Details", exact: true });
    assert.equal(await fold.getAttribute("aria-expanded"), "false");
    await press("Enter");
    await seen(async () => (await fold.getAttribute("aria-expanded")) === "true", "that it is unfolded");
    await showsText(box.frame, "Input");
    await press("Space");
    await seen(async () => (await fold.getAttribute("aria-expanded")) === "false", "that it is folded");
  });

  test("returns to the prompt on Escape and keeps its text", async () => {
    await press("Escape");
    await is("Prompt");
    await press("Escape");
    await is("Prompt");
    assert.equal(await input(box.frame).innerText(), "draft");
    await input(box.frame).fill("");
  });

  test("moves between tabs with arrows, Home and End, opens with Enter and closes with Delete", async () => {
    await newTab(box);
    await sendPrompt(box.frame, "title Second; say .");
    await turnEnded(box.frame);
    await newTab(box);
    await sendPrompt(box.frame, "title Third; say going; wait-cancel");
    await seen(async () => (await tabs()).join() === "First,Second,working: Third * 0", "the third tab, and its title");
    await box.frame.getByRole("tab", { name: "Third" }).focus();
    await press("ArrowLeft");
    await is("Second");
    await becomes(tabs, ["First", "Second * 0", "working: Third"], "the second tab");
    await becomes(() => box.frame.getByRole("tabpanel", { name: "Second" }).count(), 1, "its panel");
    await press("ArrowRight", "ArrowRight");
    await is("First");
    await press("End");
    await is("working: Third");
    await press("Home", "ArrowRight", "Delete");
    await seen(async () => (await tabs()).length === 2, "the end of the second tab");
    await is("working: Third");
    await becomes(tabs, ["First", "working: Third * 0"], "two tabs");
    await press("Home", "Enter");
    await is("Prompt");
  });

  test("switches tabs without a transition", async () => {
    const gradual = await box.frame
      .locator("[data-part=chat] *")
      .evaluateAll(all =>
        all
          .filter(
            item =>
              /\b(all|visibility)\b/.test(getComputedStyle(item).transitionProperty) &&
              !/^0s(, 0s)*$/.test(getComputedStyle(item).transitionDuration),
          )
          .map(item => item.className),
      );
    assert.deepEqual(gradual, []);
  });

  test("confirms before closing a working tab", async () => {
    await box.frame.getByRole("tab", { name: "First" }).focus();
    await press("End", "Delete");
    await is("Keep Tab");
    assert.match((await box.frame.getByRole("alertdialog").getAttribute("aria-label")) ?? "", /still working/);
    await press("Escape");
    await is("working: Third");
    assert.equal((await tabs()).length, 2);
    await press("Delete");
    await is("Keep Tab");
    await press("Tab", "Enter");
    await seen(async () => (await tabs()).length === 1, "the end of the third tab");
    await is("First");
  });

  test("shows tooltips for the focused element", async () => {
    const tip = box.frame.locator(".symposium-tip");
    await input(box.frame).focus();
    for (let n = 0; n < 12 && !/Agent|agent of this/.test(await focused()); n++) await press("Tab");
    await tip.waitFor();
    await becomes(
      () => tip.innerText(),
      "The agent of this tab. After the first prompt, another agent opens in a new tab.",
      "what it says",
    );
    await press("Escape");
    await tip.waitFor({ state: "hidden" });
  });
});
