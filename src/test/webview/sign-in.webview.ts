/** The card of an agent that requires a sign-in, with several methods. */
import assert from "node:assert/strict";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { shownTab, showsText, testAgent } from "../page/scripted";
import { openStill, testAppearance } from "./appearance-steps";

const METHODS = [
  { id: "account", name: "Account", description: "opens your browser" },
  {
    id: "key",
    name: "API key",
    description: "kept in the secret storage",
    type: "env_var",
    vars: [{ name: "ASKING_KEY" }],
  },
  { id: "cloud", name: "Cloud" },
];

suite("sign-in", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openStill({
      settings: {
        "symposium.agents": [
          testAgent("asking", "Asking", ["--auth-required", "--auth-methods", JSON.stringify(METHODS)]),
        ],
        "symposium.currentAgentId": "asking",
      },
    });
    await sendPrompt(box.frame, "Explain this project");
    await card().waitFor();
  });
  suiteTeardown(() => box.close());

  const card = () => shownTab(box).locator('[data-kind="elicitation"]');

  test("asks for one of the methods", async () => {
    assert.deepEqual(
      (await card().innerText()).split("\n").filter(line => line.trim() !== ""),
      [
        "Sign in to Asking",
        "Prompts are sent after you sign in.",
        "How (required)",
        "Account opens your browser",
        "API key kept in the secret storage",
        "Cloud",
        "Continue",
        "Not Now",
      ],
    );
    assert.equal(await card().getByRole("radiogroup", { name: /^How/ }).getByRole("radio").count(), 3);
  });

  testAppearance({ box: () => box, name: "sign-in" });

  test("can be declined", async () => {
    await card().getByRole("button", { name: "Not Now" }).click();
    await turnEnded(box.frame);
    await showsText(box.frame, "You were not signed in to Asking.");
    assert.equal(await card().getByRole("button").count(), 0);
  });
});
