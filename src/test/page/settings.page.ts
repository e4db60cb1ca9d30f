/**
 * The settings page in VS Code: its lists, dialogs, editors, links and stored settings. Other tests run in plain
 * Chromium (`src/test/webview/settings*.webview.ts`).
 */
import assert from "node:assert/strict";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { openBox, type Box } from "./harness";
import { local } from "./fake-npm-machine";
import { THEMES } from "./contrast";
import { answerDialog, wear } from "./scripted";
import {
  isFine,
  LocalRegistry,
  names,
  openSettings,
  press,
  rowOf,
  setting,
  settingsFrame,
  shows,
} from "./settings-box";

const AGENTS = "symposium.agents";
const EXTENSIONS = "symposium.extensions";
const EXTENSION = {
  id: "first",
  name: "First",
  _source: "custom",
  distribution: { local: { command: "/srv/first", args: ["--stdio"] } },
};
type Entry = Readonly<Record<string, unknown>>;

suite("settings page in VS Code", () => {
  let box: Box, registry: LocalRegistry, view: FrameLocator;
  suiteSetup(async () => {
    registry = await LocalRegistry.start();
    box = await openBox({
      settings: {
        "symposium.registryUrl": registry.url,
        "symposium.updates": "notify",
        [AGENTS]: [
          local("mine", "Mine"),
          { id: "broken", name: "Broken", distribution: { local: { command: path.resolve("/nowhere") } } },
        ],
        "symposium.currentAgentId": "mine",
      },
    });
    view = await openSettings(box, "view");
  });
  suiteTeardown(async () => {
    await box.close();
    await registry[Symbol.asyncDispose]();
  });

  const listed = (name: typeof AGENTS | typeof EXTENSIONS): readonly Entry[] =>
    (setting(box, name) ?? []) as readonly Entry[];
  const entry = (id: string): Entry | undefined => listed(AGENTS).find(each => each["id"] === id);
  const keys = (...all: readonly string[]): Promise<void> =>
    all.reduce<Promise<void>>((before, key) => before.then(() => box.page.keyboard.press(key)), Promise.resolve());

  test("adds an agent of the registry and focuses its row", async () => {
    await press(view, "From the Registry…");
    await box.page
      .locator(".quick-input-widget:visible .monaco-list-row", { hasText: "Counts what can be counted" })
      .click();
    await shows(
      view,
      () => view.locator("#agent-ada").evaluate(row => row === document.activeElement),
      "the focus on Ada's row",
    );
    await shows(view, () => entry("ada")?.["_source"] === "registry", "it in the settings");
    await rowOf(view, "Ada").locator(".ink").waitFor();
  });

  test("confirms, stores, warns about and reverts the permission bypass", async () => {
    await press(view, "More: Mine");
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

  test("adds an extension by hand, and by URL with a header, validated while typing", async () => {
    await press(view, "Add Extension…");
    const widget = box.page.locator(".quick-input-widget:visible"),
      input = widget.locator("input.input");
    await widget.locator(".monaco-list-row", { hasText: /executable/i }).click();
    await widget.locator(".monaco-list-row", { hasText: /^\s*MCP server/ }).click();
    for (const question of [1, 2, 3]) {
      await widget.locator(".quick-input-title", { hasText: `(${question} of 3)` }).waitFor();
      if (question === 1) await input.fill(process.execPath);
      await input.press("Enter");
    }
    await shows(view, () => listed(EXTENSIONS).at(-1)?.["kind"] === "mcp", "it in the settings");
    await shows(
      view,
      () =>
        view
          .locator(".row[data-of=extension]")
          .last()
          .evaluate(row => row === document.activeElement),
      "the focus on its row",
    );

    await press(view, "Add Extension…");
    const asks = (start: string) =>
      shows(
        view,
        async () => (await input.getAttribute("placeholder"))?.startsWith(start) ?? false,
        `the question for ${start}`,
      );
    await widget.locator(".monaco-list-row", { hasText: "URL of an MCP server" }).click();
    await asks("https://example.com/mcp");
    await input.fill("example.com/mcp");
    await widget.getByText("Enter a URL that starts with").first().waitFor();
    await input.fill("https://mcp.example.com/v1");
    await keys("Enter");
    await asks("Authorization");
    await input.fill("X-Key: abc");
    await keys("Enter");
    await shows(view, async () => (await input.inputValue()) === "mcp.example.com", "the question for its name");
    await keys("Enter");
    await shows(view, () => listed(EXTENSIONS).at(-1)?.["id"] === "mcp-example-com", "it in the settings");
    const { kind, distribution } = listed(EXTENSIONS).at(-1) ?? {};
    assert.deepEqual(
      [kind, distribution],
      ["mcp", { http: { url: "https://mcp.example.com/v1", headers: { "X-Key": "abc" } } }],
    );
    await rowOf(view, "mcp.example.com").getByText("Your own, MCP server, at mcp.example.com/v1").first().waitFor();
  });

  test("opens as an editor and synchronizes with the view", async () => {
    await press(view, "Open as Page");
    const page = await settingsFrame(box, "page");
    assert.equal(await page.getByRole("button", { name: "Open as Page" }).count(), 0);
    await page.getByRole("radio", { name: "Off" }).click();
    await shows(view, () => view.getByRole("radio", { name: "Off" }).isChecked(), "the same in the view");
    for (const { theme, kind, name } of [THEMES[1], THEMES[0]]) {
      await wear(box, theme, kind, page);
      await box.screenshot(`settings-page-${name}`);
      await isFine(page, "editor-background");
    }
    await box.command("View: Close All Editors");
  });

  test("opens the targets of its links, copies a report, and opens the settings file for a repair", async () => {
    await press(view, "All Settings");
    await box.page.locator(".settings-editor").waitFor();
    await box.command("View: Close All Editors");
    await press(view, "Show Logs");
    await box.page.locator(".panel .pane-body, .panel .output-view").first().waitFor();
    await box.command("View: Hide Panel");
    await box.page.setViewportSize({ width: 1700, height: 900 }); // room for the pictures
    await press(view, "Walkthrough");
    await box.page.locator(".getting-started-step", { hasText: "Manage agents and settings" }).click();
    await box.page
      .frameLocator(".getting-started-media iframe")
      .frameLocator("#active-frame")
      .locator("svg, img")
      .first()
      .waitFor();
    await box.screenshot("settings-walkthrough");

    await press(view, "More: Broken");
    // The visible list of sessions has also started it, so its error offers the same button.
    await rowOf(view, "Broken").getByRole("button", { name: "Check: Broken", exact: true }).last().click();
    const finding = rowOf(view, "Broken").locator(".finding[data-tone=error]");
    await finding.waitFor();
    await finding.getByRole("button", { name: /^Copy Report/ }).click();
    await shows(
      view,
      async () => /Broken|broken/.test(await box.page.evaluate(() => navigator.clipboard.readText())),
      "the report in the clipboard",
    );
    await finding.getByRole("button").first().click(); // the remedy
    await box.page.locator(".tab", { hasText: "settings.json" }).waitFor();
    await box.command("View: Close All Editors");
  });
});

suite("settings in an untrusted workspace", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openBox({
      restricted: true,
      settings: {
        [AGENTS]: [{ ...local("mine", "Mine"), bypassPermissions: true }],
        "symposium.currentAgentId": "mine",
        [EXTENSIONS]: [EXTENSION],
      },
    });
  });
  suiteTeardown(() => box.close());

  test("shows the configuration and the reason for restrictions", async () => {
    const view = await openSettings(box, "view");
    await view.locator(".note", { hasText: "trust" }).waitFor();
    await box.screenshot("settings-restricted");
    await shows(view, async () => (await names(view, "extension")).join() === "First", "the extensions");
    for (const name of ["Add Agent…", "From the Registry…", "Check for Updates", "Add Extension…"])
      assert.equal(await view.getByRole("button", { name }).isDisabled(), true, name);
    assert.equal(await view.getByRole("checkbox", { name: /^Allow everything.*Mine$/ }).isDisabled(), true);
    await isFine(view, "sideBar-background");
    await press(view, "Manage Workspace Trust");
    await box.page.locator(".workspace-trust-editor").waitFor();
    assert.ok(await settingsFrame(box, "view"));
  });
});
