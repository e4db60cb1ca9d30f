/** The scripted agent in a box, and shared steps of the chat's tests. */
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { AgentConfig } from "../../protocol/agents/agents";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import type { FrameLocator, Locator } from "playwright-core";
import {
  documents,
  lastExchange,
  openBox,
  ROOT,
  sendPrompt,
  turnEnded,
  turnState,
  until,
  type Box,
  type BoxOptions,
  type ChatBox,
} from "./harness";

export const AGENT_ID = "scripted";

/** A configured agent that is a program of the tests, by default the scripted agent. */
export function testAgent(
  id: string,
  name: string,
  flags: readonly string[] = [],
  program = "scripted-agent",
): AgentConfig {
  const file = path.join(ROOT, `out/programs/${program}.program.mjs`);
  return { id, name, distribution: { local: { command: process.execPath, args: [file, ...flags] } } };
}

/** Settings with the scripted agent as the agent for new tabs, without extensions. `overrides`: additional settings. */
export function scripted(
  flags: readonly string[] = [],
  overrides: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    "symposium.agents": [testAgent(AGENT_ID, "Scripted", flags)],
    "symposium.currentAgentId": AGENT_ID,
    "symposium.extensions": [],
    "symposium.updates": "off", // uses the network
    ...overrides,
  };
}

export function openScripted(options: BoxOptions = {}): Promise<Box> {
  return openBox({ ...options, settings: { ...scripted(), ...options.settings } });
}

/** Opens a window with these settings, and shows the chat view. */
export async function openChatBox(settings: BoxOptions["settings"] & object): Promise<Box> {
  const box = await openScripted({ settings });
  await box.open();
  return box;
}

/** The selected tab. */
export const shownTab = (box: ChatBox): Locator => box.frame.locator("[data-part=chat]:visible");

/** Sends a prompt, and returns the answer when the turn has ended. */
export async function ask(box: ChatBox, script: string): Promise<string> {
  await sendPrompt(box.frame, script);
  await turnEnded(box.frame);
  return (await lastExchange(box.frame)).answer;
}

/** Waits until `condition` holds for the visible content. Checks it whenever a window changes. */
export const seen = (condition: () => Promise<boolean>, what: string, timeout = 60_000): Promise<void> =>
  until(documents(), condition, timeout, `this was not seen: ${what}`);

/** Waits until `look` returns the expected value. On timeout, reports the last value. */
export async function becomes<T>(look: () => Promise<T>, expected: T, what: string): Promise<void> {
  let last: T | undefined;
  try {
    await seen(async () => isDeepStrictEqual((last = await look()), expected), what);
  } catch (error) {
    assert.deepEqual(last, expected);
    throw error;
  }
}

/**
 * Blocks the scripted agent at `step`, a step of its script, until it is opened. The turn lasts until then on any
 * machine.
 */
export function barrier(): { readonly step: string; open(): void } {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "gate_")), "open");
  return { step: `await ${file}`, open: () => writeFileSync(file, "") };
}

/** Sets the width of the chat view. */
export async function setWidth(box: ChatBox, width: number): Promise<void> {
  await box.page.locator("iframe.webview").evaluate((frame, width) => {
    if (frame instanceof HTMLElement) frame.style.width = `${width}px`;
  }, width);
}

/** Opens the panel of the dock, if it has something to show and is closed. */
export async function openPanel(box: ChatBox, part: "bypass" | "queue" | "plan" | "usage" | "review"): Promise<void> {
  const closed = shownTab(box).locator(`[data-part=dock-${part}][aria-expanded=false]:visible`);
  if ((await closed.count()) > 0) await closed.click();
}

/** Chooses a value of a picker, which may be in the menu of those that do not fit. */
export async function pick(box: ChatBox, picker: Locator, value: string | { readonly label: string }): Promise<void> {
  const isInMenu = !(await picker.isVisible());
  if (isInMenu) await shownTab(box).locator("[data-part=more-pickers]").click();
  await picker.selectOption(value);
  if (isInMenu) await box.page.keyboard.press("Escape");
}

/** The visible text of the selected tab. */
export const shownText = (frame: FrameLocator): Promise<string> =>
  frame.locator("[data-part=chat]:visible [data-part=conversation]").first().innerText();

export const showsText = (frame: FrameLocator, text: string | RegExp): Promise<void> =>
  seen(
    async () =>
      typeof text === "string" ? (await shownText(frame)).includes(text) : text.test(await shownText(frame)),
    String(text),
  );

/** Waits for `text` in the answer to the last prompt, because earlier answers of the tab may contain it. */
export const answerShows = (frame: FrameLocator, text: RegExp): Promise<void> =>
  seen(async () => text.test((await lastExchange(frame)).answer), `${String(text)} in the answer`);

