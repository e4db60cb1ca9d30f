/**
 * The prompt in a real VS Code: its attachments, and the drafts of tabs. Each test checks the prompt that the agent
 * received.
 */
import assert from "node:assert/strict";
import { lastExchange, type Box } from "./harness";
import { hideChat, newTab, openScripted, reloadWindow, seen, toggleSidebar } from "./scripted";
import { hasChips, hasInput, input, pasteImage, sendByKey } from "./composing";

suite("composer", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
  });
  suiteTeardown(() => box.close());

  const options = () => box.frame.locator(".symposium-commands:visible [role=option]");
  const tabs = () => box.frame.locator("[role=tab]");
  /** The list is updated while the user types. */
  const firstIs = (name: string): Promise<void> =>
    seen(
      async () =>
        (
          await options()
            .first()
            .innerText()
            .catch(() => "")
        ).includes(name),
      `${name} first in the list`,
    );

  test("opens the file of a clicked chip", async () => {
    await input(box.frame).click();
    await box.page.keyboard.type("say see @readm");
    await firstIs("README.md");
    await box.page.keyboard.press("Enter");
    await hasChips(box.frame, "README.md");
    await sendByKey(box);
    await box.frame.locator("[data-kind]:visible a.symposium-chip", { hasText: "README.md" }).click();
    await box.page.locator(".tabs-container .tab.active", { hasText: "README.md" }).waitFor();
    // the editor must not receive text typed into the prompt later
    await box.page.locator(".editor-group-container .monaco-editor.focused").waitFor();
  });

  test("sends with Ctrl+Enter despite a VS Code keybinding", async () => {
    await input(box.frame).click();
    await box.page.keyboard.type("say Control");
    await sendByKey(box, "Control+Enter");
    assert.deepEqual(await lastExchange(box.frame), { question: "say Control", answer: "Control" });
  });

  test("keeps drafts with attachments in their tabs across switches, hiding and Reload Window", async () => {
    const draft = async (text: string, ...names: readonly string[]) => {
      await hasInput(box.frame, text);
      await hasChips(box.frame, ...names);
    };
    await newTab(box);
    await input(box.frame).click();
    await box.page.keyboard.type("of the second");
    await pasteImage(box.frame, 3, 3, "second");
    await draft("of the second", "second.png");
    await tabs().first().click();
    await draft("");
    await input(box.frame).click();
    await box.page.keyboard.type("of the first @readm");
    await firstIs("README.md");
    await box.page.keyboard.press("Tab");
    await draft("of the first @README.md ", "README.md");
    await tabs().last().click();
    await draft("of the second", "second.png");
    await hideChat(box);
    await toggleSidebar(box);
    await draft("of the second", "second.png");
    await reloadWindow(box);
    await draft("of the second", "second.png");
    await tabs().first().click();
    await draft("of the first @README.md ", "README.md");
    await seen(async () => (await tabs().last().innerText()).includes("✎"), "the mark of the other draft");
  });
});
