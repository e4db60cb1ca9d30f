/**
 * Hides, shows and reloads the view while the agent writes, in a real VS Code. Every word is shown once, in order.
 * `npm run test:crash` interrupts three times as often.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { errorMessage } from "../../protocol/wire/errors";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import fc from "fast-check";
import type { Frame, Page } from "playwright-core";
import { seed } from "../../../scripts/seed.mjs";
import { sendPrompt, turnEnded, type Box } from "./harness";
import { barrier, numberedWords, openScripted, shownText } from "./scripted";

const EACH_ROUND = 17,
  INTERRUPTIONS = (process.env["SYMPOSIUM_KILLS"] === undefined ? 2 : 6) * EACH_ROUND;
/** Size of one answer, which must fit one card, because the border of two cards may split a word. */
const CHUNKS = 260,
  CHARS = 13,
  EVERY_MS = 40;

const RELOAD = { key: "ctrl+alt+shift+r", command: "workbench.action.webview.reloadWebviewAction" };

/** `frames`: number of workbench frames until the next interruption. */
const interruption = fc.record({
  how: fc.constantFrom("sideBar", "otherView", "reload"),
  frames: fc.constantFrom(0, 2, 6, 18, 42),
});
type Interruption = typeof interruption extends fc.Arbitrary<infer I> ? I : never;

suite("delivery through the page", () => {
  let box: Box;
  /** Number of pages that VS Code has created. */
  let pages = 0;
  suiteSetup(async () => {
    box = await openScripted();
    writeFileSync(path.join(path.dirname(box.server.settingsFile), "keybindings.json"), JSON.stringify([RELOAD]));
    box.page.on("framenavigated", frame => {
      if (isPage(frame)) pages++;
    });
    await box.open();
  });
  suiteTeardown(() => box.close());

  test(`shows each word once in order while hidden, shown and reloaded ${INTERRUPTIONS} times`, async function () {
    this.timeout(timeLimit(600_000));
    const [all = []] = fc.sample(fc.array(interruption, { minLength: INTERRUPTIONS, maxLength: INTERRUPTIONS }), {
      seed,
      numRuns: 1,
    });
    const expected: number[] = [];
    try {
      for (let at = 0; at < all.length; at += EACH_ROUND) {
        const interrupted = barrier();
        await sendPrompt(
          box.frame,
          `stream ${CHUNKS} chunks of ${CHARS} chars every ${EVERY_MS} ms; ${interrupted.step}; say END`,
        );
        let hidden: Hidden = "no";
        for (const each of all.slice(at, at + EACH_ROUND)) hidden = await interrupt(box.page, hidden, each);
        interrupted.open();
        await turnEndedInView(box);
        expected.push(...wholeWords(CHUNKS * CHARS));
        assert.deepEqual(await numberedWords(box.frame), expected);
        assert.equal(
          [...(await shownText(box.frame)).matchAll(/END\b/g)].length,
          2 + 2 * (at / EACH_ROUND),
          "the end of each answer, and the prompt that asked for it",
        );
      }
      assert.ok(pages > INTERRUPTIONS / 4, `${pages} pages were built`);
    } catch (error) {
      throw new Error(`with SYMPOSIUM_SEED=${seed}: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  });
});

/** Reopens a view that is being closed while the test waits for it. */
async function turnEndedInView(box: Box): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await turnEnded(await box.open(), { timeout: 30_000 });
    } catch (error) {
      if (attempt === 4) throw error;
    }
  }
}

const isPage = (frame: Frame): boolean => new URL(frame.url()).pathname.endsWith("/fake.html");

/** How the view was hidden, and is shown again. */
type Hidden = "no" | "sideBar" | "otherView";

async function interrupt(page: Page, hidden: Hidden, { how, frames }: Interruption): Promise<Hidden> {
  // Sends keys to the workbench, not to a page that may be closing.
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
  const what = hidden === "no" ? how : hidden;
  // With at least 6 frames, waits for the new page, so that not all pages are interrupted before they exist. The wait
  // is limited, because a key may be lost with the focused page.
  const built =
    (hidden !== "no" || how === "reload") && frames >= 6
      ? page.waitForEvent("framenavigated", { predicate: isPage, timeout: 10_000 }).catch(() => undefined)
      : undefined;
  switch (what) {
    case "reload":
      await page.keyboard.press("Control+Alt+Shift+KeyR");
      break;
    case "sideBar":
      await page.keyboard.press("Control+Alt+KeyB");
      break;
    case "otherView":
      await icon(page, hidden === "no" ? "Chat" : "Symposium").click();
      break;
  }
  await built;
  await page.evaluate(
    remaining =>
      new Promise<void>(resolve => {
        (function drawn() {
          if (remaining-- === 0) resolve();
          else requestAnimationFrame(drawn);
        })();
      }),
    frames,
  );
  return hidden === "no" && what !== "reload" ? what : "no";
}

/** The name of a view in the secondary side bar. VS Code's own chat is one of them. */
const icon = (page: Page, name: string) =>
  page.locator(".auxiliarybar .composite-bar .action-item", {
    has: page.locator(`.action-label[aria-label^="${name}"]`),
  });

/**
 * The numbers of the words in the first `length` characters of `w1 w2 w3 …` that are complete and followed by a space.
 */
function wholeWords(length: number): readonly number[] {
  const words: number[] = [];
  for (let n = 1, held = 0; (held += `w${n} `.length) <= length; n++) words.push(n);
  return words;
}
