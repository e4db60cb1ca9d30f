/**
 * The first five minutes: from the chat view of a new profile to an answer, with a screenshot of each step in
 * out/screenshots. No step opens the settings.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Locator } from "playwright-core";
import { violations } from "../page/axe";
import { lastExchange, ROOT, turnEnded, type ChatBox } from "../page/harness";
import { CODEX_PACKAGE, InstallingMachine } from "../page/fake-npm-machine";
import { input } from "../page/prompt-steps";
import { becomes, seen, setWidth, shownTab } from "../page/scripted";
import { openScripted } from "./fixture";

/** The settings of a new profile. */
const NEW_PROFILE = {
  "symposium.agents": null,
  "symposium.currentAgentId": null,
  "symposium.extensions": null,
  "symposium.updates": null,
};
const MAX_CLICKS = 3;
/** Width of the side bar in pixels. */
const NARROW = 340;

/** Operates the view as a new user, and records the steps. */
class NewUser {
  clicks = 0;
  #steps = 0;
  readonly #began = performance.now();
  readonly #record: string[] = [];

  constructor(
    private readonly box: ChatBox,
    private readonly name: string,
  ) {}

  get tab(): Locator {
    return shownTab(this.box);
  }
  get start(): Locator {
    return this.tab.getByRole("group", { name: "Start of the agent" });
  }
  row(agent: string): Locator {
    return this.tab.getByRole("list", { name: "Agents" }).getByRole("button").filter({ hasText: agent });
  }

  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click();
  }
  async type(text: string): Promise<void> {
    await input(this.box.frame).pressSequentially(text);
    await this.box.page.keyboard.press("Enter");
  }
  async recorded(what: string): Promise<void> {
    const file = `first-minutes-${this.name}-${++this.#steps}-${what}.png`;
    await this.box.page.locator("iframe.webview").screenshot({ path: path.join(ROOT, "out/screenshots", file) });
    const seconds = Math.round((performance.now() - this.#began) / 1_000);
    this.#record.push(`${this.#steps}. ${what}, clicks: ${this.clicks}, after ${seconds} s`);
    writeFileSync(path.join(ROOT, `out/screenshots/first-minutes-${this.name}.txt`), `${this.#record.join("\n")}\n`);
  }
}

suite("first minutes", () => {
  suite("with an agent from npm", () => {
    const machine = new InstallingMachine();
    let box: ChatBox, user: NewUser;
    suiteSetup(async () => {
      box = await openScripted({ env: { ...machine.env, HOME: machine.folder }, settings: NEW_PROFILE });
      user = new NewUser(box, "npm");
      await box.open();
      await setWidth(box, NARROW);
    });
    suiteTeardown(async () => {
      await box.close();
      machine[Symbol.dispose]();
    });
    const store = path.join(machine.folder, ".symposium/bin/codex");

    test("shows the size of an installation before it begins", async () => {
      await user.row("Codex").getByText("install (npm, 100 MB)").waitFor();
      await user.recorded("opened");
    });

    test("cancels an installation, keeps the text, and leaves nothing behind", async () => {
      const finish = machine.npmWaits();
      await input(box.frame).fill("say typed before");
      await user.row("Codex").click();
      await user.start.getByText("Installing Codex…").waitFor();
      await user.row("Codex").getByText("installing…").waitFor();
      await becomes(
        async () => (await violations(box.frame)).join("\n"),
        "",
        "a page in which axe finds nothing wrong",
      );
      await user.start.getByRole("button", { name: "Cancel the Installation of Codex" }).click();
      await user.tab.getByText("The installation was cancelled.").waitFor();
      await user.start.waitFor({ state: "hidden" });
      await user
        .row("Codex")
        .getByText(/^install \(npm/)
        .waitFor();
      await user.recorded("cancelled");
      assert.equal(await input(box.frame).innerText(), "say typed before");
      assert.deepEqual(existsSync(store) ? readdirSync(store).filter(name => !name.startsWith(".")) : [], []);
      finish();
      await input(box.frame).fill("");
      user.clicks = 0;
    });

    test("installs and starts the chosen agent in this tab, which answers the prompt typed meanwhile", async () => {
      const finish = machine.npmWaits();
      await user.click(user.row("Codex"));
      await user.start.getByText("Installing Codex…").waitFor();
      await user.recorded("installing");
      await user.type("say hello from a new agent");
      await user.tab.getByText("say hello from a new agent").first().waitFor();
      await user.start.getByText("Installing Codex…").waitFor();
      await user.recorded("prompt-waits");
      finish();
      await turnEnded(box.frame);
      assert.match((await lastExchange(box.frame)).answer, /hello from a new agent/);
      await user.recorded("answered");
      assert.equal(await user.start.isVisible(), false);
      assert.equal(await user.tab.getByText("The installation was cancelled.").count(), 0);
      assert.equal(machine.installed.at(-1), CODEX_PACKAGE);
      assert.ok(user.clicks <= MAX_CLICKS, `${user.clicks} clicks`);
    });
  });

  suite("with a cancelled installation", () => {
    const machine = new InstallingMachine();
    let box: ChatBox, user: NewUser;
    suiteSetup(async () => {
      box = await openScripted({ env: { ...machine.env, HOME: machine.folder }, settings: NEW_PROFILE });
      user = new NewUser(box, "cancelled");
      await box.open();
    });
    suiteTeardown(async () => {
      await box.close();
      machine[Symbol.dispose]();
    });

    test("keeps the prompt and sends it again", async () => {
      const finish = machine.npmWaits();
      await user.click(user.row("Codex"));
      await user.start.getByText("Installing Codex…").waitFor();
      await user.type("say kept");
      await user.tab.getByText("say kept").first().waitFor();
      await user.start.getByRole("button", { name: /^Cancel/ }).click();
      await user.tab.getByText("The installation was cancelled.").waitFor();
      finish();
      await user.tab.getByRole("button", { name: "Send Again" }).click();
      await seen(async () => /kept$/.test((await lastExchange(box.frame)).answer), "the answer", 60_000);
    });
  });

  suite("with the real Gemini CLI", () => {
    const home = mkdtempSync(path.join(tmpdir(), "first-minutes-"));
    let box: ChatBox, user: NewUser;
    suiteSetup(async function () {
      this.timeout(600_000);
      if (process.env["SYMPOSIUM_REAL_AGENTS"] === undefined) {
        Object.assign(this, { skipReason: "It downloads the agent; SYMPOSIUM_REAL_AGENTS=1 runs it." });
        this.skip();
      }
      box = await openScripted({ env: { HOME: home, USERPROFILE: home }, settings: NEW_PROFILE });
      user = new NewUser(box, "gemini");
      await box.open();
      await setWidth(box, NARROW);
    });
    suiteTeardown(async () => {
      await (box as ChatBox | undefined)?.close();
      rmSync(home, { recursive: true, force: true });
    });

    test("installs it in this tab up to its sign-in", async function () {
      this.timeout(600_000);
      await user
        .row("Gemini CLI")
        .getByText(/^install \(npm/)
        .waitFor();
      await user.recorded("opened");
      await user.click(user.row("Gemini CLI"));
      await user.start.getByText("Installing Gemini CLI…").waitFor();
      await user.start.getByText(/MB$/).waitFor({ timeout: 300_000 });
      await user.recorded("installing");
      await user.type("Explain this project");
      await user.recorded("prompt-waits");
      const starting = user.start.getByText("Starting Gemini CLI…");
      await starting.waitFor({ timeout: 500_000 });
      await user.recorded("starting");
      await user.tab.locator('[data-kind="elicitation"]').waitFor({ timeout: 120_000 });
      await user.recorded("sign-in");
      assert.match(await user.tab.locator('[data-kind="elicitation"]').innerText(), /Sign in to Gemini CLI/);
      assert.ok(user.clicks <= MAX_CLICKS, `${user.clicks} clicks`);
    });
  });
});
