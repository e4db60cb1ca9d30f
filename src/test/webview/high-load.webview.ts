/** High load: subagents, many questions, and a flood of updates. */
import assert from "node:assert/strict";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { lastExchange, sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { barrier, newTab, seen, shownTab, showsText, testAgent } from "../page/scripted";
import { openChatBox } from "./fixture";

const SETTINGS = {
  "symposium.agents": [testAgent("subagents", "Parent", [], "subagent"), testAgent("crowd", "Crowd")],
  "symposium.currentAgentId": "subagents",
  "symposium.experimentalProtocolV2": true,
};

suite("large amounts", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openChatBox(SETTINGS);
  });
  suiteTeardown(() => box.close());

  const chat = () => shownTab(box);
  const cards = (kind: string) => chat().locator(`[data-kind="${kind}"]`);

  test("shows a subagent as one card and returns the answer to its permission request", async () => {
    await sendPrompt(box.frame, "go");
    const question = cards("permission").last();
    await question.waitFor();
    assert.match(await question.innerText(), /Explore \(subagent of Parent\)\s+Run a command\?/);
    assert.equal(await cards("subagent").count(), 1);
    assert.match(await cards("subagent").innerText(), /Subagent Explore[^]*waiting for you/);
    assert.deepEqual([await cards("message").count(), await cards("unknown").count()], [1, 1]);
    assert.match(await cards("unknown").innerText(), /_odd_metrics \(3 times\)/);
    await box.screenshot("subagent-asks");
    await question.getByRole("button", { name: "Allow Once", exact: true }).click();
    await turnEnded(box.frame);
    const shown = (await cards("subagent").textContent()) ?? "";
    const transcript = [
      /done/,
      /I look at the folder first\./,
      /Read package\.json · done/,
      /ls test · done/,
      /The answer was yes\./,
    ];
    for (const part of transcript) assert.match(shown, part);
    assert.match((await lastExchange(box.frame)).answer, /The subagent is done\./);
    await box.screenshot("subagent-done");
  });

  test("asks one of 58 questions at a time and cancels the rest on Stop", async function () {
    this.timeout(timeLimit(180_000));
    await newTab(box);
    await chat().locator('select[aria-label^="The agent of this tab"]').selectOption("crowd");
    await sendPrompt(
      box.frame,
      `${Array.from({ length: 58 }, (_, n) => `ask* p${n} kind=execute title="Step ${n}"`).join("; ")}`,
    );
    await showsText(box.frame, "57 more questions wait");
    const withButtons = async (): Promise<readonly string[]> => {
      const texts = await cards("permission").evaluateAll(all =>
        all.map(each => (each.querySelector("button[action-id]") ? each.textContent : "")),
      );
      return texts.filter(text => text !== "");
    };
    const asked = await withButtons();
    assert.equal(asked.length, 1);
    assert.match(asked[0] ?? "", /Step 0/);
    await box.screenshot("questions-58");
    for (let n = 0; n < 3; n++) {
      await seen(
        () =>
          cards("permission")
            .last()
            .evaluate(card => card.contains(document.activeElement)),
        `the focus in question ${n}`,
      );
      await seen(
        async () => await cards("permission").last().getByRole("button").first().isEnabled(),
        `the buttons of question ${n}`,
      );
      await cards("permission").last().getByRole("button").first().focus();
      await box.page.keyboard.press("Enter");
      await showsText(box.frame, `${56 - n} more questions wait`);
    }
    await box.screenshot("questions-after-3");
    assert.equal((await withButtons()).length, 1);
    await box.frame.locator("[data-part=stop]:visible").click();
    await turnEnded(box.frame);
    assert.equal((await withButtons()).length, 0);
  });

  test("shows earlier messages while the user scrolls up, and keeps the position", async function () {
    this.timeout(timeLimit(180_000));
    await newTab(box);
    const tools = barrier();
    await sendPrompt(box.frame, `${tools.step}\nflood 700 tools\nsay THE-END`);
    tools.open();
    await showsText(box.frame, "THE-END");
    await turnEnded(box.frame, { timeout: 100_000 });
    const list = chat().locator("[data-part=conversation]"),
      first = chat().locator("[data-kind=prompt]", { hasText: "flood 700 tools" });
    assert.equal(await first.count(), 0);
    await chat()
      .getByText(/\d+ earlier messages/)
      .waitFor({ state: "attached" });
    await box.screenshot("earlier-messages");
    await seen(
      async () => {
        // One wheel step of a user at a time, and the position of the card that was at the top.
        await list.hover();
        await box.page.mouse.wheel(0, -2_000);
        return (await first.count()) === 1;
      },
      "the first prompt",
      120_000,
    );
    await list.evaluate(element => element.scrollTo(0, 0));
    await first.waitFor();
    await box.screenshot("first-message");
  });

  test("completes 60,000 results of 500 calls, and the text behind 6,000 calls", async function () {
    this.timeout(timeLimit(300_000));
    await newTab(box);
    // The page shows the newest cards only, and on a busy machine the prompt would leave the window before it is read.
    const results = barrier();
    await sendPrompt(box.frame, `${results.step}\nflood 60000 results\nsay THE-END-OF-RESULTS`);
    results.open();
    await seen(
      async () => (await lastExchange(box.frame)).answer.includes("THE-END-OF-RESULTS"),
      "the end of the flood",
      200_000,
    );
    await turnEnded(box.frame, { timeout: 200_000 });
    await box.screenshot("flood-of-results");
    await newTab(box);
    const flood = barrier();
    await sendPrompt(box.frame, `${flood.step}\nflood 6000 tools\nsay THE-CLOSING-TEXT`);
    flood.open();
    await showsText(box.frame, /are omitted\. The end of the answer follows\.[^]*THE-CLOSING-TEXT/);
    await turnEnded(box.frame, { timeout: 200_000 });
    await box.screenshot("closing-text");
  });
});
