/**
 * Custom agent extensions in a real VS Code: their effects, the tabs that have them, and the handling of unavailable
 * ones.
 */
import assert from "node:assert/strict";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { violations } from "./axe";
import { lastExchange, ROOT, sendPrompt, turnEnded, type Box } from "./harness";
import { newTab, openScripted, processesOf, seen, shownText, showsText } from "./scripted";
import { closeEditors, openSettings, rowOf, setting, shows } from "./settings-box";

const own = (id: string, name: string, isEnabled: boolean, command: string, ...args: readonly string[]): object => ({
  id,
  name,
  _enabled: isEnabled,
  _source: "custom",
  distribution: { local: { command, args } },
});
const program = (name: string): string => path.join(ROOT, "out/programs", `${name}.program.mjs`);
const OUTDATED = "This tab still uses its old settings.";

suite("agent extension", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openScripted({
      settings: {
        "symposium.extensions": [
          own("house-rules", "House rules", true, process.execPath, program("house-rules-proxy"), "Be brief."),
          own("pass", "Pass", true, process.execPath, program("pass-proxy")),
          own("broken", "Broken", false, "/nowhere/extension"),
        ],
      },
    });
    await box.open();
  });
  suiteTeardown(() => box.close());

  const chat = () => box.frame.locator("[data-part=chat]:visible");
  const banner = () => chat().getByText(OUTDATED);
  async function ask(text: string): Promise<string> {
    await sendPrompt(box.frame, text);
    await turnEnded(box.frame);
    return (await lastExchange(box.frame)).answer;
  }
  /** Uses the settings as an editor, which leaves the chat in place. */
  async function inSettings(act: (page: FrameLocator) => Promise<void>): Promise<void> {
    await act(await openSettings(box, "page"));
    await closeEditors(box);
  }
  const enable = (name: string, isOn: boolean): Promise<void> =>
    inSettings(async page => {
      await rowOf(page, name)
        .getByRole("checkbox", { name: `Enable ${name}`, checked: !isOn })
        .click();
      const isSo = (entry: Readonly<Record<string, unknown>>): boolean =>
        entry["name"] !== name || entry["_enabled"] === isOn;
      await shows(
        page,
        () => (setting(box, "symposium.extensions") as readonly Readonly<Record<string, unknown>>[]).every(isSo),
        "it in the settings",
      );
    });

  test("changes the agent's messages", async () => {
    assert.match(await ask("hello"), /You said: Be brief\.\s*hello/);
    assert.deepEqual([processesOf(box, "house-rules-proxy").length, processesOf(box, "pass-proxy").length], [1, 1]);
  });

  test("appears in the session details with activity and time", async () => {
    const button = chat().getByRole("button", { name: "Details of this session", exact: true }),
      panel = chat().getByRole("group", { name: "Details of this session" });
    await button.focus();
    await box.page.keyboard.press("Enter");
    await panel.waitFor();
    await seen(async () => (await button.getAttribute("aria-expanded")) === "true", "that the button has opened it");
    const [rules, pass] = [panel.locator("ol > li", { hasText: "House rules" }), panel.locator("ol > li").nth(1)];
    await rules.getByText(/^Changed 1 prompt: 1 part added\.$/).waitFor();
    await rules.getByText(/^Prompts: (under )?\d+ ms to the agent/).waitFor();
    await pass.getByText("No changes so far.").waitFor();
    await seen(
      async () => /Agent\s+\S+[^]*Folder\s+\//.test(await panel.locator("dl").innerText()),
      "the agent and the folder",
    );
    const added = rules.getByText("Last addition", { exact: true });
    await added.focus();
    await box.page.keyboard.press("Enter");
    await rules.getByText("Be brief.", { exact: true }).waitFor();
    await box.screenshot("session-details");
    assert.deepEqual((await violations(box.frame)).join("\n"), "");
    await added.focus();
    await ask("once more");
    await rules.getByText(/^Changed 2 prompts/).waitFor();
    await rules.getByText("Be brief.", { exact: true }).waitFor(); // it stays open
    await button.click();
    await panel.waitFor({ state: "hidden" });
  });

  test("stays in the tab that started with it when disabled, with a banner", async () => {
    await enable("House rules", false);
    await seen(async () => (await banner().count()) > 0, "that the tab goes on as it began");
    await box.screenshot("extensions-outdated");
    assert.match(await ask("again"), /Be brief\./);
    const before = await box.frame.locator("body").getAttribute("data-tab"),
      button = chat().getByRole("button", { name: "New Tab", exact: true });
    await button.focus();
    await box.page.keyboard.press("Enter");
    await seen(async () => (await box.frame.locator("body").getAttribute("data-tab")) !== before, "a new tab");
    await seen(
      async () =>
        await box.frame.locator("[data-part=prompt]:visible").evaluate(input => input === document.activeElement),
      "the focus in its prompt",
    );
    const answer = await ask("hello");
    assert.match(answer, /You said: hello/);
    assert.doesNotMatch(answer, /brief/);
    assert.equal(await banner().count(), 0);
  });

  test("hides the banner when enabled again and shows it in the other tab", async () => {
    await enable("House rules", true);
    await seen(async () => (await banner().count()) > 0, "that the second tab goes on as it began");
    await box.frame.locator('[role="tab"]').first().click();
    await seen(
      async () => /again/.test(await shownText(box.frame)) && (await banner().count()) === 0,
      "the first tab, without a word of it",
    );
  });

  test("is excluded with a sentence if it cannot start", async () => {
    await enable("Broken", true);
    await seen(
      async () => (await banner().count()) > 0,
      "that the first tab goes on as it began: new ones are with it",
    );
    await newTab(box);
    assert.match(await ask("hello"), /You said: Be brief\.\s*hello/);
    await showsText(
      box.frame,
      "The agent extension “Broken” could not be started: “/nowhere/extension” was not found or is not executable. This conversation continues without it.",
    );
    await chat().getByRole("button", { name: "Show Logs" }).waitFor();
    await chat().getByRole("button", { name: "Details of this session", exact: true }).click();
    await chat()
      .locator(".symposium-details li", { hasText: "Broken is left out" })
      .getByText("“/nowhere/extension” was not found")
      .waitFor();
    await box.screenshot("extensions-missing");
    await inSettings(page => rowOf(page, "Broken").locator(".finding", { hasText: "could not be started" }).waitFor());
    await ask("and again");
    assert.equal((await shownText(box.frame)).match(/could not be started/g)?.length, 1);
  });
});
