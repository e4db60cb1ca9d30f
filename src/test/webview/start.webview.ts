/** The start of an agent: its installation with a waiting prompt, and a failure. */
import assert from "node:assert/strict";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { InstallingMachine } from "../page/fake-npm-machine";
import { newTab, shownTab, showsText, testAgent } from "../page/scripted";
import { openStill, testAppearance } from "./appearance-steps";

const FAILING = testAgent("failing", "Failing", ["--exit-at-start", "3"]);

suite("start of an agent", () => {
  const machine = new InstallingMachine();
  let box: ChatBox, finish: () => void;
  suiteSetup(async () => {
    finish = machine.npmWaits();
    box = await openStill({
      env: { ...machine.env, HOME: machine.folder },
      settings: { "symposium.agents": [FAILING], "symposium.currentAgentId": "failing", "symposium.updates": "notify" },
    });
  });
  suiteTeardown(async () => {
    await box.close();
    machine[Symbol.dispose]();
  });

  suite("that fails", () => {
    suiteSetup(async () => {
      await sendPrompt(box.frame, "Explain this project");
      await turnEnded(box.frame);
      await showsText(box.frame, /Failing exited unexpectedly \(exit code 3\)/);
    });

    testAppearance({ box: () => box, name: "start-failed" });
  });

  suite("that is being installed", () => {
    suiteSetup(async () => {
      await newTab(box);
      await shownTab(box)
        .getByRole("list", { name: "Agents" })
        .getByRole("button")
        .filter({ hasText: "Codex" })
        .click();
      await sendPrompt(box.frame, "Explain this project");
      await shownTab(box).getByText("Installing Codex…").waitFor();
    });
    suiteTeardown(() => finish());

    testAppearance({ box: () => box, name: "start-installing" });

    test("is shown directly below the prompt that waits for it", async () => {
      const [prompt, line] = await Promise.all(
        ["[data-kind=prompt]", ".symposium-start"].map(part =>
          box.frame.locator(`${part}:visible`).evaluate(element => element.getBoundingClientRect().toJSON()),
        ),
      );
      assert.ok(line.top >= prompt.bottom && line.top - prompt.bottom < 30, `${prompt.bottom} px, ${line.top} px`);
    });
  });
});
