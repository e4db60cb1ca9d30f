/** A hundred times hidden, shown and reloaded while the agent writes, in a real VS Code: every word is shown once, in order. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as after } from "node:timers/promises";
import fc from "fast-check";
import { sendPrompt, turnEnded, type Box } from "./harness";
import { numberedWords, openScripted, shownText } from "./scripted";

const INTERRUPTIONS = 100, EACH_ROUND = 17;
/** One answer: it must fit one card, because a card that is cut may cut a word. */
const CHUNKS = 260, CHARS = 13, EVERY_MS = 30;

const RELOAD = { key: "ctrl+alt+shift+r", command: "workbench.action.webview.reloadWebviewAction" };

const interruption = fc.record({ what: fc.constantFrom("sidebar", "otherView", "reload"), pause: fc.constantFrom(0, 10, 50, 150, 400) });
type Interruption = typeof interruption extends fc.Arbitrary<infer I> ? I : never;

suite("delivery, through the page", () => {
  let box: Box;
  /** Pages that VS Code has built. */
  let pages = 0;
  suiteSetup(async () => {
    box = await openScripted();
    writeFileSync(path.join(path.dirname(box.server.settingsFile), "keybindings.json"), JSON.stringify([RELOAD]));
    box.page.on("framenavigated", frame => { if (new URL(frame.url()).pathname.endsWith("/fake.html")) pages++; });
    await box.open();
  });
  suiteTeardown(() => box.close());

  test(`hidden, shown and reloaded ${INTERRUPTIONS} times while the agent writes: every word once, in order`, async function () {
    this.timeout(240_000);
    const seed = Number(process.env.SYMPOSIUM_SEED ?? Date.now() % 2 ** 31);
    const [all = []] = fc.sample(fc.array(interruption, { minLength: INTERRUPTIONS, maxLength: INTERRUPTIONS }), { seed, numRuns: 1 });
    const expected: number[] = [];
    try {
      for (let at = 0; at < all.length; at += EACH_ROUND) {
        await sendPrompt(box.frame, `stream ${CHUNKS} chunks of ${CHARS} chars every ${EVERY_MS} ms; say END`);
        for (const each of all.slice(at, at + EACH_ROUND)) { const t0 = Date.now(); await interrupt(box, each); process.stderr.write(`${each.what} ${each.pause} ${Date.now() - t0} pages ${pages} visible ${await box.page.locator("iframe.webview.ready").first().isVisible()}\n`); }
        await turnEnded(await box.open());
        expected.push(...wholeWords(CHUNKS * CHARS));
        assert.deepEqual(await numberedWords(box.frame), expected);
        assert.equal([...(await shownText(box.frame)).matchAll(/END\b/g)].length, 2 + 2 * (at / EACH_ROUND), "the end of each answer, and the prompt that asked for it");
      }
      assert.ok(pages > INTERRUPTIONS * 3, `${pages} pages were built`);
    } catch (error) {
      throw new Error(`with SYMPOSIUM_SEED=${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  });
});

async function interrupt({ page }: Box, { what, pause }: Interruption): Promise<void> {
  // Keys go to the workbench, not into a page that may be on its way out.
  await page.evaluate(() => { if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); });
  switch (what) {
    case "sidebar": await page.keyboard.press("Control+KeyB"); break;
    case "reload": await page.keyboard.press("Control+Alt+Shift+KeyR"); break;
    case "otherView": await showOther(page); break;
  }
  await after(pause);
}

/** Shows the explorer where the chat is, and the chat where anything else is. */
async function showOther(page: Box["page"]): Promise<void> {
  const icon = (name: string) => page.locator(".activitybar .action-item", { has: page.locator(`.action-label[aria-label^="${name}"]`) });
  const isChat = (await icon("Symposium").getAttribute("class"))?.split(" ").includes("checked") ?? false;
  await icon(isChat ? "Explorer" : "Symposium").click();
}

/** The numbers of the words in the first `length` characters of `w1 w2 w3 …` that are whole, and followed by a space. */
function wholeWords(length: number): readonly number[] {
  const words: number[] = [];
  for (let n = 1, held = 0; (held += `w${n} `.length) <= length; n++) words.push(n);
  return words;
}