/** The numbered words (`w1 w2 …`) on screen, in order. */
export async function numberedWords(frame: FrameLocator): Promise<readonly number[]> {
  return [...(await shownText(frame)).matchAll(/\bw(\d+)\b/g)].map(([, n]) => Number(n));
}

export const isCounting = (words: readonly number[]): boolean => words.every((n, i) => n === i + 1);

/** Hides or shows the secondary side bar, which contains the chat, as a user does. */
export async function toggleChat(box: ChatBox): Promise<void> {
  await box.command("View: Toggle Secondary Side Bar Visibility");
}

/** Hides the visible chat with the secondary side bar. Waits until the extension host is notified. */
export async function hideChat(box: ChatBox): Promise<void> {
  const onNotification = (): number => [...box.readLog().matchAll(/Webview hidden/g)].length,
    before = onNotification();
  await toggleChat(box);
  await box.page.locator("iframe.webview.ready").first().waitFor({ state: "hidden" });
  await seen(() => Promise.resolve(onNotification() > before), "that the extension host knows that the chat is hidden");
}

/** Makes VS Code recreate the chat's page, and waits until it shows the current state. */
export async function reloadWebviews(box: ChatBox): Promise<void> {
  await box.frame.locator("body").evaluate(body => {
    body.dataset["old"] = "true";
  });
  await box.command("Developer: Reload Webviews");
  await seen(
    async () =>
      (await box.frame
        .locator("body[data-ready]:not([data-old])")
        .count()
        .catch(() => 0)) === 1,
    "the chat, built anew",
  );
}

/** Reloads the window as a user does, and waits until the chat shows the current state. */
export async function reloadWindow(box: ChatBox): Promise<void> {
  await Promise.all([
    box.page.waitForEvent("load", { timeout: timeLimit(90_000) }),
    box.command("Developer: Reload Window"),
  ]);
  await box.open();
  await seen(
    async () =>
      (await box.frame
        .locator("body[data-ready]")
        .count()
        .catch(() => 0)) === 1,
    "the chat, in a window that was loaded again",
  );
}

/** Cancels the selected tab's turn, if one runs, and waits for its end. */
export async function stopTurn(frame: FrameLocator): Promise<void> {
  const button = frame.locator("[data-part=stop]:visible");
  await seen(async () => {
    if ((await turnState(frame)) === "idle") return true;
    // the turn may have ended in the meantime
    if ((await button.count()) > 0) await button.click({ timeout: 5_000 }).catch(() => undefined);
    return false;
  }, "the end of the turn");
}

/**
 * The notification with this text. VS Code hides it after some seconds unless the mouse is over it, so the mouse is
 * moved there.
 */
export async function notification(box: ChatBox, text: string): Promise<Locator> {
  const toast = box.page.locator(".notification-toast", { hasText: text });
  await toast.hover();
  return toast;
}

export const button = (frame: FrameLocator, label: string | RegExp) =>
  frame.locator("[data-part=chat]:visible button:enabled", { hasText: label });

/** Processes of this box whose command line contains `text`. */
export const processesOf = (box: ChatBox, text: string): readonly number[] =>
  box
    .processes()
    .filter(({ command }) => command.includes(text))
    .map(({ pid }) => pid);

/** Opens a tab and waits until only it is shown. */
export async function newTab(box: ChatBox): Promise<void> {
  const before = await box.frame.locator("body").getAttribute("data-tab");
  await box.command("Symposium: New Tab");
  await seen(async () => {
    const tab = await box.frame.locator("body").getAttribute("data-tab");
    return tab !== null && tab !== before && (await box.frame.locator("[data-part=prompt]:visible").count()) === 1;
  }, "a new tab");
}

/** Types into the selected tab's input, key by key, a new line with Shift+Enter. */
export async function typeDraft(frame: FrameLocator, text: string): Promise<void> {
  const input = frame.locator("[data-part=prompt]:visible");
  for (const [i, line] of text.split("\n").entries()) {
    if (i > 0) await input.press("Shift+Enter");
    await input.pressSequentially(line);
  }
}

/** Selects a color theme, and waits until the page shows it. */
export async function wear(box: ChatBox, theme: string, kind: string, frame = box.frame): Promise<void> {
  await box.selectTheme(theme);
  // Two themes may be of one kind.
  await seen(
    async () => (await frame.locator(`body.${kind}[data-vscode-theme-name="${theme}"]`).count()) === 1,
    `the theme ${theme}`,
  );
}

/** Waits for VS Code's modal dialog with this question, and presses one of its buttons. */
export async function answerDialog(box: ChatBox, question: RegExp, choice: string): Promise<void> {
  const dialog = box.page.locator(".monaco-dialog-box");
  await dialog.getByText(question).first().waitFor();
  await dialog.getByRole("button", { name: choice, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}
