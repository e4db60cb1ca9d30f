// `npm start -- --smoke`: the shortest end-to-end test. Opens the chat view of a real VS Code, sends prompts, and
// prints the page's text.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./project.mjs";
import {
  allowOnce,
  lastExchange,
  lastNotice,
  openChat,
  rejectOnce,
  sendPrompt,
  stopAt,
  turnEnded,
} from "./vscode-box/chat.mjs";
import { installBox } from "./vscode-box/install.mjs";
import { startServer } from "./vscode-box/server.mjs";
import { launchBrowser, openWorkbench } from "./vscode-box/workbench.mjs";

/** Cancels the first prompt when its answer contains the text `stop`. Resolves to the exit code. */
export async function smoke({ prompts, settings, screenshot, seconds, workspace, permission = "allow", stop }) {
  await installBox();
  const home = mkdtempSync(path.join(tmpdir(), "symposium-"));
  process.on("exit", () => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  // The user's own HOME, in which agents keep their credentials.
  const server = await startServer({ home, ownHome: false, settings, env: { TMPDIR: path.join(home, "t") } });
  const browser = await launchBrowser();
  let page;
  let code = 0;
  try {
    page = await openWorkbench(browser, server, { folder: workspace, extensions: [root] });
    const frame = await openChat(page);
    for (const [i, prompt] of (prompts.length > 0
      ? prompts
      : ["Hello, I am a little worried about computers."]
    ).entries()) {
      await sendPrompt(frame, prompt);
      const isStopped = stop !== undefined && i === 0;
      if (isStopped) await stopAt(frame, stop, seconds * 1000);
      await turnEnded(frame, {
        timeout: seconds * 1000,
        answer: permission === "reject" ? rejectOnce : allowOnce,
        permission: label => console.log(`Permission: pressed “${label}”`),
      });
      const { question, answer } = await lastExchange(frame);
      if (answer === "") throw new Error(`"${prompt}" received no answer.`);
      console.log(`Question: ${question}\nAnswer: ${answer}\n`);
      const notice = await lastNotice(frame);
      if (notice !== undefined && !isStopped)
        throw new Error(`The answer to "${prompt}" is incomplete: ${notice.split("\n")[0]}`);
    }
  } catch (error) {
    code = 1;
    console.error(`The smoke test failed: ${error.message}`);
    if (page !== undefined) await printNotifications(page);
  }
  if (page !== undefined) {
    mkdirSync(path.dirname(screenshot), { recursive: true });
    await page.screenshot({ path: screenshot }).then(
      () => console.log(`Screenshot: ${screenshot}`),
      error => console.error(`No screenshot: ${error.message}`),
    );
    await page.goto("about:blank").catch(() => {});
  }
  await browser.close();
  await server.stop();
  return code;
}

/** Prints VS Code's own notifications. */
async function printNotifications(page) {
  const texts = await page
    .locator(".notification-list-item-message")
    .allInnerTexts()
    .catch(() => []);
  for (const text of texts) console.error(`VS Code shows: ${text}`);
}
