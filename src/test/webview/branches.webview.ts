/** Branches of a conversation: the actions of a prompt open a new tab with the beginning of the conversation. */
import assert from "node:assert/strict";
import { violations } from "../page/axe";
import { readCards, sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { chipNames, hasChips, hasFocus, hasInput, input, THEMES } from "../page/prompt-steps";
import { becomes, shownTab, showsText, wear } from "../page/scripted";
import { openScripted } from "./fixture";

suite("branches", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
    for (const word of ["one", "two", "three", "four"]) {
      await sendPrompt(box.frame, `say ${word}`);
      await turnEnded(box.frame);
    }
  });
  suiteTeardown(() => box.close());

  const SOURCE = ["say one", "one", "say two", "two", "say three", "three", "say four", "four"];
  const tab = (n: number) => box.frame.locator("[role=tab]").nth(n);
  const prompt = (n: number) => shownTab(box).locator("[data-kind=prompt]").nth(n);
  const texts = async (): Promise<readonly string[]> =>
    (await readCards(box.frame))
      .filter(({ kind, text }) => (kind === "prompt" || kind === "answer") && !text.startsWith("This is a branch"))
      .map(({ text }) => text);
  const shows = (...expected: readonly string[]): Promise<void> => becomes(texts, expected, "the conversation");

  const choose = (n: number, action: string): Promise<void> =>
    prompt(n).getByRole("button", { name: action }).press("Enter");
  async function backToSource(): Promise<void> {
    await tab(0).click();
    await shows(...SOURCE);
  }

  test("fork after an answer, with the transcript for an agent that cannot fork", async () => {
    await prompt(1).hover();
    await box.screenshot("branch-prompt-actions");
    await choose(1, "Fork from Here");
    await shows(...SOURCE.slice(0, 4));
    await hasChips(box.frame, "Transcript");
    await showsText(box.frame, /This is a branch of “say one”\. Scripted gets the transcript with your first prompt\./);
    await box.frame.getByRole("button", { name: "Transcript", exact: true }).focus();
    await box.page.keyboard.press("ArrowRight");
    await hasFocus(box.frame, "Remove Transcript");
    await box.screenshot("branch-fork");
    await sendPrompt(box.frame, "received");
    await turnEnded(box.frame);
    const received = (await texts()).at(-1) ?? "";
    assert.match(received, /User: say two/);
    assert.doesNotMatch(received, /three/);
    await shownTab(box).getByRole("button", { name: "Open Original Session" }).first().click();
    await shows(...SOURCE);
  });

  test("edit a prompt, with the draft in a branch before it", async () => {
    await choose(2, "Edit and Resend");
    await shows(...SOURCE.slice(0, 4));
    await hasInput(box.frame, "say three");
    assert.deepEqual(await chipNames(box.frame), ["Transcript"]);
    await input(box.frame).press("End");
    await box.page.keyboard.type(" again");
    await box.page.keyboard.press("Enter");
    await turnEnded(box.frame);
    assert.equal((await texts()).at(-1), "three again");
    await backToSource();
  });

  test("retry a prompt in a branch before it, without a transcript if nothing precedes it", async () => {
    await choose(0, "Retry");
    await shows("say one", "one");
    await hasChips(box.frame);
    await backToSource();
  });

  for (const { theme, kind } of THEMES)
    test(`have no axe violations in ${theme}`, async () => {
      await wear(box, theme, kind);
      await prompt(1).getByRole("button", { name: "Prompt Actions" }).focus();
      await box.page.keyboard.press("Enter");
      await shownTab(box).getByRole("menuitem", { name: "Continue with Another Agent…" }).waitFor();
      await becomes(
        async () => (await violations(box.frame)).join("\n"),
        "",
        "a page in which axe finds nothing wrong",
      );
      await box.screenshot(`branch-menu-${kind}`);
      await box.page.keyboard.press("Escape");
    });
});
