/**
 * Tools through the own configuration of an agent that ignores the MCP servers of its sessions, in a real VS Code
 * (issue 14 item 5).
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { violations } from "./axe";
import type { Box } from "./harness";
import { THEMES } from "./contrast";
import {
  AGENT_ID,
  answerDialog,
  ask,
  becomes,
  newTab,
  openChatBox,
  scripted,
  shownTab,
  showsText,
  testAgent,
  wear,
} from "./scripted";
import { openSettings, press, rowOf, shows } from "./settings-box";

const BEFORE = '{\n\t"theme":   "dark"\n}\n';
const WORKSPACE = {
  id: "workspace",
  name: "Workspace",
  _enabled: true,
  _source: "built-in",
  distribution: { symposium: { subcommand: "proxy", args: ["workspace"] } },
};

suite("own configuration of an agent", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "configuration_")),
    file = path.join(folder, "settings.json");
  let box: Box;
  suiteSetup(async () => {
    writeFileSync(file, BEFORE);
    const agent = {
      ...testAgent(AGENT_ID, "Scripted", ["--ignore-mcp", "--own-configuration", file]),
      ownConfiguration: { file, format: "mcpServers" },
    };
    box = await openChatBox(scripted([], { "symposium.agents": [agent], "symposium.extensions": [WORKSPACE] }));
  });
  suiteTeardown(() => box.close());

  /** The colours of the previous theme may be painted for a moment. */
  const isReadable = (theme: string): Promise<void> =>
    becomes(async () => (await violations(box.frame)).join("\n"), "", `no violation in ${theme}`);

  test("is offered when no transport works, edited with consent, effective in a new tab, and restored", async () => {
    await ask(box, "say hello");
    await newTab(box);
    await ask(box, "say hello");
    await showsText(box.frame, "An entry in its own configuration can provide them");
    for (const { theme, kind, name } of THEMES) {
      await wear(box, theme, kind);
      await box.screenshot(`own-configuration-notice-${name}`);
      await isReadable(theme);
    }
    await shownTab(box).getByRole("button", { name: "Add to Agent's Configuration…" }).click();
    const dialog = box.page.locator(".monaco-dialog-box");
    await dialog.getByText("Add Symposium to the configuration of Scripted?").first().waitFor();
    const asked = await dialog.innerText();
    for (const part of [file, '"symposium"', "--attach", "Remove from Configuration"])
      assert.ok(asked.includes(part), asked);
    await box.screenshot("own-configuration-question");
    assert.equal(readFileSync(file, "utf8"), BEFORE);
    await answerDialog(box, /^Add Symposium to the configuration of Scripted\?/, "Add to Configuration");
    await box.page.locator(".notification-toast").getByText("Open a new tab to use the tools").first().waitFor();

    await newTab(box);
    assert.match(await ask(box, "tools symposium"), /read_file/);
    assert.equal(await shownTab(box).getByText("did not request the tools").count(), 0);
    await shownTab(box).getByRole("button", { name: "Details of this session", exact: true }).click();
    await shownTab(box)
      .getByRole("group", { name: "Details of this session" })
      .locator("ol > li", { hasText: "Workspace" })
      .getByText(/Tools: 6 offered/)
      .waitFor();
    for (const { theme, kind, name } of THEMES) {
      await wear(box, theme, kind);
      await box.screenshot(`own-configuration-details-${name}`);
      await isReadable(theme);
    }

    const settings = await openSettings(box, "page"),
      row = rowOf(settings, "Scripted");
    await row.getByText(`Symposium has an entry in ${file}.`).waitFor();
    await box.screenshot("own-configuration-row");
    await press(settings, /^Remove from Configuration…/);
    await answerDialog(box, /^Remove Symposium from the configuration of Scripted\?/, "Remove from Configuration");
    await shows(
      settings,
      async () => (await row.getByText("Symposium has an entry").count()) === 0,
      "the row without the entry",
    );
    assert.deepEqual([readFileSync(file, "utf8"), readdirSync(folder)], [BEFORE, ["settings.json"]]);
  });
});
