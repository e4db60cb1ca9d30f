/**
 * The pictures of the README. `UPDATE_PICTURES=1 npm test -- --only webview --grep pictures` renews them in `media`;
 * otherwise they are only taken, into out/screenshots.
 */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";
import { ROOT, sendPrompt, type ChatBox } from "../page/harness";
import { InstallingMachine } from "../page/fake-npm-machine";
import { AGENT_ID, button, newTab, scripted, shownTab, testAgent, wear } from "../page/scripted";
import { press } from "../page/settings-box";
import { openScripted } from "./fixture";
import { openSettingsPage } from "./settings-fixture";
import { TURN } from "./turn-script";

const SIZE = { width: 400, height: 760 },
  SETTINGS_SIZE = { width: 700, height: 1_216 };
/** The README loads all of them. */
const MAX_BYTES = 110_000;

suite("pictures", () => {
  const machine = new InstallingMachine();
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted({
      env: { ...machine.env, HOME: machine.folder },
      settings: scripted([], {
        "symposium.agents": [testAgent(AGENT_ID, "My Agent")],
        "symposium.extensions": null,
        "symposium.updates": "notify",
      }),
      activeFile: () => ({ path: "src/count.mjs", problems: 2 }),
    });
    await box.open();
    await wear(box, "Dark 2026", "vscode-dark");
    await box.page.emulateMedia({ reducedMotion: "reduce" });
    await resize(box, SIZE);
  });
  suiteTeardown(async () => {
    await box.close();
    machine[Symbol.dispose]();
  });

  async function resize({ page }: ChatBox, size: { readonly width: number; readonly height: number }): Promise<void> {
    await page.locator("iframe.webview").evaluate((frame, { width, height }) => {
      if (frame instanceof HTMLElement) Object.assign(frame.style, { width: `${width}px`, height: `${height}px` });
    }, size);
  }

  async function take(name: string, { page } = box): Promise<void> {
    const media = path.join(ROOT, "media", `${name}.png`),
      isUpdate = process.env["UPDATE_PICTURES"] === "1";
    await page
      .locator("iframe.webview")
      .screenshot({ path: isUpdate ? media : path.join(ROOT, "out/screenshots", `picture-${name}.png`) });
    assert.ok(statSync(media).size <= MAX_BYTES, `media/${name}.png is too large`);
  }

  test("show the agents of an empty chat", async () => {
    await shownTab(box).getByRole("list", { name: "Agents" }).getByText("install (npm, 100 MB)").waitFor();
    await take("first-screen");
  });

  test("show a turn with a diff and a question", async () => {
    await newTab(box);
    await sendPrompt(box.frame, TURN);
    await button(box.frame, /Allow once/i).waitFor();
    // The picture begins after the prompt, which is the script of the agent.
    const list = box.frame.locator("[data-part=conversation]:visible"),
      scrollToEnd = () =>
        list.evaluate(async element => {
          element.scrollTop = element.scrollHeight;
          await new Promise(requestAnimationFrame);
        });
    await scrollToEnd();
    const above = await list.evaluate(
      element =>
        (element.querySelector("[data-kind=thought]")?.getBoundingClientRect().top ?? 0) -
        element.getBoundingClientRect().top,
    );
    assert.ok(above > 0);
    await resize(box, { ...SIZE, height: SIZE.height - Math.floor(above) + 8 });
    await scrollToEnd();
    await take("chat");
  });

  test("show agents and extensions in the settings", async () => {
    const settings = await openSettingsPage({
      env: machine.env,
      settings: { "symposium.agents": null, "symposium.extensions": null, "symposium.updates": "notify" },
    });
    try {
      await settings.page.setViewportSize(SETTINGS_SIZE);
      const view = await settings.open();
      await wear(settings, "Dark 2026", "vscode-dark");
      await resize(settings, SETTINGS_SIZE);
      // In VS Code, the page is transparent above the editor.
      await view.locator("html").evaluate(html => {
        Object.assign(html.style, { background: "var(--vscode-editor-background)", scrollbarWidth: "none" });
      });
      await view.getByText("not installed").first().waitFor();
      await press(view, "Settings: Cargo");
      await settings.page.mouse.move(0, 0);
      await take("settings", settings);
    } finally {
      await settings.close();
    }
  });
});
