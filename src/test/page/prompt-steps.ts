/** Shared steps of tests that compose prompts. */
import assert from "node:assert/strict";
import type { FrameLocator } from "playwright-core";
import { lastExchange, sending, turnEnded, type ChatBox } from "./harness";
import { becomes, seen } from "./scripted";

export const THEMES = [
  { theme: "Dark Modern", kind: "vscode-dark", name: "dark" },
  { theme: "Light Modern", kind: "vscode-light", name: "light" },
  { theme: "Dark High Contrast", kind: "vscode-high-contrast", name: "high-contrast" },
] as const;

export const input = (frame: FrameLocator) => frame.locator("[data-part=prompt]:visible");
export const chips = (frame: FrameLocator) => frame.locator(".symposium-chips:visible .symposium-chip");
export const chipNames = async (frame: FrameLocator): Promise<readonly string[]> =>
  (await chips(frame).allInnerTexts()).map(name => name.trim());

export const hasInput = (frame: FrameLocator, text: string): Promise<void> =>
  seen(
    async () =>
      (
        await input(frame)
          .innerText()
          .catch(() => undefined)
      )?.replace(/^\n$/, "") === text,
    `“${text}” in the input`,
  );

export const hasChips = (frame: FrameLocator, ...names: readonly string[]): Promise<void> =>
  seen(
    async () => JSON.stringify(await chipNames(frame).catch(() => undefined)) === JSON.stringify(names),
    `the chips ${names.join(", ")}`,
  );

/** The items of the command list or of the mention list. */
export const options = (frame: FrameLocator) => frame.locator(".symposium-commands:visible [role=option]");

/** The list is updated while the user types; Enter accepts its first item. */
export const firstIs = (frame: FrameLocator, text: RegExp): Promise<void> =>
  seen(
    async () =>
      text.test(
        await options(frame)
          .first()
          .innerText()
          .catch(() => ""),
      ),
    `${text} first in the list`,
  );

/** The name, or the text, of the focused element in the page. */
export const focused = (frame: FrameLocator): Promise<string> =>
  frame.locator("body").evaluate(() => {
    const { activeElement: at } = document;
    return document.hasFocus() && at && at !== document.body
      ? (at.getAttribute("aria-label") ?? at.getAttribute("data-kind") ?? at.textContent.trim())
      : "";
  });

export const hasFocus = (frame: FrameLocator, name: string): Promise<void> =>
  becomes(() => focused(frame), name, `the focus on ${name}`);

/** Sends the prompt by keyboard and waits for the end of the turn. */
export async function sendByKey(box: ChatBox, key = "Enter"): Promise<void> {
  await sending(box.frame, () => box.page.keyboard.press(key));
  await turnEnded(box.frame);
}

/** Sends a prompt whose last step is `received`. Returns the blocks that the agent received besides the text. */
export async function received(box: ChatBox): Promise<readonly Readonly<Record<string, unknown>>[]> {
  await sendByKey(box);
  return blocksIn((await lastExchange(box.frame)).answer);
}

export function blocksIn(answer: string): readonly Readonly<Record<string, unknown>>[] {
  const blocks: unknown = JSON.parse(answer.slice(answer.indexOf("["), answer.lastIndexOf("]") + 1));
  assert.ok(Array.isArray(blocks), answer);
  return blocks.map(
    (block: unknown): Readonly<Record<string, unknown>> =>
      typeof block === "object" && block !== null ? { ...block } : {},
  );
}

/** Dispatches a paste event with an image. The colours of `noise` cannot be compressed. */
export async function pasteImage(
  frame: FrameLocator,
  width: number,
  height: number,
  name: string,
  what: "plain" | "noise" = "plain",
): Promise<void> {
  await input(frame).evaluate(
    async (prompt, { width, height, name, what }) => {
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext("2d");
      if (!context) throw new Error("no canvas");
      context.fillStyle = "teal";
      context.fillRect(0, 0, width / 2, height);
      if (what === "noise") {
        const pixels = context.createImageData(width, height);
        for (let i = 0, n = 1; i < pixels.data.length; i++) {
          n = (n * 1_103_515_245 + 12_345) % 2_147_483_648;
          pixels.data[i] = i % 4 === 3 ? 255 : n >> 16;
        }
        context.putImageData(pixels, 0, 0);
      }
      const clipboardData = new DataTransfer();
      clipboardData.items.add(
        new File([await canvas.convertToBlob({ type: "image/png" })], `${name}.png`, { type: "image/png" }),
      );
      prompt.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }));
    },
    { width, height, name, what },
  );
}

export async function pasteFile(
  frame: FrameLocator,
  name: string,
  type: string,
  content: string,
  text = "",
): Promise<void> {
  await input(frame).evaluate(
    (prompt, { name, type, content, text }) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([content], name, { type }));
      if (text !== "") clipboardData.setData("text/plain", text);
      if (prompt instanceof HTMLElement) prompt.focus();
      prompt.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }));
    },
    { name, type, content, text },
  );
}
