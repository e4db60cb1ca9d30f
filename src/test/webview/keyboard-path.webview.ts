/** A whole session by keyboard alone: the focus is always visible and never lost. */
import assert from "node:assert/strict";
import { turnEnded, type ChatBox } from "../page/harness";
import { focused, hasFocus, input } from "../page/prompt-steps";
import { AGENT_ID, becomes, seen, setWidth, shownTab, testAgent } from "../page/scripted";
import { openStill } from "./appearance-steps";
import { TURN } from "./turn-script";

suite("session by keyboard", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openStill({
      settings: { "symposium.agents": [testAgent(AGENT_ID, "Scripted"), testAgent("second", "Second")] },
    });
    await setWidth(box, 340);
    await shownTab(box).getByRole("list", { name: "Agents" }).waitFor();
    await input(box.frame).focus();
  });
  suiteTeardown(() => box.close());

  const MAX_PRESSES = 20;

  /** Presses a key until the focus is on the element. The focus must be visible on the way. */
  async function goTo(wanted: RegExp, key: "Tab" | "Shift+Tab"): Promise<void> {
    const passed: string[] = [];
    for (let at = await focused(box.frame); !wanted.test(at); at = await focused(box.frame)) {
      passed.push(at);
      assert.ok(passed.length < MAX_PRESSES, `${wanted} is not among ${passed.join(" | ")}`);
      await box.page.keyboard.press(key);
      await showsFocus();
    }
  }

  /** The focused element has an outline, or a caret if it is the prompt. It is inside the view. */
  async function showsFocus(): Promise<void> {
    const shown = await box.frame.locator("body").evaluate(() => {
      const { activeElement: at } = document;
      if (at === null || at === document.body) return "no focus";
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at),
        { left, right, top, bottom } = at.getBoundingClientRect(),
        isInside = left >= -1 && right <= innerWidth + 1 && top < innerHeight && bottom > 0,
        isMarked =
          at.matches("[data-part=prompt]") ||
          (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) ||
          boxShadow !== "none";
      return isMarked && isInside ? "" : `${at.outerHTML.slice(0, 200)} marked: ${isMarked}, inside: ${isInside}`;
    });
    assert.equal(shown, "");
  }

  test("chooses an agent of the first screen", async () => {
    await goTo(/^S?Second/, "Shift+Tab");
    await box.page.keyboard.press("ArrowUp");
    await showsFocus();
    await box.page.keyboard.press("ArrowDown");
    await box.page.keyboard.press("Enter");
    await hasFocus(box.frame, "Prompt");
    await becomes(
      () => input(box.frame).getAttribute("placeholder"),
      "Ask Second. @ adds context, / runs commands",
      "a tab of the agent",
    );
  });

  test("sends a prompt and answers the question", async () => {
    await box.page.keyboard.insertText(TURN);
    await box.page.keyboard.press("Enter");
    await seen(async () => /^Second requests permission/.test(await focused(box.frame)), "the focus on the question");
    await showsFocus();
    await goTo(/^Allow Once$/, "Tab");
    await box.page.keyboard.press("Enter");
    await turnEnded(box.frame);
    await hasFocus(box.frame, "Prompt");
  });

  test("opens and closes the details of a tool call", async () => {
    await goTo(/^Details$/, "Shift+Tab");
    const fold = box.frame.locator(".symposium-fold:focus"),
      wasOpen = await fold.getAttribute("aria-expanded");
    await box.page.keyboard.press("Enter");
    await becomes(() => fold.getAttribute("aria-expanded"), wasOpen === "true" ? "false" : "true", "another state");
    await showsFocus();
    await box.page.keyboard.press("Space");
    await becomes(() => fold.getAttribute("aria-expanded"), wasOpen, "the first state");
    await showsFocus();
    await box.page.keyboard.press("Escape");
    await hasFocus(box.frame, "Prompt");
  });

  test("opens and closes a part of the dock", async () => {
    await goTo(/Plan/, "Shift+Tab");
    await box.page.keyboard.press("Enter");
    const steps = box.frame.locator(".symposium-plan-steps:visible");
    await steps.waitFor();
    await showsFocus();
    await box.page.keyboard.press("Escape");
    await steps.waitFor({ state: "hidden" });
    assert.match(await focused(box.frame), /Plan/);
    await showsFocus();
  });

  test("opens tabs, and returns to the first with the menu of tabs", async () => {
    for (let count = 2; count <= 4; count++) {
      await goTo(/^New Tab$/, "Shift+Tab");
      await box.page.keyboard.press("Enter");
      await becomes(() => box.frame.getByRole("tab").count(), count, "a new tab");
      await hasFocus(box.frame, "Prompt");
    }
    await goTo(/^All Tabs$/, "Shift+Tab");
    await box.page.keyboard.press("Enter");
    await box.frame.getByRole("menuitemradio").first().waitFor();
    await box.page.keyboard.press("Home");
    await showsFocus();
    await box.page.keyboard.press("Enter");
    await shownTab(box).getByText("The function now splits").first().waitFor();
    await seen(async () => (await focused(box.frame)) !== "", "a focus");
    await showsFocus();
  });
});
