/** The tabs of custom agent extensions: their details, the banner after a change of the settings, unavailable ones. */
import assert from "node:assert/strict";
import path from "node:path";
import { violations } from "../page/axe";
import { ROOT, type ChatBox } from "../page/harness";
import { ask, newTab, processesOf, scripted, seen, shownTab, shownText, showsText } from "../page/scripted";
import { openChatBox } from "./fixture";

const program = (name: string): readonly string[] => [path.join(ROOT, `out/programs/${name}.program.mjs`)];
const EXTENSIONS = [
  {
    id: "house-rules",
    name: "House rules",
    command: process.execPath,
    args: [...program("house-rules-proxy"), "Be brief."],
  },
  { id: "pass", name: "Pass", command: process.execPath, args: program("pass-proxy") },
  { id: "broken", name: "Broken", command: "/nowhere/extension", args: [] },
];
/** Settings in which the extensions with these names are enabled. */
const enabled = (...names: readonly string[]): Readonly<Record<string, unknown>> =>
  scripted([], {
    "symposium.extensions": EXTENSIONS.map(({ id, name, command, args }) => ({
      id,
      name,
      _enabled: names.includes(name),
      _source: "custom",
      distribution: { local: { command, args } },
    })),
  });

suite("agent extension", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openChatBox(enabled("House rules", "Pass"));
  });
  suiteTeardown(() => box.close());

  const chat = () => shownTab(box);
  const banner = () => chat().getByText("This tab still uses its old settings.");
  const hasBanner = (): Promise<void> => seen(async () => (await banner().count()) > 0, "the banner in the tab");

  test("changes the agent's messages", async () => {
    assert.match(await ask(box, "hello"), /You said: Be brief\.\s*hello/);
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
    assert.equal((await violations(box.frame)).join("\n"), "");
    await added.focus();
    await ask(box, "once more");
    await rules.getByText(/^Changed 2 prompts/).waitFor();
    await rules.getByText("Be brief.", { exact: true }).waitFor(); // it stays open
    await button.click();
    await panel.waitFor({ state: "hidden" });
  });

  test("stays in the tab that started with it when disabled, with a banner", async () => {
    box.writeSettings(enabled("Pass"));
    await hasBanner();
    await box.screenshot("extensions-outdated");
    assert.match(await ask(box, "again"), /Be brief\./);
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
    const answer = await ask(box, "hello");
    assert.match(answer, /You said: hello/);
    assert.doesNotMatch(answer, /brief/);
    assert.equal(await banner().count(), 0);
  });

  test("hides the banner when enabled again and shows it in the other tab", async () => {
    box.writeSettings(enabled("House rules", "Pass"));
    await hasBanner();
    await box.frame.locator('[role="tab"]').first().click();
    await seen(
      async () => /again/.test(await shownText(box.frame)) && (await banner().count()) === 0,
      "the first tab without the banner",
    );
  });

  test("is excluded with a sentence if it cannot start", async () => {
    box.writeSettings(enabled("House rules", "Pass", "Broken"));
    await hasBanner();
    await newTab(box);
    assert.match(await ask(box, "hello"), /You said: Be brief\.\s*hello/);
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
    await ask(box, "and again");
    assert.equal((await shownText(box.frame)).match(/could not be started/g)?.length, 1);
  });
});
