/** The scripted agent in a box, and what the tests of the chat do with it again and again. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { documents, openBox, ROOT, until, type Box, type BoxOptions } from "./harness";

export const AGENT_ID = "scripted";

/** Settings with the scripted agent as the agent of new tabs, without extensions, and more besides. */
export function scripted(flags: readonly string[] = [], more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    "symposium.agents": [{ id: AGENT_ID, name: "Scripted", distribution: { local: { command: process.execPath, args: [path.join(ROOT, "out/programs/scripted-agent.program.mjs"), ...flags] } } }],
    "symposium.currentAgentId": AGENT_ID, "symposium.extensions": [], ...more,
  };
}

export function openScripted(options: BoxOptions = {}): Promise<Box> {
  return openBox({ ...options, settings: { ...scripted(), ...options.settings } });
}

/** Waits until `condition` is true of what a user sees: it is looked at whenever something in a window changes. */
export const seen = (condition: () => Promise<boolean>, what: string, timeout = 30_000): Promise<void> => until(documents(), condition, timeout, `this was not seen: ${what}`);

/** Everything that the selected tab shows, as text. */
export const shownText = (frame: FrameLocator): Promise<string> => frame.locator(".mynah-chat-wrapper:visible .mynah-chat-items-container").first().innerText();

export const showsText = (frame: FrameLocator, text: string | RegExp): Promise<void> =>
  seen(async () => typeof text === "string" ? (await shownText(frame)).includes(text) : text.test(await shownText(frame)), String(text));

/** The numbered words (`w1 w2 …`) on screen, in order. */
export async function numberedWords(frame: FrameLocator): Promise<readonly number[]> {
  return [...(await shownText(frame)).matchAll(/\bw(\d+)\b/g)].map(([, n]) => Number(n));
}

export const isCounting = (words: readonly number[]): boolean => words.every((n, i) => n === i + 1);

/** Hides the sidebar as a user does, or shows it again. */
export async function toggleSidebar(box: Box): Promise<void> {
  await box.command("View: Toggle Primary Side Bar Visibility");
}

export const button = (frame: FrameLocator, label: string | RegExp) => frame.locator(".mynah-chat-wrapper:visible button:enabled", { hasText: label });

/** Processes of this box whose command line contains `text`. */
export const processesOf = (box: Box, text: string): readonly number[] => box.processes().filter(({ command }) => command.includes(text)).map(({ pid }) => pid);

/** The user's settings, and those of this machine: in a browser VS Code keeps what is of a machine apart. */
export const readSettings = (box: Box): readonly unknown[] => [box.server.settingsFile, path.join(box.server.userData, "Machine", "settings.json")]
  .filter(file => existsSync(file)).map((file): unknown => JSON.parse(readFileSync(file, "utf8")));

/** Opens a tab and waits until it, and nothing else, is shown. */
export async function newTab(box: Box): Promise<void> {
  const before = await box.frame.locator("body").getAttribute("data-tab");
  await box.command("Symposium: New Tab");
  await seen(async () => {
    const tab = await box.frame.locator("body").getAttribute("data-tab");
    return tab !== null && tab !== before && await box.frame.locator(".mynah-chat-prompt-input:visible").count() === 1;
  }, "a new tab");
}

/** Types into the selected tab's input, key by key, a new line with Shift+Enter. */
export async function typeDraft(frame: FrameLocator, text: string): Promise<void> {
  const input = frame.locator(".mynah-chat-prompt-input:visible");
  for (const [i, line] of text.split("\n").entries()) {
    if (i > 0) await input.press("Shift+Enter");
    await input.pressSequentially(line);
  }
}

/** A screenshot in the dark and in the light theme. */
export async function look(box: Box, name: string): Promise<void> {
  await wear(box, "Dark Modern", "vscode-dark");
  await box.screenshot(`${name}-dark`);
  await wear(box, "Light Modern", "vscode-light");
  await box.screenshot(`${name}-light`);
}

/** Puts on a color theme, as a user does: the settings file would not do, because VS Code in a browser does not watch it. */
export async function wear(box: Box, theme: string, kind: string, frame = box.frame): Promise<void> {
  await box.command("Preferences: Color Theme");
  const pick = box.page.locator(".quick-input-widget:visible");
  await pick.locator("input.input").fill(theme);
  await pick.locator(".monaco-list-row.focused", { hasText: theme }).waitFor();
  await box.page.keyboard.press("Enter");
  await seen(async () => await frame.locator(`body.${kind}`).count() === 1, `the theme ${theme}`);
}
