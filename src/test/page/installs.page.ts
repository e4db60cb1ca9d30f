/**
 * Agents that are installed at their first prompt, and sign-in in a terminal or with a key, in a real VS Code with a
 * separate home. Other tests run in plain Chromium (`installs.webview.ts`).
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { lastExchange, sendPrompt, turnState, type Box, openBox } from "./harness";
import { InstallingMachine, local, packed, PACKAGE } from "./fake-npm-machine";
import { ask, newTab, processesOf, seen, shownTab, shownText } from "./scripted";

const ONCE = /is being installed\. This happens once\./g;
const KEY = "SCRIPTED_KEY";

suite("installed agents", () => {
  const machine = new InstallingMachine(),
    signedIn = machine.file("signed-in");
  let box: Box;
  suiteSetup(async () => {
    box = await openBox({
      env: machine.env,
      settings: {
        "symposium.currentAgentId": "packed",
        "terminal.integrated.gpuAcceleration": "off",
        "symposium.agents": [
          packed("packed", "Packed"),
          packed(
            "terminal",
            "Terminal",
            "--auth-required",
            "--auth-file",
            signedIn,
            "--auth-methods",
            JSON.stringify([
              { id: "term", name: "Sign in in a terminal", type: "terminal", args: ["--sign-in"] },
              { id: "later", name: "Something later", type: "hologram" },
              { id: "own", name: "Another way" },
            ]),
          ),
          local(
            "keyed",
            "Keyed",
            "--auth-required",
            "--auth-variable",
            KEY,
            "--auth-methods",
            JSON.stringify([
              { id: "key", name: "Use a key", type: "env_var", vars: [{ name: KEY, label: "Your key" }] },
            ]),
          ),
        ],
      },
    });
    await box.open();
  });
  suiteTeardown(async () => {
    await box.close();
    machine[Symbol.dispose]();
  });

  const chat = () => shownTab(box);
  const form = () => chat().locator(".symposium-form");
  const press = (name: string | RegExp): Promise<void> => chat().getByRole("button", { name }).last().click();
  /** Waits for the answer to a prompt that waited for the sign-in. */
  const isAnswered = (answer: RegExp): Promise<void> =>
    seen(
      async () => (await turnState(box.frame)) === "idle" && answer.test((await lastExchange(box.frame)).answer),
      `the answer ${answer}`,
      90_000,
    );
  async function tabOf(agentId: string): Promise<void> {
    await chat().locator('select[aria-label^="The agent of this tab"]').selectOption(agentId);
    await newTab(box);
  }

  test("installs from npm of the login shell at its first prompt, and later starts without npm", async () => {
    assert.match(await ask(box, "say here I am"), /here I am/);
    assert.doesNotMatch(await shownText(box.frame), ONCE, "the notice goes with the end of the installation");
    assert.deepEqual(machine.installed, [PACKAGE]);
    const store = path.join(box.server.home, ".symposium/bin/packed");
    assert.ok(existsSync(path.join(store, "1.2.3/installed.json")), "installed into the user's own store");
    assert.equal(processesOf(box, path.join(store, "1.2.3")).length, 1, "the agent runs from there");
    await box.screenshot("installs-first");
    using _ = machine.withoutNpm();
    for (const again of [box.reload, box.openFresh]) {
      await again();
      await box.open();
      await newTab(box);
      assert.match(await ask(box, "say still here"), /still here/);
      assert.doesNotMatch(await shownText(box.frame), ONCE);
    }
    assert.deepEqual(machine.installed, [PACKAGE]);
  });

  suite("sign-in", () => {
    test("by a terminal program restarts the agent and sends the waiting prompt", async () => {
      await tabOf("terminal");
      await sendPrompt(box.frame, "say welcome back");
      await form().waitFor();
      assert.doesNotMatch(await form().innerText(), /Something later/);
      await box.screenshot("sign-in-terminal");
      await press("Continue");
      const rows = box.page.locator(".terminal-wrapper.active .xterm-rows");
      await seen(
        async () => /Sign in to the scripted agent\?/.test(await rows.innerText({ timeout: 500 }).catch(() => "")),
        "the program's question in the terminal",
        60_000,
      );
      await box.page.locator(".terminal-wrapper.active .xterm.focus").waitFor();
      await box.screenshot("sign-in-terminal-open");
      await box.page.keyboard.type("yes");
      await box.page.keyboard.press("Enter");
      await isAnswered(/welcome back/);
      assert.ok(existsSync(signedIn));
    });

    test("by key is masked, stored and passed only to the agent, also after a reload", async () => {
      await tabOf("keyed");
      await sendPrompt(box.frame, `env ${KEY}`);
      await form().waitFor();
      await press("Continue");
      const field = form().getByLabel(/Your key/);
      await field.waitFor();
      assert.equal(await field.getAttribute("type"), "password");
      await field.fill("key-of-nobody");
      await box.screenshot("sign-in-key");
      await press("Continue");
      await isAnswered(new RegExp(`${KEY}=key-of-nobody`));
      await box.reload();
      await box.open();
      await newTab(box);
      assert.match(await ask(box, `env ${KEY}`), new RegExp(`${KEY}=key-of-nobody`));
      await tabOf("packed");
      assert.match(await ask(box, `env ${KEY}`), new RegExp(`${KEY}=\\(not set\\)`));
      assert.doesNotMatch(readFileSync(box.server.settingsFile, "utf8"), /key-of-nobody/);
    });
  });
});
