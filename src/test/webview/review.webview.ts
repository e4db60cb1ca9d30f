/** Changed files in the row above the prompt and in the menu of a prompt. Three themes and widths. */
import assert from "node:assert/strict";
import { violations } from "../page/axe";
import { textsSeen } from "../page/contrast";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { focused, hasFocus, hasInput, THEMES } from "../page/prompt-steps";
import { becomes, openPanel, seen, shownTab, wear } from "../page/scripted";
import type { ReviewSummary } from "../../protocol/review/review";
import { openScripted } from "./fixture";

const WIDTHS = [260, 340, 700] as const;
const PROMPTS = [
  "plan [x] Read|[>] Change the expression|Test\nsay one",
  "say two",
  "say three, and explain it in a long title",
];

suite("changed files", () => {
  const calls: string[] = [];
  let review: ReviewSummary | undefined;
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted({
      called: (what, entry) => calls.push(`${what} ${entry}`),
      onPost: message =>
        message.type === "snapshot" && review !== undefined
          ? { ...message, conversation: { ...message.conversation, review } }
          : message,
    });
    await box.open();
    for (const text of PROMPTS) {
      await sendPrompt(box.frame, text);
      await turnEnded(box.frame);
    }
    const ids = await box.frame
      .locator("[data-kind=prompt]:visible")
      .evaluateAll(cards => cards.map(card => card.getAttribute("messageid") ?? ""));
    const turn = (prompt: number, files: number, added: number, removed: number) => ({
      entryId: ids[prompt] ?? "",
      ...{ files, added, removed },
    });
    review = { files: 4, added: 31, removed: 7, turns: [turn(2, 2, 30, 0), turn(1, 2, 1, 7), turn(0, 1, 0, 0)] };
    await box.command("Developer: Reload Webviews");
    await part().waitFor();
  });
  suiteTeardown(() => box.close());

  const part = () => shownTab(box).locator("[data-part=dock-review]"),
    panel = () => shownTab(box).getByRole("region", { name: "Unreviewed changes" }),
    rows = () => panel().getByRole("listitem"),
    promptActions = (n: number) =>
      shownTab(box).locator("[data-kind=prompt]").nth(n).getByRole("button", { name: "Prompt Actions" });
  const line = (text: string): string => text.trim().replaceAll(/\s+/g, " ");
  async function setWidth(width: number): Promise<void> {
    await box.page.locator("iframe.webview").evaluate((frame, width) => {
      if (frame instanceof HTMLElement) frame.style.width = `${width}px`;
    }, width);
  }

  for (const { theme, kind, name } of THEMES)
    test(`fit into three widths, are readable and have no axe violation in ${theme}`, async () => {
      await wear(box, theme, kind);
      await openPanel(box, "review");
      for (const width of WIDTHS) {
        await setWidth(width);
        for (const element of [panel(), shownTab(box).locator(".symposium-dock-row")])
          await seen(
            () => element.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth),
            `no overflow at ${width} px`,
          );
        await box.screenshot(`review-${name}-${width}`);
        assert.deepEqual(
          (await textsSeen(box.frame, "[data-part=chat] .symposium-dock")).filter(({ contrast }) => contrast < 4.5),
          [],
        );
      }
      await setWidth(297);
      await becomes(async () => (await violations(box.frame)).join("\n"), "", "a page without violations");
    });

  test("name their sums, and list the prompts with their changes, the newest first", async () => {
    await setWidth(700);
    assert.equal(await part().getAttribute("aria-label"), "Unreviewed changes: 4 files +31 −7");
    assert.equal(line(await part().innerText()), "4 files +31 −7");
    await openPanel(box, "review");
    assert.deepEqual((await rows().allInnerTexts()).map(line), [
      "say three, and explain it in a long title 2 files +30 Review Keep Undo",
      "say two 2 files +1 −7 Review Keep Undo",
      "plan [x] Read|[>] Change the expression|Test say one 1 file Review Keep Undo",
    ]);
  });

  test("are reviewed, kept and undone by keyboard, all of them or those of one prompt", async () => {
    calls.length = 0;
    await part().focus();
    if ((await part().getAttribute("aria-expanded")) === "true") await box.page.keyboard.press("Escape");
    await box.page.keyboard.press("Enter");
    await panel().waitFor();
    for (const button of ["Review", "Keep All", "Undo All"]) {
      await panel().getByRole("button", { name: button, exact: true }).first().focus();
      await box.page.keyboard.press("Enter");
    }
    for (const button of ["Review", "Keep", "Undo"]) {
      await rows().nth(1).getByRole("button", { name: button, exact: true }).focus();
      await box.page.keyboard.press("Enter");
    }
    const { entryId = "" } = review?.turns[1] ?? {};
    await becomes(
      () => Promise.resolve(calls.join(", ")),
      `review all, keep all, undo all, review ${entryId}, keep ${entryId}, undo ${entryId}`,
      "the calls",
    );
    await box.page.keyboard.press("Escape");
    await panel().waitFor({ state: "hidden" });
    assert.equal(await focused(box.frame), "Unreviewed changes: 4 files +31 −7");
  });

  test("are restored from the menu of a prompt, alone or with the conversation", async () => {
    calls.length = 0;
    const { entryId = "" } = review?.turns[1] ?? {};
    await promptActions(1).focus();
    await box.page.keyboard.press("Enter");
    await hasFocus(box.frame, "Continue with Another Agent…");
    await box.page.keyboard.press("ArrowDown");
    await hasFocus(box.frame, "Restore Files…");
    await box.screenshot("review-prompt-menu");
    await box.page.keyboard.press("Enter");
    await seen(() => Promise.resolve(calls.join() === `rewind files ${entryId}`), "the restored files");
    await promptActions(1).focus();
    await box.page.keyboard.press("Enter");
    await hasFocus(box.frame, "Continue with Another Agent…");
    await box.page.keyboard.press("End");
    await hasFocus(box.frame, "Restore Files and Conversation…");
    await box.page.keyboard.press("Enter");
    await hasInput(box.frame, "say two");
    assert.equal(calls.at(-1), `rewind both ${entryId}`);
  });
});
