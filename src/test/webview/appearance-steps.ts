/** Shared tests of the appearance of a conversation: widths, themes and axe. */
import assert from "node:assert/strict";
import { violations } from "../page/axe";
import { THEMES } from "../page/contrast";
import type { ChatBox } from "../page/harness";
import { becomes, setWidth, wear } from "../page/scripted";
import { openScripted, type FixtureOptions } from "./fixture";

/** A narrow and a wide side bar, and an editor. Pixels. */
export const WIDTHS = [260, 340, 700] as const;
const USUAL_WIDTH = 297;

/** As `openScripted`, with the chat view shown and without animations. */
export async function openStill(options: FixtureOptions = {}): Promise<ChatBox> {
  const box = await openScripted(options);
  await box.open();
  await box.page.emulateMedia({ reducedMotion: "reduce" });
  return box;
}

export interface Appearance {
  readonly box: () => ChatBox;
  /** Begin of the names of the screenshots: `NAME-THEME-WIDTH`. */
  readonly name: string;
  /** Prepares the screenshot of a width. */
  readonly before?: () => Promise<unknown>;
  /** Further checks in each width. */
  readonly check?: (width: number) => Promise<void>;
}

/** Defines a test for each theme of the conversation on screen. */
export function testAppearance({
  box,
  name,
  before = () => Promise.resolve(),
  check = () => Promise.resolve(),
}: Appearance): void {
  for (const { theme, kind, name: suffix } of THEMES)
    test(`has no axe violation, and fits into three widths in ${theme}`, async () => {
      await wear(box(), theme, kind);
      for (const width of WIDTHS) {
        await setWidth(box(), width);
        await before();
        await box().screenshot(`${name}-${suffix}-${width}`);
        const isInside = await box()
          .frame.locator("[data-part=conversation]:visible")
          .evaluate(list => list.scrollWidth <= list.clientWidth);
        assert.ok(isInside, `wider than ${width} px`);
        await check(width);
      }
      await setWidth(box(), USUAL_WIDTH);
      await becomes(async () => (await violations(box().frame)).join("\n"), "", "a page without violations");
    });
}
