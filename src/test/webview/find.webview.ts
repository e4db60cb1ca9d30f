/** Find in the conversation, also in entries that the page does not have, and the entry that a search has found. */
import assert from "node:assert/strict";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { violations } from "../page/axe";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { focused, hasFocus } from "../page/prompt-steps";
import { barrier, becomes, seen, shownTab, showsText, wear } from "../page/scripted";
import { THEMES } from "../page/contrast";
import { openStill } from "./appearance-steps";

suite("find in a conversation", () => {
  let box: ChatBox;
  suiteSetup(async function () {
    this.timeout(timeLimit(240_000));
    box = await openStill();
    await sendPrompt(box.frame, "title Finding; say The oldest Needle lies here.");
    await turnEnded(box.frame);
    const tools = barrier();
    await sendPrompt(box.frame, `${tools.step}\nflood 700 tools\nsay No more tools.`);
    tools.open();
    await showsText(box.frame, "No more tools.");
    await turnEnded(box.frame, { timeout: 100_000 });
    await sendPrompt(
      box.frame,
      "think A hidden needle of a thought.\nsay Some text.\ntool a read Read the file\ntoolupdate a completed " +
        'rawOutput="a needle in the output"\nsay First a needle, then **another needle**, and `a.needle()` in code.',
    );
    await turnEnded(box.frame);
  });
  suiteTeardown(() => box.close());

  const bar = () => shownTab(box).getByRole("search");
  const query = () => bar().getByRole("textbox");
  const count = () => bar().getByRole("status");
  const counts = (text: string): Promise<void> => becomes(() => count().innerText(), text, `the count ${text}`);
  const marked = () => shownTab(box).locator("[data-found=current]");
  const highlighted = (name: string): Promise<readonly string[]> =>
    box.frame
      .locator("body")
      .evaluate(
        (_, name) =>
          [...(CSS.highlights.get(name) ?? [])].flatMap(range =>
            range instanceof Range && range.getClientRects().length > 0 ? [range.toString()] : [],
          ),
        name,
      );
  const isMarked = (text: RegExp): Promise<void> =>
    seen(
      async () =>
        (await marked().count()) === 1 &&
        text.test(await marked().innerText()) &&
        (await marked().evaluate((card: Element) => {
          const list = card.closest("[data-part=conversation]")?.getBoundingClientRect(),
            { top, bottom } = card.getBoundingClientRect();
          return list !== undefined && bottom > list.top && top < list.bottom;
        })),
      `the mark of ${text}`,
      20_000,
    );
  async function find(text: string): Promise<void> {
    await box.page.keyboard.press("Control+f");
    await seen(async () => (await focused(box.frame)) === "Find in Conversation", "the focus in the find bar");
    await box.page.keyboard.type(text);
  }

  test("opens with Ctrl+F and shows the first match from the visible messages on", async () => {
    await shownTab(box).locator("[data-part=prompt]").click();
    await find("needle");
    await counts("3 of 6");
    await isMarked(/^think A hidden needle/);
    assert.deepEqual(await highlighted("symposium-match"), ["needle"]);
  });

  test("moves with Enter and F3, backwards with Shift, and unfolds a match", async () => {
    await box.page.keyboard.press("Enter");
    await counts("4 of 6");
    await isMarked(/A hidden needle of a thought/);
    await box.page.keyboard.press("F3");
    await counts("5 of 6");
    await isMarked(/a needle in the output/);
    assert.deepEqual(await highlighted("symposium-match"), ["needle"]);
    await box.page.keyboard.press("Enter");
    await counts("6 of 6");
    await isMarked(/^First a needle/);
    assert.deepEqual(await highlighted("symposium-match"), ["needle"]);
    assert.ok((await highlighted("symposium-matches")).length >= 2);
    await box.page.keyboard.press("Shift+F3");
    await counts("5 of 6");
    await box.page.keyboard.press("Shift+Enter");
    await counts("4 of 6");
  });

  for (const { theme, kind, name } of THEMES)
    test(`has no axe violation and a screenshot in ${theme}`, async () => {
      await wear(box, theme, kind);
      await becomes(async () => (await violations(box.frame)).join("\n"), "", "a page without violations");
      await box.screenshot(`find-${name}`);
    });

  test("fits a narrow view", async () => {
    await box.page.locator("iframe.webview").evaluate(frame => {
      if (frame instanceof HTMLElement) frame.style.width = "260px";
    });
    await box.page.keyboard.press("F3");
    await box.page.keyboard.press("F3");
    await counts("6 of 6");
    await isMarked(/^First a needle/);
    await box.screenshot("find-narrow");
    const inside = await bar().evaluate(element => {
      const { left, right } = element.getBoundingClientRect();
      return left >= 0 && right <= document.documentElement.clientWidth && element.scrollWidth <= element.clientWidth;
    });
    assert.ok(inside);
    await box.page.locator("iframe.webview").evaluate(frame => {
      if (frame instanceof HTMLElement) frame.style.width = "297px";
    });
  });

  test("shows a match that the page does not have, and the newest messages again", async function () {
    this.timeout(timeLimit(120_000));
    await query().click();
    await box.page.keyboard.press("Enter");
    await counts("1 of 6");
    await isMarked(/^title Finding/);
    await box.page.keyboard.press("Enter");
    await counts("2 of 6");
    await isMarked(/^The oldest Needle lies here/);
    assert.deepEqual(await highlighted("symposium-match"), ["Needle"]);
    await box.screenshot("find-oldest");
    const later = (await shownTab(box).locator("[data-kind=tool]").count()) + 50;
    await shownTab(box).getByRole("button", { name: "Show Later" }).click();
    await seen(async () => (await shownTab(box).locator("[data-kind=tool]").count()) > later, "later messages");
    await shownTab(box).getByRole("button", { name: "Show Newest" }).click();
    await showsText(box.frame, "First a needle, then");
  });

  test("finds while the agent writes, and stays at the match", async () => {
    await query().click();
    for (let presses = 0; presses < 3; presses++) await box.page.keyboard.press("Shift+Enter");
    await counts("5 of 6");
    await isMarked(/^[^]*a needle in the output/);
    const gate = barrier();
    await sendPrompt(box.frame, `say A late needle.\\n\\n\n${gate.step}\nflood 100 tools\nsay Done writing.`);
    await counts("5 of 8");
    await box.page.keyboard.press("F3");
    await counts("6 of 8");
    await isMarked(/^First a needle/);
    gate.open();
    await turnEnded(box.frame, { timeout: 60_000 });
    await isMarked(/First a needle/);
  });

  test("names a text that does not occur", async () => {
    await find("haystack");
    await counts("No results");
    assert.equal(
      await bar()
        .getByRole("button", { name: /Next Match/ })
        .isDisabled(),
      true,
    );
    await box.screenshot("find-nothing");
  });

  test("closes with Escape and focuses the prompt", async () => {
    await box.page.keyboard.press("Escape");
    await hasFocus(box.frame, "Prompt");
    await bar().waitFor({ state: "detached" });
    assert.equal(await marked().count(), 0);
    assert.deepEqual(await highlighted("symposium-match"), []);
  });
});
