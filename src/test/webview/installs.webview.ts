/** Agents that npm cannot install, and agents that require a sign-in before the first prompt. */
import assert from "node:assert/strict";
import { lastExchange, sendPrompt, turnEnded, turnState, type ChatBox } from "../page/harness";
import { InstallingMachine, local, packed } from "../page/fake-npm-machine";
import { button, newTab, seen, showsText } from "../page/scripted";
import { openScripted } from "./fixture";

suite("agent that cannot answer its first prompt immediately", () => {
  const machine = new InstallingMachine();
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted({
      env: { ...machine.env, HOME: machine.folder },
      settings: {
        "symposium.agents": [packed("unlucky", "Unlucky"), local("asking", "Asking", "--auth-required")],
        "symposium.currentAgentId": "unlucky",
      },
    });
    await box.open();
  });
  suiteTeardown(async () => {
    await box.close();
    machine[Symbol.dispose]();
  });

  const chat = () => box.frame.locator("[data-part=chat]:visible");
  /** Waits for the answer to the waiting prompt. */
  const isAnswered = (answer: RegExp): Promise<void> =>
    seen(
      async () => (await turnState(box.frame)) === "idle" && answer.test((await lastExchange(box.frame)).answer),
      `the answer ${answer}`,
      90_000,
    );

  test("shows an npm failure in one sentence and sends the prompt again", async () => {
    machine.npmFails(
      "npm error code ENOTFOUND\nnpm error network request to https://registry.example/ failed, reason: getaddrinfo ENOTFOUND registry.example\n",
    );
    await newTab(box);
    await sendPrompt(box.frame, "say at last");
    await showsText(
      box.frame,
      /npm exited \(exit code 1\) because it cannot reach its registry\. Check the network connection\./,
    );
    await turnEnded(box.frame);
    await box.screenshot("installs-offline");
    machine.npmWorks();
    await button(box.frame, "Send Again").last().click();
    await isAnswered(/at last$/);
  });

  test("confirms a sign-in by the agent in the chat and sends the waiting prompt", async () => {
    await chat().locator('select[aria-label^="The agent of this tab"]').selectOption("asking");
    await newTab(box);
    await sendPrompt(box.frame, "say you know me");
    await chat().locator(".symposium-form").waitFor();
    await chat()
      .locator('[data-kind="elicitation"]', { hasText: /Sign in to Asking\s*Scripted sign-in/ })
      .waitFor();
    await box.screenshot("sign-in-agent");
    await chat().getByRole("button", { name: "Continue" }).last().click();
    await isAnswered(/you know me/);
    assert.equal(await chat().locator(".symposium-form").count(), 0);
  });
});
