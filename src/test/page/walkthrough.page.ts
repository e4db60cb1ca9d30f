/** First use: the walkthrough, its buttons and completed steps, and an agent that is already installed. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openBox, ROOT, sendPrompt, turnEnded, type Box } from "./harness";
import { newTab, openScripted, seen, showsText } from "./scripted";
import { closeEditors, setting, shows } from "./settings-box";

suite("walkthrough that is opened later", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openScripted();
    await box.page.setViewportSize({ width: 1600, height: 900 });
  });
  suiteTeardown(() => box.close());

  test("has the steps ticked off that were done before, also after a restart of VS Code", async () => {
    await box.open();
    await sendPrompt(box.frame, "say done before");
    await showsText(box.frame, /^done before$/m);
    await turnEnded(box.frame);
    await box.reload();
    await box.open(); // a view that is restored later takes the focus from the picker
    await box.command("Welcome: Open Walkthrough...");
    await box.page
      .locator(".quick-input-widget:visible .quick-input-list .monaco-list-row")
      .filter({ hasText: "Get Started with Symposium" })
      .click();
    const isDone = async (title: string) =>
      (await box.page.locator(".getting-started-step", { hasText: title }).locator(".codicon.complete").count()) > 0;
    for (const title of ["Send your first prompt", "Select your agent", "Sign in to your agent"])
      await seen(() => isDone(title), title);
    assert.equal(await isDone("Add context"), false);
    await box.screenshot("walkthrough-ticked");
  });
});

suite("walkthrough", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openBox({
      env: { SHELL: "/bin/bash" },
      settings: {
        "symposium.currentAgentId": "",
        "symposium.agents": [],
        "symposium.updates": "off",
        // a step takes the focus after its animation, which would close a list that its button has opened
        "workbench.reduceMotion": "on",
      },
    });
    const programs = path.join(box.server.home, "programs"),
      goose = path.join(programs, "goose");
    mkdirSync(programs, { recursive: true });
    writeFileSync(
      goose,
      `#!/bin/sh\nexec "${process.execPath}" "${path.join(ROOT, "out/programs/scripted-agent.program.mjs")}"\n`,
    );
    chmodSync(goose, 0o755);
    writeFileSync(path.join(box.server.home, ".bash_profile"), `export PATH="${programs}:$PATH"\n`);
    await box.page.setViewportSize({ width: 1600, height: 900 });
  });
  suiteTeardown(() => box.close());

  const rows = () => box.page.locator(".quick-input-widget:visible .quick-input-list .monaco-list-row");
  const step = (title: string) => box.page.locator(".getting-started-step", { hasText: title });
  const isDone = async (title: string) => (await step(title).locator(".codicon.complete").count()) > 0;
  async function walkthrough(title: string): Promise<void> {
    await box.command("Welcome: Open Walkthrough...");
    await rows().filter({ hasText: "Get Started with Symposium" }).click();
    await step(title).click();
  }

  test("shows each step with its picture and opens its target", async () => {
    await walkthrough("Send your first prompt");
    let drawing = "";
    for (const title of [
      "Select your agent",
      "Sign in to your agent",
      "Add context",
      "Manage agents and settings",
      "Send your first prompt",
    ]) {
      await step(title).click();
      const drawn = (): Promise<string> =>
        box.page
          .frameLocator(".getting-started-media iframe.webview.ready")
          .frameLocator("#active-frame")
          .locator("svg")
          .innerHTML({ timeout: 1_000 })
          .catch(() => "");
      let next = "";
      await seen(
        async () => {
          next = await drawn();
          return next !== "" && next !== drawing;
        },
        `the drawing of ${title}`,
        60_000,
      );
      drawing = next;
      await box.screenshot(`walkthrough-${title.split(" ")[0]?.toLowerCase() ?? ""}`);
    }
    assert.equal(await isDone("Send your first prompt"), false);
    await step("Send your first prompt").getByRole("button", { name: "Open Chat" }).click();
    await box.page.locator('.auxiliarybar .action-item.checked .action-label[aria-label^="Symposium"]').waitFor();
  });

  test("completes its steps after answers of Eliza and of an installed agent, and with the settings", async () => {
    await box.command("View: Close All Editors");
    await box.open();
    await sendPrompt(box.frame, "hello");
    await turnEnded(box.frame);
    await walkthrough("Select your agent");
    await seen(() => isDone("Send your first prompt"), "the first step is ticked off");

    await step("Select your agent").getByRole("button", { name: "Select Agent" }).click();
    await rows().filter({ hasText: "Goose" }).waitFor();
    await rows().filter({ hasText: "Goose" }).filter({ hasText: "programs/goose" }).waitFor();
    await box.screenshot("found-agents");
    await rows().filter({ hasText: "Goose" }).click();
    let agents: unknown;
    await shows(
      box.frame,
      () =>
        setting(box, "symposium.currentAgentId") === "goose" &&
        (agents = setting(box, "symposium.agents")) !== undefined,
      "it is selected",
    );
    assert.deepEqual(agents, [
      {
        id: "goose",
        name: "Goose",
        description: "Block's open source agent",
        distribution: { local: { command: "goose", args: ["acp"] } },
        _source: "custom",
      },
    ]);
    await seen(() => isDone("Select your agent"), "the second step is ticked off");
    await closeEditors(box);
    await newTab(box);
    await sendPrompt(box.frame, "say found and answered");
    await showsText(box.frame, /found and answered/);
    await walkthrough("Sign in to your agent");
    await seen(() => isDone("Sign in to your agent"), "the third step is ticked off: the agent has answered");

    await walkthrough("Manage agents and settings");
    await step("Manage agents and settings").getByRole("button", { name: "Open Settings" }).click();
    await box.page.locator(".tab", { hasText: "Symposium Settings" }).waitFor();
    await walkthrough("Add context");
    await seen(() => isDone("Manage agents and settings"), "the last step is ticked off");
  });
});
