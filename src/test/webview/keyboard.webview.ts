/** The chat by keyboard alone, and drafts. */
import assert from "node:assert/strict";
import { focused as focusedOf, hasInput, input as inputOf, sendByKey } from "../page/prompt-steps";
import { lastExchange, readCards, turnEnded, type ChatBox } from "../page/harness";
import {
  answerShows,
  becomes,
  barrier,
  newTab,
  processesOf,
  reloadWindow,
  scripted,
  seen,
  showsText,
  typeDraft,
} from "../page/scripted";
import { openScripted } from "./fixture";

suite("keyboard use of the chat", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
  });
  suiteTeardown(() => box.close());

  const input = () => inputOf(box.frame);
  const tabs = () => box.frame.locator("[role=tab]");
  const showsInput = (text: string): Promise<void> => hasInput(box.frame, text);
  const focused = (): Promise<string> => focusedOf(box.frame);

  /** Presses the key until the wanted element has the focus; at most as often as a user would. */
  async function goTo(wanted: RegExp, key: "Tab" | "Shift+Tab"): Promise<void> {
    const passed: string[] = [];
    for (let at = await focused(); !wanted.test(at); at = await focused()) {
      passed.push(at);
      assert.ok(passed.length < 15, `${wanted} is not among ${passed.join(" | ")}`);
      await box.page.keyboard.press(key);
    }
  }

  test("inserts a line on Shift+Enter and sends all on Enter", async () => {
    await input().click();
    await typeDraft(box.frame, "say first\nsay , second");
    await showsInput("say first\nsay , second");
    assert.equal((await readCards(box.frame)).length, 0);
    await sendByKey(box);
    assert.deepEqual(await lastExchange(box.frame), { question: "say first\nsay , second", answer: "first, second" });
    await showsInput("");
  });

  test("sends on Ctrl+Enter and Cmd+Enter", async () => {
    for (const modifier of ["Control", "Meta"]) {
      await input().click();
      await box.page.keyboard.type(`say ${modifier}`);
      await sendByKey(box, `${modifier}+Enter`);
      assert.deepEqual(await lastExchange(box.frame), { question: `say ${modifier}`, answer: modifier });
    }
  });

  test("keeps line breaks of dictated, dropped or programmatic input", async () => {
    await input().click();
    await typeDraft(box.frame, "say a!");
    await box.page.keyboard.press("ArrowLeft");
    await box.page.keyboard.insertText("b\nsay c\n\nsay d");
    await box.page.keyboard.type("?");
    await showsInput("say ab\nsay c\n\nsay d?!");
    await sendByKey(box);
    assert.equal((await lastExchange(box.frame)).answer, "abcd?!");
  });

  test("focuses a permission request, reaches its buttons in order and presses them", async () => {
    await typeDraft(box.frame, "ask p1 options=allow_once,allow_always,reject_once");
    await box.page.keyboard.press("Enter");
    await seen(async () => /^Scripted requests your permission/.test(await focused()), "the focus on the question");
    const order: string[] = [];
    for (let n = 0; n < 12 && !order.includes("More Actions"); n++) {
      await box.page.keyboard.press("Tab");
      order.push(await focused());
    }
    assert.deepEqual(
      order.filter(name => /Allow|Reject|More/.test(name)),
      ["Allow Once", "Allow Always", "Reject", "More Actions"],
    );
    await goTo(/^Reject$/, "Shift+Tab");
    await box.page.keyboard.press("Enter");
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /rejected[^]*chose reject_once/);
  });

  test("focuses the prompt after an answer", async () => {
    await seen(async () => (await focused()) === "Prompt", "the focus on the prompt");
    await box.page.keyboard.type("say typed on");
    await box.page.keyboard.press("Enter");
    await showsText(box.frame, /^typed on$/m);
    await turnEnded(box.frame);
  });

  test("focuses the prompt after an answer on a busy page", async () => {
    const page = box.frame.locator("body");
    await page.evaluate(() => {
      const now = performance.now.bind(performance);
      let later = 0;
      performance.now = () => now() + (later += 30);
    });
    try {
      await typeDraft(box.frame, "ask busy options=allow_once,reject_once");
      await box.page.keyboard.press("Enter");
      await seen(async () => /^Scripted requests your permission/.test(await focused()), "the focus on the question");
      await goTo(/^Allow Once$/, "Tab");
      await box.page.keyboard.press("Enter");
      await turnEnded(box.frame);
      await seen(async () => (await focused()) === "Prompt", "the focus on the prompt");
    } finally {
      await page.evaluate(() => {
        Reflect.deleteProperty(performance, "now");
      });
    }
  });

  test("does not move the focus to a permission request while the user types", async () => {
    const typed = barrier();
    await typeDraft(box.frame, `${typed.step}; ask p2 options=allow_once,reject_once`);
    await box.page.keyboard.press("Enter");
    await showsInput("");
    await box.page.keyboard.type("half a");
    typed.open();
    await box.frame.locator("[data-kind=permission] button", { hasText: "Allow once" }).last().waitFor();
    await box.page.keyboard.type(" thought");
    await showsInput("half a thought");
    assert.equal(await focused(), "Prompt");
    await goTo(/^Allow Once$/, "Shift+Tab");
    await box.page.keyboard.press("Enter");
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /chose allow_once/);
    await showsInput("half a thought");
    await input().fill("");
  });

  test("reaches and presses Stop while the agent works", async () => {
    await input().click();
    await box.page.keyboard.type("say working; wait-cancel");
    await box.page.keyboard.press("Enter");
    await showsText(box.frame, /^working$/m);
    await goTo(/Stop/, "Tab");
    await box.page.keyboard.press("Enter");
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /Stopped\./);
  });

  test("keeps a draft when the agent exits", async () => {
    await input().click();
    await typeDraft(box.frame, "say going; stream 20 chunks of 10 chars every 20 ms; wait-cancel");
    await box.page.keyboard.press("Enter");
    await answerShows(box.frame, /w3\b/);
    await typeDraft(box.frame, "not sent\nyet");
    const [agent] = processesOf(box, "scripted-agent.program");
    assert.ok(agent !== undefined);
    process.kill(agent, "SIGKILL");
    await showsText(box.frame, /exited unexpectedly/);
    await showsInput("not sent\nyet");
  });

  test("restores the drafts of two tabs after Reload Window", async () => {
    await newTab(box);
    await typeDraft(box.frame, "draft of the second");
    await tabs().first().click();
    await showsInput("not sent\nyet");
    await reloadWindow(box);
    await showsInput("not sent\nyet");
    await becomes(() => tabs().count(), 2, "both tabs");
    await tabs().nth(1).click();
    await showsInput("draft of the second");
  });

  test("inserts a line on Enter and sends with a modifier if requireModifierToSend is set", async () => {
    box.writeSettings(scripted([], { "symposium.requireModifierToSend": true }));
    await reloadWindow(box);
    await input().fill("");
    for (const [modifier, word] of [
      ["Control", "one"],
      ["Shift", "two"],
      ["Meta", "three"],
    ] as const) {
      await input().click();
      await box.page.keyboard.type(`say ${word}a`);
      await box.page.keyboard.press("Enter");
      await box.page.keyboard.type("say bc");
      await box.page.keyboard.press("ArrowLeft");
      await box.page.keyboard.press("Enter");
      await box.page.keyboard.type("say ");
      await showsInput(`say ${word}a\nsay b\nsay c`);
      await sendByKey(box, `${modifier}+Enter`);
      assert.equal((await lastExchange(box.frame)).answer, `${word}abc`);
      await showsInput("");
    }
  });
});
