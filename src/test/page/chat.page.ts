/**
 * The chat view in VS Code: answers, drafts, hidden views, notifications, logs and the list of agents. The rest is in
 * plain Chromium (`chat.webview.ts`, `life.webview.ts` and `composer.webview.ts`).
 */
import assert from "node:assert/strict";
import { hasChips, hasInput, input, pasteImage, sendByKey } from "./composing";
import { lastExchange, promptInput, readCards, sendPrompt, turnEnded, turnState, type Box } from "./harness";
import {
  answerShows,
  button,
  gate,
  hideChat,
  isCounting,
  newTab,
  notification,
  numberedWords,
  openScripted,
  reloadWindow,
  scripted,
  seen,
  shownText,
  showsText,
  testAgent,
  toggleSidebar,
} from "./scripted";

const ABSENT = { id: "absent", name: "Absent", distribution: { local: { command: "no-such-command-anywhere" } } };
const SCRIPTED = testAgent("scripted", "Scripted");

suite("chat view in VS Code", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openScripted({
      settings: { "symposium.agents": [SCRIPTED, testAgent("exiting", "Exiting", ["--exit-at-start", "3"])] },
    });
    await box.open();
  });
  suiteTeardown(() => box.close());

  const chat = () => box.frame.locator("[data-part=chat]:visible");
  const badge = () =>
    box.page
      .locator(".activitybar .action-item", { has: box.page.locator('.action-label[aria-label^="Symposium"]') })
      .locator(".badge");
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

  test("streams an answer while the agent writes", async () => {
    const { frame } = box,
      rest = gate();
    await sendPrompt(frame, `stream 40 chunks of 12 chars every 20 ms; ${rest.step}; say END`);
    await answerShows(frame, /w1 w2/);
    assert.equal(await turnState(frame), "running");
    rest.open();
    await turnEnded(frame);
    const { answer } = await lastExchange(frame);
    assert.match(answer, /END$/);
    assert.ok(isCounting(await numberedWords(frame)));
  });

  test("keeps text typed immediately before the view collapses", async () => {
    const input = await promptInput(box.frame);
    await input.fill("");
    await input.pressSequentially("half a thought");
    await hideChat(box);
    await toggleSidebar(box);
    await seen(
      async () =>
        (
          await box.frame
            .locator("[data-part=prompt]:visible")
            .innerText()
            .catch(() => "")
        ).includes("half a thought"),
      "the draft",
    );
    await (await promptInput(box.frame)).fill("");
  });

  test("shows a badge and a notification for an answer that ends while the view is hidden", async () => {
    const rest = gate();
    await newTab(box);
    await sendPrompt(box.frame, `stream 40 chunks of 10 chars every 20 ms; ${rest.step}; say END`);
    await hideChat(box);
    rest.open();
    const toast = await notification(box, "Scripted has finished.");
    await badge().locator(".badge-content", { hasText: /^1$/ }).waitFor();
    await toast.getByRole("button", { name: "Open Chat" }).click();
    await badge().waitFor({ state: "hidden" });
    await seen(async () => (await lastExchange(box.frame)).answer.endsWith("END"), "the end of the answer");
    assert.equal([...(await lastExchange(box.frame)).answer.matchAll(/END/g)].length, 1);
  });

  test("keeps the output of an agent that exits in a hidden view and repeats its prompt", async () => {
    await newTab(box);
    await sendPrompt(box.frame, "pid; say , half an; wait-cancel");
    await showsText(box.frame, /\d, half an/);
    const pid = Number(/^pid (\d+)/m.exec((await lastExchange(box.frame)).answer)?.[1]);
    await hideChat(box);
    process.kill(pid, "SIGKILL");
    await badge().waitFor();
    await toggleSidebar(box);
    await showsText(box.frame, /half an[^]*interrupted[^]*Scripted exited unexpectedly/);
    await button(box.frame, "Send Again").last().click();
    await seen(
      async () => [...(await shownText(box.frame)).matchAll(/\d, half an$/gm)].length === 2,
      "the answer once more",
    );
    assert.deepEqual(
      (await readCards(box.frame)).filter(({ kind }) => kind === "prompt").map(({ text }) => text),
      ["pid; say , half an; wait-cancel", "pid; say , half an; wait-cancel"],
    );
    await chat().locator("[data-part=stop]:visible").click();
    await turnEnded(box.frame);
  });

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

  test("shows the agent's last output with Show Logs", async () => {
    await newTab(box);
    await chat().locator('select[aria-label^="The agent of this tab"]').selectOption("exiting");
    await button(box.frame, "Show Logs").click();
    await seen(
      async () =>
        (
          await box.page
            .locator(".panel .view-lines")
            .innerText()
            .catch(() => "")
        )
          .replaceAll("\u00a0", " ")
          .includes("no licence was found"),
      "the last words in the log",
    );
    await box.command("View: Toggle Panel Visibility");
  });

  test("sends the waiting prompt to an agent selected as replacement", async () => {
    box.writeSettings({ ...scripted(), "symposium.agents": [ABSENT, SCRIPTED], "symposium.currentAgentId": "absent" });
    await chat()
      .locator('select[aria-label^="The agent of this tab"] option[value=absent]')
      .waitFor({ state: "attached" });
    await newTab(box);
    await showsText(box.frame, /Absent could not be started/);
    await sendPrompt(box.frame, "say it was waiting");
    await showsText(box.frame, /Absent could not be started[^]*Absent could not be started/);
    await button(box.frame, "Select Agent").last().click();
    await box.page.locator(".quick-input-widget:visible .monaco-list-row", { hasText: "Scripted" }).click();
    await turnEnded(box.frame);
    assert.deepEqual(await lastExchange(box.frame), { question: "say it was waiting", answer: "it was waiting" });
    assert.equal(
      await box.frame
        .locator("[role=tab]")
        .last()
        .innerText()
        .then(title => title.trim()),
      "say it was waiting",
    );
    await box.screenshot("agent-helped");
  });
});
