/** Custom agent extensions and the settings page, in a real VS Code. Their tabs are in `extensions.webview.ts`. */
import assert from "node:assert/strict";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { ROOT, type Box } from "./harness";
import { ask, newTab, openChatBox, processesOf, seen, shownTab, showsText } from "./scripted";
import { closeEditors, openSettings, rowOf, setting, shows } from "./settings-box";

const own = (id: string, name: string, isEnabled: boolean, command: string, ...args: readonly string[]): object => ({
  id,
  name,
  _enabled: isEnabled,
  _source: "custom",
  distribution: { local: { command, args } },
});
const program = (name: string): string => path.join(ROOT, "out/programs", `${name}.program.mjs`);
const OUTDATED = "This tab still uses its old settings.";

suite("agent extension in the settings", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openChatBox({
      "symposium.extensions": [
        own("house-rules", "House rules", true, process.execPath, program("house-rules-proxy"), "Be brief."),
        own("pass", "Pass", true, process.execPath, program("pass-proxy")),
        own("broken", "Broken", false, "/nowhere/extension"),
      ],
    });
  });
  suiteTeardown(() => box.close());

  const chat = () => shownTab(box);
  const banner = () => chat().getByText(OUTDATED);
  /** Opens the settings as an editor, so that the chat stays visible. */
  async function inSettings(act: (page: FrameLocator) => Promise<void>): Promise<void> {
    await act(await openSettings(box, "page"));
    await closeEditors(box);
  }
  const enable = (name: string, isOn: boolean): Promise<void> =>
    inSettings(async page => {
      await rowOf(page, name)
        .getByRole("checkbox", { name: `Enable ${name}`, checked: !isOn })
        .click();
      const isSo = (entry: Readonly<Record<string, unknown>>): boolean =>
        entry["name"] !== name || entry["_enabled"] === isOn;
      await shows(
        page,
        () => (setting(box, "symposium.extensions") as readonly Readonly<Record<string, unknown>>[]).every(isSo),
        "it in the settings",
      );
    });

  test("applies a change in the settings to new tabs, and shows why one cannot start", async () => {
    assert.match(await ask(box, "hello"), /You said: Be brief\.\s*hello/);
    assert.deepEqual([processesOf(box, "house-rules-proxy").length, processesOf(box, "pass-proxy").length], [1, 1]);
    await enable("House rules", false);
    await enable("Broken", true);
    await seen(async () => (await banner().count()) > 0, "the banner in the tab with the old extensions");
    assert.match(await ask(box, "again"), /Be brief\./);
    await newTab(box);
    assert.equal(await banner().count(), 0);
    const answer = await ask(box, "hello");
    assert.match(answer, /You said: hello/);
    assert.doesNotMatch(answer, /brief/);
    await showsText(box.frame, "The agent extension “Broken” could not be started");
    await inSettings(page => rowOf(page, "Broken").locator(".finding", { hasText: "could not be started" }).waitFor());
  });
});
