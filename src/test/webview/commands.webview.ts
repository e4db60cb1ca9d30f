/** The commands of key bindings, as VS Code sends them to the page. */
import assert from "node:assert/strict";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { newTab, seen, shownTab } from "../page/scripted";
import { openScripted } from "./fixture";

const ASK = "options=allow_once,allow_always,reject_once,reject_always";

suite("commands in the chat", () => {
  let box: ChatBox;
  setup(async () => {
    box = await openScripted();
    await box.open();
  });
  teardown(() => box.close());

  const questions = () => shownTab(box).locator("[data-kind=permission]");
  const focusedKind = (): Promise<string | undefined> =>
    box.frame
      .locator("body")
      .evaluate(() =>
        document.activeElement instanceof HTMLElement ? document.activeElement.dataset["kind"] : undefined,
      );
  /** A question can be answered only after it has been on screen for a while. */
  const answered = (title: string, outcome: RegExp): Promise<void> =>
    seen(async () => {
      await box.command(title);
      return outcome.test((await questions().allInnerTexts()).join());
    }, `an answer by ${title}`);

  test("answer the question on screen", async () => {
    await sendPrompt(box.frame, `ask p ${ASK}`);
    await questions().waitFor();
    await answered("Symposium: Allow Once", /Allowed by you: “Allow once”/);
    await turnEnded(box.frame);
    await sendPrompt(box.frame, `ask q ${ASK}`);
    await questions().nth(1).waitFor();
    await answered("Symposium: Reject Once", /Rejected by you: “Reject once”/);
  });

  test("move the focus to a question of another tab and back to the prompt", async () => {
    await sendPrompt(box.frame, `ask p ${ASK}`);
    await questions().waitFor();
    await newTab(box);
    assert.equal(await questions().count(), 0);
    await box.command("Symposium: Go to Next Question");
    await seen(async () => (await focusedKind()) === "permission", "the focused question");
    await box.command("Symposium: Focus Prompt");
    await seen(async () => (await focusedKind()) === undefined, "the focus elsewhere");
    assert.equal(
      await box.frame.locator("[data-part=prompt]:visible").evaluate(e => e === document.activeElement),
      true,
    );
    await box.command("Symposium: Stop Turn");
    await turnEnded(box.frame);
  });
});
