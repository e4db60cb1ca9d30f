/**
 * The settings page with a mouse: adds, installs, selects, checks, updates and removes agents. Changes are stored in
 * the user's settings.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { CODEX_PACKAGE, InstallingMachine, local, packed } from "../page/fake-npm-machine";
import { answerDialog } from "../page/scripted";
import { isFine, LocalRegistry, names, press, rowOf, setting, shows } from "../page/settings-box";
import { openSettingsPage, type SettingsBox } from "./settings-fixture";

const AGENTS = "symposium.agents";

suite("settings: agents", () => {
  const machine = new InstallingMachine();
  let box: SettingsBox, registry: LocalRegistry, view: FrameLocator;
  suiteSetup(async () => {
    registry = await LocalRegistry.start();
    box = await openSettingsPage({
      env: machine.env,
      settings: {
        "symposium.registryUrl": registry.url,
        "symposium.updates": "notify",
        [AGENTS]: [
          local("mine", "Mine"),
          packed("packed", "Packed"),
          { id: "broken", name: "Broken", distribution: { local: { command: path.join(machine.folder, "nowhere") } } },
          { id: "odd", name: "Odd" },
        ],
        "symposium.currentAgentId": "mine",
      },
    });
    view = await box.open();
  });
  suiteTeardown(async () => {
    await box.close();
    await registry[Symbol.asyncDispose]();
    machine[Symbol.dispose]();
  });

  const agentRadio = (name: string) => view.getByRole("radio", { name: `Use for new tabs: ${name}` });
  const isSelected = (name: string): Promise<void> =>
    shows(view, () => agentRadio(name).isChecked(), `${name} as the agent of new tabs`);
  const isMarked = (name: string, mark: string): Promise<void> =>
    rowOf(view, name).locator(".mark", { hasText: mark }).waitFor();
  const entry = (id: string): Readonly<Record<string, unknown>> | undefined =>
    (setting(box, AGENTS) as readonly Readonly<Record<string, unknown>>[]).find(each => each["id"] === id);
  const store = (id: string): string => path.join(box.home, ".symposium/bin", id);
  const more = (name: string): Promise<void> => press(view, `More: ${name}`);

  test("shows configured agents first with their status, and problems of the settings", async () => {
    await isMarked("Packed", "not installed");
    await shows(
      view,
      async () =>
        (await names(view, "agent"))
          .filter(name => name !== "Eliza")
          .slice(0, 3)
          .join() === "Mine,Packed,Broken",
      "what is set up first",
    );
    await isSelected("Mine");
    await rowOf(view, "Packed")
      .locator(".origin", { hasText: /npm package scripted-acp-agent/ })
      .waitFor();
    await view.locator(".note", { hasText: /odd/i }).waitFor();
    await box.screenshot("settings-view");
  });

  test("adds an agent and focuses its row", async () => {
    await press(view, "From the Registry…");
    await shows(
      view,
      () => view.locator("#agent-ada").evaluate(row => row === document.activeElement),
      "the focus on Ada's row",
    );
    await shows(view, () => entry("ada")?.["_source"] === "registry", "it in the settings");
    await rowOf(view, "Ada").locator(".ink").waitFor();
  });

  test("shows the progress of an installation, which can be cancelled", async () => {
    await press(view, "Install: Ada");
    await shows(
      view,
      async () =>
        /Downloading/.test(
          await rowOf(view, "Ada")
            .locator(".progress")
            .innerText()
            .catch(() => ""),
        ) && registry.held === 1,
      "the download",
    );
    await shows(
      view,
      async () => Number(await rowOf(view, "Ada").locator("progress").getAttribute("value")) >= 49,
      "half of it",
    );
    await box.screenshot("settings-installing");
    await isFine(view, "sideBar-background");
    await press(view, "Cancel: Ada");
    await isMarked("Ada", "not installed");
    await shows(view, () => registry.held === 0, "the end of the download");
    assert.ok(!existsSync(path.join(store("ada"), "1.0.0")));
  });

  test("completes an installation and selects the agent", async () => {
    registry.letThrough();
    await press(view, "Install: Ada");
    await isMarked("Ada", "installed 1.0.0");
    assert.ok(existsSync(path.join(store("ada"), "1.0.0/installed.json")));
    await agentRadio("Ada").click();
    await shows(view, () => setting(box, "symposium.currentAgentId") === "ada", "Ada as the agent of new tabs");
    await isSelected("Ada");
    assert.equal(await agentRadio("Mine").isChecked(), false);
  });

  test("installs from npm and shows npm's error in the row", async () => {
    machine.npmFails("npm error network timeout\nnpm error at never\n");
    await press(view, "Install: Packed");
    await rowOf(view, "Packed").locator(".finding[data-tone=error] .sentence", { hasText: /npm/ }).waitFor();
    machine.npmWorks();
    await press(view, "Dismiss: Packed");
    await press(view, "Install: Packed");
    await isMarked("Packed", "installed 1.2.3");
    assert.equal(await rowOf(view, "Packed").locator(".finding").count(), 0);
  });

  test("shows with Check why an agent does not start, with a fix and a report", async () => {
    await more("Broken");
    await press(view, "Check: Broken");
    const finding = rowOf(view, "Broken").locator(".finding[data-tone=error]");
    await finding.waitFor();
    await box.screenshot("settings-finding");
    await isFine(view, "sideBar-background");
    await finding.locator(".sentence", { hasText: /nowhere|not found|no such|does not exist/i }).waitFor();
    await finding.getByRole("button", { name: /^Copy Report/ }).click();
    await shows(view, () => /broken/i.test(box.copied.at(-1) ?? ""), "the copied report");
    await finding.getByRole("button").first().click(); // the remedy
    await shows(view, () => box.visited.at(-1) === "agentsFile", "the settings file");
    await finding.getByRole("button", { name: /^Dismiss/ }).click();
    await finding.waitFor({ state: "detached" });
  });

  test("shows with Check that an agent works", async () => {
    await more("Mine");
    await press(view, "Check: Mine");
    await rowOf(view, "Mine").locator(".finding[data-tone=good]").waitFor();
    await press(view, "Dismiss: Mine");
  });

  test("confirms, stores, warns about and reverts the permission bypass", async () => {
    const box_ = view.getByRole("checkbox", { name: "Allow everything without asking: Mine" });
    await box_.click();
    await answerDialog(box, /^Allow Mine to do everything without asking\?/, "Cancel");
    await shows(view, async () => !(await box_.isChecked()), "that it is still off");
    assert.equal(entry("mine")?.["bypassPermissions"], undefined);
    await box_.click();
    await answerDialog(box, /^Allow Mine to do everything without asking\?/, "Always for Mine");
    await shows(view, () => entry("mine")?.["bypassPermissions"] === true, "it in the settings");
    await rowOf(view, "Mine").locator(".hazard").waitFor();
    await box_.click();
    await shows(view, () => entry("mine")?.["bypassPermissions"] !== true, "its end in the settings");
    await rowOf(view, "Mine").locator(".hazard").waitFor({ state: "detached" });
    await shows(view, async () => !(await box_.isChecked()), "that it is off");
  });

  test("shows and installs an update of the registry", async () => {
    registry.version = "1.1.0";
    await press(view, "Check for Updates");
    await rowOf(view, "Ada").locator(".finding", { hasText: "1.1.0" }).waitFor();
    await view.locator(".registry", { hasText: "The registry was read" }).waitFor();
    await box.screenshot("settings-update");
    await press(view, "Update: Ada");
    await isMarked("Ada", "installed 1.1.0");
    await shows(view, () => entry("ada")?.["version"] === "1.1.0", "it in the settings");
  });

  test("shows and installs an update of a built-in agent", async () => {
    const before = JSON.stringify(setting(box, AGENTS));
    await press(view, "Install: Codex");
    await isMarked("Codex", "installed 1.2.3");
    await press(view, "Check for Updates");
    await rowOf(view, "Codex")
      .locator(".finding", { hasText: "The registry has version 1.3.0. Version 1.2.3 is installed." })
      .waitFor();
    await rowOf(view, "Codex").scrollIntoViewIfNeeded();
    await box.screenshot("settings-built-in-update");
    machine.npmFails("npm error network timeout\n");
    await press(view, "Update: Codex");
    await rowOf(view, "Codex").locator(".finding[data-tone=error]", { hasText: "Version 1.2.3 stays" }).waitFor();
    await isMarked("Codex", "installed 1.2.3");
    machine.npmWorks();
    await press(view, "Update: Codex");
    await isMarked("Codex", "installed 1.3.0");
    assert.equal(await rowOf(view, "Codex").locator(".finding").count(), 0);
    assert.equal(machine.installed.at(-1), `${CODEX_PACKAGE}@1.3.0`);
    assert.equal(JSON.stringify(setting(box, AGENTS)), before);
  });

  test("removes an agent from settings and disk after confirmation and selects Eliza", async () => {
    await more("Ada");
    await press(view, "Remove: Ada");
    await answerDialog(box, /Ada/, "Remove");
    await rowOf(view, "Ada").waitFor({ state: "detached" });
    await shows(view, () => entry("ada") === undefined, "its end in the settings");
    await shows(view, () => !existsSync(path.join(store("ada"), "1.1.0")), "the end of its files");
    await isSelected("Eliza");
    await shows(
      view,
      () => ["", undefined].includes(setting(box, "symposium.currentAgentId") as string | undefined),
      "that none is chosen",
    );
  });

  test("stores the send key and the update mode in the settings", async () => {
    await view.getByRole("checkbox", { name: "Send with a modifier key" }).click();
    await shows(view, () => setting(box, "symposium.requireModifierToSend") === true, "the modifier");
    for (const [label, mode] of [
      ["Off", "off"],
      ["Automatic", "auto"],
    ] as const) {
      await view.getByRole("radio", { name: label }).click();
      await shows(view, () => setting(box, "symposium.updates") === mode, mode);
      await shows(view, () => view.getByRole("radio", { name: label }).isChecked(), label);
    }
  });

  test("restores unfolded sections and the scroll position", async () => {
    await view.locator(".links").scrollIntoViewIfNeeded();
    const before = await view.locator("body").evaluate(() => window.scrollY);
    assert.ok(before > 0);
    assert.equal(await view.getByRole("button", { name: "More: Mine" }).getAttribute("aria-expanded"), "true");
    await box.command("View: Toggle Primary Side Bar Visibility");
    await view.locator(".row").first().waitFor({ state: "detached" });
    await box.command("View: Toggle Primary Side Bar Visibility");
    view = await box.open();
    await view.getByRole("button", { name: "More: Mine", expanded: true }).waitFor();
    await shows(
      view,
      async () => Math.abs((await view.locator("body").evaluate(() => window.scrollY)) - before) < 40,
      "where it was scrolled to",
    );
  });
});
