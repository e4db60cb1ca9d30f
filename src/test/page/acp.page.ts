/** Features of ACP that only VS Code can show: stored choices, pages to open, subagents and many questions. */
import assert from "node:assert/strict";
import { browserState } from "./browser-state";
import { lastExchange, sendPrompt, turnEnded, type Box } from "./harness";
import { ask, newTab, openChatBox, pick, seen, shownTab, showsText, stopTurn, testAgent } from "./scripted";

/** Separate agents, because a choice is stored for its agent in all windows of the server. */
const SETTINGS = {
  "symposium.agents": [
    testAgent("with-options", "Newer", ["--options"]),
    testAgent("with-models", "Older", ["--models"]),
  ],
  "symposium.currentAgentId": "with-options",
};

suite("agent features in the page", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openChatBox(SETTINGS);
  });
  suiteTeardown(() => box.close());

  const chat = () => shownTab(box);
  const picker = (name: string) => chat().locator(`select[data-picker][aria-label="${name}"]`);
  const shows = (name: string, value: string): Promise<void> =>
    seen(
      async () =>
        (await picker(name)
          .inputValue({ timeout: 1_000 })
          .catch(() => "")) === value,
      `${name} at ${value}`,
    );
  const card = (kind: string) => chat().locator(`[data-kind="${kind}"]`).last();

  test("applies a choice to the next session, also after Reload Window", async () => {
    await shows("Model", "small");
    await pick(box, picker("Model"), "large");
    await shows("Effort", "high");
    await seen(
      async () => (await browserState(box.page, "symposium-dev.symposium")).some(state => state.includes('"large"')),
      "the stored choice",
    );
    await box.reload();
    await box.open();
    await shows("Model", "large");
    assert.equal(await ask(box, "chosen"), "mode=ask model=large effort=high fast=false");
  });

  test("opens the address of a page request externally, only with consent, and shows the completion", async () => {
    const ADDRESS = "https://sign-in.example/in?back=http%3A%2F%2Fhost%2F%3Fa%3D1%26b%3D2",
      visits: string[] = [];
    await box.page.context().route("https://sign-in.example/**", async route => {
      if (route.request().isNavigationRequest()) visits.push(route.request().url());
      await route.fulfill({ contentType: "text/plain", body: "Signed in." });
    });
    await sendPrompt(box.frame, `visit ${ADDRESS} message="Please sign in."`);
    await chat().getByRole("button", { name: "Open in Browser" }).waitFor();
    const shown = await card("elicitation").innerText();
    for (const part of ["Newer", "Please sign in.", "sign-in.example", ADDRESS])
      assert.ok(shown.includes(part), `the card lacks ${part}: ${shown}`);
    await chat().getByRole("button", { name: "Decline" }).click();
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /decline$/);
    assert.deepEqual(visits, [], "nothing is opened before consent or after a refusal");

    await sendPrompt(box.frame, `visit ${ADDRESS} elicitationId=in; wait-cancel; visited in; say thanks`);
    await chat().getByRole("button", { name: "Open in Browser" }).click();
    // VS Code asks before it opens an untrusted address.
    const dialog = box.page.locator(".monaco-dialog-box");
    await dialog.waitFor();
    assert.ok((await dialog.innerText()).includes(ADDRESS));
    const [opened] = await Promise.all([
      box.page.context().waitForEvent("page"),
      dialog.getByRole("button", { name: "Open", exact: true }).click(),
    ]);
    await seen(async () => visits.length > 0, "the visit");
    assert.deepEqual(visits, [ADDRESS]);
    await opened.close();
    await showsText(box.frame, /Opened in the browser by you/);
    await stopTurn(box.frame);
    await turnEnded(box.frame);
    await showsText(box.frame, /Completed: Newer reports that this is complete/);
  });
});

suite("crowds in VS Code", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openChatBox({
      "symposium.agents": [testAgent("subagents", "Parent", [], "subagent"), testAgent("crowd", "Crowd")],
      "symposium.currentAgentId": "subagents",
      "symposium.experimentalProtocolV2": true,
    });
  });
  suiteTeardown(() => box.close());

  const cards = (kind: string) => shownTab(box).locator(`[data-kind="${kind}"]`);

  test("shows a subagent's permission request in its parent's tab, and one of 58 questions", async () => {
    await sendPrompt(box.frame, "go");
    const question = cards("permission").last();
    await question.waitFor();
    assert.match(await question.innerText(), /Explore \(subagent of Parent\)\s+Run a command\?/);
    assert.deepEqual([await cards("subagent").count(), await cards("unknown").count()], [1, 1]);
    await box.screenshot("vscode-subagent-asks");
    await question.getByRole("button", { name: "Allow Once", exact: true }).click();
    await turnEnded(box.frame);
    assert.match((await cards("subagent").textContent()) ?? "", /ls test · done[^]*The answer was yes\./);
    await box.screenshot("vscode-subagent-done");

    await newTab(box);
    await shownTab(box).locator('select[aria-label^="The agent of this tab"]').selectOption("crowd");
    await sendPrompt(
      box.frame,
      Array.from({ length: 58 }, (_, n) => `ask* p${n} kind=execute title="Step ${n}"`).join("; "),
    );
    await showsText(box.frame, "57 more questions wait");
    assert.equal(
      await cards("permission")
        .filter({ has: box.frame.locator("button[action-id]") })
        .count(),
      1,
    );
    await box.screenshot("vscode-questions-58");
    await stopTurn(box.frame);
  });
});
