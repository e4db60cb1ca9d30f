/** The agent's working folder, untrusted workspaces, and the cleanup after closed tabs and windows. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sendPrompt, turnEnded, type Box } from "./harness";
import { button, newTab, openScripted, processesOf, scripted, seen, showsText, shownText } from "./scripted";

const AGENT = "scripted-agent.program";
const SIDECAR = "sidecar.js serve";

suite("multi-root workspace", () => {
  let box: Box;
  const agentLog = path.join(mkdtempSync(path.join(tmpdir(), "symposium-workspace-")), "agent.log");
  suiteSetup(async () => {
    box = await openScripted({ folders: ["alpha", "beta", "gamma"], settings: scripted(["--log", agentLog]) });
  });
  suiteTeardown(() => box.close());

  /** The folders of the agent's sessions, in the order of their start. */
  function folders(): readonly string[] {
    if (!existsSync(agentLog)) return [];
    const messages = readFileSync(agentLog, "utf8")
      .split("\n")
      .filter(line => line !== "")
      .map((line): unknown => JSON.parse(line));
    return messages.flatMap(message =>
      hasMember(message, "method") &&
      message.method === "session/new" &&
      hasMember(message, "params") &&
      hasMember(message.params, "cwd")
        ? [path.basename(String(message.params.cwd))]
        : [],
    );
  }

  /** By keyboard, because the hover of a row under the mouse may cover the other rows. */
  async function pick(name: string): Promise<void> {
    const pick = box.page.locator(".quick-input-widget:visible", {
      has: box.page.locator("input[placeholder*='working folder']"),
    });
    await pick.locator("input.input").fill(name);
    await pick.locator(".monaco-list-row.focused", { hasText: name }).waitFor();
    await box.page.keyboard.press("Enter");
    await pick.waitFor({ state: "hidden" });
  }

  test("asks for each tab's folder, shares a process per folder, and has a default without a choice", async () => {
    await box.open();
    await pick("beta");
    await sendPrompt(box.frame, "say hello from a folder");
    await turnEnded(box.frame);
    assert.deepEqual(folders(), ["beta"]);

    await newTab(box);
    await pick("alpha");
    await sendPrompt(box.frame, "say second");
    await turnEnded(box.frame);
    assert.deepEqual(folders(), ["beta", "alpha"]);
    await newTab(box);
    await pick("beta");
    await sendPrompt(box.frame, "say third");
    await turnEnded(box.frame);
    assert.deepEqual(folders(), ["beta", "alpha", "beta"]);
    assert.equal(processesOf(box, AGENT).length, 2);

    await newTab(box);
    const question = box.page.locator(".quick-input-widget:visible input[placeholder*='working folder']");
    await question.waitFor();
    await sendPrompt(box.frame, "say at last"); // typed into the chat: the question stays open without the focus
    await question.press("Escape");
    await box.frame
      .locator("[data-part=banner]:visible", { hasText: "No folder was selected. The agent works in" })
      .waitFor();
    await showsText(box.frame, /^at last$/m);
    assert.equal(folders().at(-1), "alpha");
  });

  test("runs a separate sidecar, agent and conversation per window", async () => {
    const [sidecars, agents] = [processesOf(box, SIDECAR), processesOf(box, AGENT)];
    const otherBox = await openScripted();
    try {
      await otherBox.open();
      await sendPrompt(otherBox.frame, "say from elsewhere");
      await turnEnded(otherBox.frame);
      assert.equal(processesOf(box, SIDECAR).length, sidecars.length + 1);
      assert.equal(processesOf(box, AGENT).length, agents.length + 1);
      assert.doesNotMatch(await shownText(otherBox.frame), /at last/);
      assert.doesNotMatch(await shownText(box.frame), /from elsewhere/);
    } finally {
      await otherBox.close();
    }
    await seen(
      () => Promise.resolve(processesOf(box, SIDECAR).length === 1 && processesOf(box, AGENT).length === agents.length),
      "the end of the other window's",
    );
    assert.deepEqual([processesOf(box, SIDECAR), processesOf(box, AGENT)], [sidecars, agents]);
    await sendPrompt(box.frame, "say still here");
    await showsText(box.frame, /^still here$/m);
  });

  test("closes the session with its tab, and the process with the last tab of its folder", async () => {
    const closed = (): number =>
      readFileSync(agentLog, "utf8")
        .split("\n")
        .filter(line => line.includes('"session/close"')).length;
    const before = processesOf(box, AGENT).length;
    const tabs = box.frame.locator("[role=tab]");
    async function close(n: number): Promise<void> {
      const count = await tabs.count();
      await tabs.nth(n).locator("xpath=ancestor::label").locator("button").click();
      await seen(async () => (await tabs.count()) === count - 1, "a tab less");
    }
    await close(0);
    await seen(() => Promise.resolve(closed() === 1), "the end of the session");
    assert.equal(processesOf(box, AGENT).length, before);
    await close(1);
    await seen(() => Promise.resolve(processesOf(box, AGENT).length === before - 1), "the end of the process");
    while ((await tabs.count()) > 0) await close(0);
    await seen(() => Promise.resolve(processesOf(box, AGENT).length === 0), "the end of all agents");
    assert.equal(processesOf(box, SIDECAR).length, 1);
  });
});

suite("untrusted workspace", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openScripted({ restricted: true });
  });
  suiteTeardown(() => box.close());

  const nothingRuns = (): void => assert.deepEqual(processesOf(box, AGENT), []);
  const input = () => box.frame.locator("[data-part=prompt]:visible");

  test("shows one sentence, keeps drafts and starts nothing until trust is granted", async () => {
    await box.open();
    const banner = box.frame.locator("[data-part=banner]:visible");
    await seen(async () => (await banner.innerText()).includes("Trust this workspace"), "the sentence");
    assert.equal((await banner.innerText()).match(/Agents run programs on this machine/g)?.length, 1);
    await button(box.frame, "Manage Workspace Trust").waitFor();
    await box.screenshot("restricted-light");
    nothingRuns();

    await input().fill("say after trust");
    await input().press("Enter");
    await showsInput("say after trust");
    await seen(
      async () => (await box.frame.locator("[data-part=banner]:visible").innerText()).includes("Your text is saved."),
      "that it is kept",
    );
    await box.command("Symposium: Restart Sidecar");
    await newTab(box);
    await input().fill("second draft");
    await box.frame.locator("[role=tab]").first().click();
    await showsInput("say after trust");
    nothingRuns();

    await button(box.frame, "Manage Workspace Trust").click();
    await box.page
      .locator(".workspace-trust-editor .monaco-button", { hasText: /^(Trust|Trust Workspace|Trust Folder)/ })
      .first()
      .click();
    await seen(
      async () =>
        (await box.frame.locator("[data-part=banner]:visible", { hasText: "Trust this workspace" }).count()) === 0,
      "the end of the sentence",
    );
    await showsInput("say after trust");
    await input().press("Enter");
    await showsText(box.frame, /^after trust$/m);
    assert.equal(processesOf(box, SIDECAR).length, 1);
    await box.frame.locator("[role=tab]").nth(1).click();
    await showsInput("second draft");
  });

  const showsInput = (text: string): Promise<void> =>
    seen(
      async () =>
        (await input()
          .innerText()
          .catch(() => "")) === text,
      `${text} in the input`,
    );
});

function hasMember<K extends string>(value: unknown, name: K): value is Readonly<Record<K, unknown>> {
  return typeof value === "object" && value !== null && name in value;
}
