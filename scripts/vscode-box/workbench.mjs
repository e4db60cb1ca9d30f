// VS Code's workbench in a headless Chromium: opens it on a folder with extensions under development, runs commands,
// finds webviews.
import { chromium } from "playwright-core";
import { timeLimit } from "../time-limits.mjs";
import { findBrowser } from "./install.mjs";

export function launchBrowser() {
  return chromium.launch({
    executablePath: findBrowser(),
    headless: true,
    // Disables the sandbox only if Chromium cannot have one. The other switches prevent connections to other servers.
    args: [
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-dev-shm-usage",
    ],
  });
}

/**
 * Opens a page of the workbench in a new browser context, unless one is given. `folder` or `workspace` (a
 * .code-workspace file) and `extensions` (folders of extensions under development) are absolute paths on this machine.
 */
export async function openWorkbench(
  browser,
  server,
  { folder, workspace, extensions = [], tests, payload = [], context, onPage } = {},
) {
  const own =
    context ??
    (await browser.newContext({
      viewport: { width: 1280, height: 900 },
      permissions: ["clipboard-read", "clipboard-write"],
      // drawing an animation in software takes a third of a core
      reducedMotion: "reduce",
      // otherwise the server compresses the same megabytes for each window
      extraHTTPHeaders: { "accept-encoding": "identity" },
    }));
  boundActions(own);
  const page = await own.newPage();
  bound(page.keyboard);
  if (extensions.length > 0 || tests !== undefined) {
    const uri = path => ({ $mid: 1, scheme: "vscode-remote", authority: server.authority, path });
    // The workbench reads its development options once, from an attribute of its page. The script patches the reader
    // instead of the server's response, because requests that Playwright intercepts cannot open WebSockets.
    await page.addInitScript(
      development => {
        if (window !== window.top) return;
        const getAttribute = Element.prototype.getAttribute;
        Element.prototype.getAttribute = function (name) {
          const value = getAttribute.call(this, name);
          if (name !== "data-settings" || this.id !== "vscode-workbench-web-configuration") return value;
          const configuration = JSON.parse(value);
          return JSON.stringify({
            ...configuration,
            developmentOptions: { ...configuration.developmentOptions, ...development },
          });
        };
      },
      { extensions: extensions.map(uri), ...(tests === undefined ? {} : { extensionTestsPath: uri(tests) }) },
    );
  }
  await onPage?.(page);
  const url = new URL(`http://${server.authority}/`);
  if (workspace !== undefined) url.searchParams.set("workspace", workspace);
  else if (folder !== undefined) url.searchParams.set("folder", folder);
  else url.searchParams.set("ew", "true");
  if (payload.length > 0) url.searchParams.set("payload", JSON.stringify(payload));
  await page.goto(url.toString(), { waitUntil: "domcontentloaded" });
  await page.locator(".monaco-workbench").waitFor({ timeout: timeLimit(WAIT_MS) });
  return page;
}

/** Limit for the start of a window. */
const WAIT_MS = 60_000;
/**
 * Limit for an action or a wait of a page, such as a click. On an idle machine, all take less than a third of the
 * limit. Otherwise, a wrong locator would fail only after minutes.
 */
const ACTION_MS = 20_000;
/** Limit for a key that the page does not accept. */
const KEY_MS = 30_000;
/** Limit for each step of a palette command, after which the palette is reopened, and for the whole command. */
const STEP_MS = 10_000,
  COMMAND_MS = 90_000;
/** Limit for a click that is known to be possible. */
const CLICK_MS = 3_000;
/** Time until F1 is pressed again: a view that takes the focus at that moment loses the key. */
const PALETTE_MS = 1_000;

/** Limits the actions and waits of a context by the current load. Call it again when the load may have changed. */
export const boundActions = context => context.setDefaultTimeout(timeLimit(ACTION_MS));

/**
 * Adds a time limit to key presses, the only calls of Playwright without a limit. A page that accepts no keys would
 * otherwise appear only as a test timeout.
 */
function bound(keyboard) {
  for (const method of ["press", "type", "insertText", "down", "up"]) {
    const unbounded = keyboard[method].bind(keyboard);
    keyboard[method] = async (keys, options) => {
      let timer;
      const limit = timeLimit(KEY_MS),
        message = `The page did not accept ${method} “${keys}” within ${Math.round(limit / 1000)} s.`;
      const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(message)), limit);
      });
      try {
        return await Promise.race([unbounded(keys, options), late]);
      } finally {
        clearTimeout(timer);
      }
    };
  }
}

/** Runs a command by its exact title in the command palette. */
export async function runCommand(page, title) {
  const palette = page.locator(".quick-input-widget"),
    input = palette.locator("input.input");
  const exact = new RegExp(`^\\s*${title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\s*$`);
  // Matches are highlighted. The highlights distinguish the list for the current input from the previous list, whose
  // rows are reused.
  const row = palette
    .locator(".monaco-list-row", {
      has: page.locator(".label-name", { hasText: exact, has: page.locator(".highlight") }),
    })
    .first();
  for (const deadline = Date.now() + timeLimit(COMMAND_MS); ; ) {
    try {
      await openPalette(page, input);
      await enter(input, `>${title}`);
      await whileShown(palette, row.click({ trial: true, timeout: timeLimit(STEP_MS) }));
      await clickOnce(row);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`The command "${title}" could not be run.`, { cause: error });
      await page.keyboard.press("Escape").catch(() => {});
    }
  }
}

/** Enters the text without keys, which would go elsewhere if the palette closes at this moment. */
const enter = (input, text) =>
  input.evaluate(
    (element, value) => {
      element.value = value;
      element.dispatchEvent(new Event("input", { bubbles: true }));
    },
    text,
    { timeout: timeLimit(CLICK_MS) },
  );

/** Like `waiting`, but rejects as soon as the palette closes, for example because a view takes the focus. */
async function whileShown(palette, waiting) {
  const closed = palette.waitFor({ state: "hidden", timeout: timeLimit(STEP_MS) }).then(() => {
    throw new Error("The palette closed.");
  });
  await Promise.race([waiting, closed]).finally(() => {
    for (const rest of [waiting, closed]) rest.catch(() => {});
  });
}

/**
 * Clicks a row of the palette. The palette closes with the click, and the confirmation may be late. The page itself
 * tells whether the click arrived, because a second click would run the command twice.
 */
async function clickOnce(row) {
  const page = row.page();
  await page.evaluate(() => {
    window.symposiumClicked = false;
    const noteClick = ({ target }) => {
      window.symposiumClicked ||= target.closest(".quick-input-widget .monaco-list-row") !== null;
    };
    document.addEventListener("click", noteClick, { capture: true, once: true });
  });
  try {
    await row.click({ timeout: timeLimit(CLICK_MS) });
  } catch (error) {
    if (!(await page.evaluate(() => window.symposiumClicked))) throw error;
  }
}

async function openPalette(page, input) {
  for (const deadline = Date.now() + timeLimit(STEP_MS); ; ) {
    await page.keyboard.press("F1");
    try {
      return await input.waitFor({ timeout: timeLimit(PALETTE_MS) });
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/** The content of a webview, which VS Code nests in two frames. Pass `outer` if several exist. */
export const webviewFrame = (page, outer = "iframe.webview.ready") =>
  page.frameLocator(outer).frameLocator("#active-frame");
