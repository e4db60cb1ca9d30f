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
import { openScripted } from "./fixture";
import { TURN } from "./turn-script";

const SIZE = { width: 400, height: 760 };
/** The README loads all of them. */
const MAX_BYTES = 80_000;

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
    await box.page.locator("iframe.webview").evaluate((frame, { width, height }) => {
      if (frame instanceof HTMLElement) Object.assign(frame.style, { width: `${width}px`, height: `${height}px` });
    }, SIZE);
  });
  suiteTeardown(async () => {
    await box.close();
    machine[Symbol.dispose]();
  });

  async function take(name: string): Promise<void> {
    const media = path.join(ROOT, "media", `${name}.png`),
      isUpdate = process.env["UPDATE_PICTURES"] === "1";
    await box.page
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
    await box.frame.locator("[data-part=conversation]:visible").evaluate(async list => {
      list.scrollTop = list.scrollHeight;
      await new Promise(requestAnimationFrame);
    });
    await take("chat");
  });
});
