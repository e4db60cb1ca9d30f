/**
 * Prompts that are sent while the agent works: they are queued, can be edited and removed, and none
 * is lost.
 */
import assert from "node:assert/strict";
import { lastExchange, readCards, turnEnded, turnState, type ChatBox } from "../page/harness";
import { blocksIn, focused, hasChips, hasFocus, hasInput, input, pasteImage, THEMES } from "../page/prompt-steps";
import { textsSeen } from "../page/contrast";
import { openScripted } from "./fixture";
import {
  becomes,
  button,
  openPanel,
  processesOf,
  reloadWindow,
  seen,
  shownText,
  showsText,
  wear,
} from "../page/scripted";

suite("queued prompt", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
  });
  suiteTeardown(() => box.close());

  const rows = () => box.frame.locator(".symposium-queued:visible");
  const queue = async (): Promise<readonly string[]> => {
    await openPanel(box, "queue");
    return (await rows().locator(".symposium-queued-what").allInnerTexts()).map(text =>
      text.trim().replaceAll(/\s+/g, " "),
    );
  };
  const waits = (...texts: readonly string[]): Promise<void> =>
    seen(
      async () => JSON.stringify(await queue().catch(() => undefined)) === JSON.stringify(texts),
      `${texts.join(", ") || "nothing"} in the queue`,
    );
  const inRow = (n: number, label: string) => rows().nth(n).locator("button", { hasText: label });
  const heading = () => box.frame.locator(".symposium-queue:visible .symposium-queue-about");
  const isHeld = (): Promise<void> =>
    seen(
      async () =>
        (
          await heading()
            .innerText()
            .catch(() => "")
        ).startsWith("Held"),
      "a queue that is held",
    );
  const prompts = async (): Promise<readonly string[]> =>
    (await readCards(box.frame)).filter(({ kind }) => kind === "prompt").map(({ text }) => text);

  async function send(text: string): Promise<void> {
    await input(box.frame).click();
    await box.page.keyboard.type(text);
    await box.page.keyboard.press("Enter");
    await hasInput(box.frame, "");
  }
  /** The agent is busy until this question is answered. */
  const askFirst = async (): Promise<void> => {
    await send("ask p1 options=allow_once,reject_once");
    await button(box.frame, "Allow once").first().waitFor();
    await seen(
      async () => /^Scripted requests your permission/.test(await focused(box.frame)),
      "the focus on the question",
    ); // the question takes the focus only once
  };
  const answer = (): Promise<void> => button(box.frame, "Allow once").first().click();
  const stop = (): Promise<void> => box.frame.locator("[data-part=stop]:visible").click();

  test("waits while the agent works and is sent with its attachments", async () => {
    await askFirst();
    await pasteImage(box.frame, 9, 9, "nine");
    await hasChips(box.frame, "nine.png");
    await send("received");
    await send("say third");
    await waits("received nine.png", "say third");
    await hasChips(box.frame);
    await becomes(() => heading().innerText(), "Sent when the turn ends:", "the heading");
    assert.deepEqual(await prompts(), ["ask p1 options=allow_once,reject_once"]);
    await answer();
    await waits();
    await showsText(box.frame, /^third$/m);
    await turnEnded(box.frame);
    assert.deepEqual(
      (await prompts()).map(text => text.split(/\s/)[0]),
      ["ask", "received", "say"],
    );
    const [image] = blocksIn(/\[\{[^]*?\}\]/.exec(await shownText(box.frame))?.[0] ?? "[]");
    assert.equal(image?.["type"], "image");
  });

  test("can be sent or the turn stopped while the user types", async () => {
    await askFirst();
    await input(box.frame).click();
    await box.page.keyboard.type("say pressed");
    assert.ok(await box.frame.locator("[data-part=stop]:visible").isEnabled());
    await box.frame.locator("[data-part=send]:visible").click();
    await waits("say pressed");
    await answer();
    await showsText(box.frame, /^pressed$/m);
    await turnEnded(box.frame);
  });

  test("can be edited by keyboard and precede the typed draft with their attachments", async () => {
    await askFirst();
    await pasteImage(box.frame, 9, 9, "nine");
    await hasChips(box.frame, "nine.png");
    await send("received");
    await waits("received nine.png");
    await input(box.frame).click();
    await box.page.keyboard.type("say more");
    await inRow(0, "Edit").focus();
    await box.page.keyboard.press("Enter");
    await waits();
    await hasInput(box.frame, "received\nsay more");
    await hasChips(box.frame, "nine.png");
    await hasFocus(box.frame, "Prompt");
    await box.page.keyboard.press("Enter");
    await waits("received say more nine.png");
    await answer();
    await showsText(box.frame, /more$/m);
    await turnEnded(box.frame);
    assert.equal(blocksIn((await lastExchange(box.frame)).answer).length, 1);
  });

  test("can be withdrawn without reaching the agent, in unchanged order", async () => {
    await askFirst();
    for (const word of ["first", "second", "third"]) await send(`say ${word}`);
    await waits("say first", "say second", "say third");
    await inRow(1, "Withdraw").click();
    await waits("say first", "say third");
    await answer();
    await showsText(box.frame, /^third$/m);
    await turnEnded(box.frame);
    assert.doesNotMatch(await shownText(box.frame), /second/);
  });

  test("is removed with all others by Clear Queue and the keyboard", async () => {
    await askFirst();
    await send("say sixth");
    await waits("say sixth");
    const clear = box.frame.getByRole("button", { name: "Clear Queue" });
    assert.equal(await clear.count(), 0);
    await send("say seventh");
    await waits("say sixth", "say seventh");
    await clear.focus();
    await box.page.keyboard.press("Enter");
    await waits();
    await hasFocus(box.frame, "Prompt");
    await answer();
    await turnEnded(box.frame);
    assert.doesNotMatch(await shownText(box.frame), /^(sixth|seventh)$/m);
  });

  test("is held after Stop until it is sent, behind a newer prompt", async () => {
    await askFirst();
    await send("say held-back");
    await waits("say held-back");
    await stop();
    await isHeld();
    await seen(async () => (await turnState(box.frame)) === "idle", "the end of the turn");
    await send("say before-it");
    await showsText(box.frame, /^before-it$/m);
    await turnEnded(box.frame);
    await isHeld();
    await waits("say held-back");
    await box.screenshot("queue-held");
    await box.frame.locator(".symposium-queue-send:visible").click();
    await waits();
    await showsText(box.frame, /^held-back$/m);
    await turnEnded(box.frame);
  });

  test("is readable in every theme", async () => {
    await askFirst();
    await pasteImage(box.frame, 30, 20, "picture");
    await hasChips(box.frame, "picture.png");
    await send(
      "say what is in this picture, in one long sentence that does not fit into one line of the side bar, and not in two lines either",
    );
    await send("say short");
    await seen(async () => (await queue()).length === 2, "two prompts that wait");
    await input(box.frame).click();
    await box.page.keyboard.type("say typed");
    for (const { theme, kind, name } of THEMES) {
      await wear(box, theme, kind);
      await box.screenshot(`queue-${name}`);
      const pale = async () =>
        (await textsSeen(box.frame, ".symposium-queue")).filter(({ contrast }) => contrast < 4.5);
      await becomes(pale, [], `nothing that is pale in ${theme}`);
    }
    await inRow(0, "Withdraw").click();
    await waits("say short");
    await inRow(0, "Withdraw").click();
    await waits();
    await input(box.frame).fill("");
    await answer();
    await turnEnded(box.frame);
  });

  test("is held when the agent exits and sent to its successor", async () => {
    await askFirst();
    await send("say survivor");
    await waits("say survivor");
    const [agent] = processesOf(box, "scripted-agent.program");
    assert.ok(agent !== undefined);
    process.kill(agent, "SIGKILL");
    await showsText(box.frame, /exited unexpectedly/);
    await isHeld();
    await box.frame.locator(".symposium-queue-send:visible").click();
    await waits();
    await showsText(box.frame, /^survivor$/m);
    await turnEnded(box.frame);
  });

  test("is held when the sidecar exits and sent to its successor", async () => {
    await askFirst();
    await pasteImage(box.frame, 9, 9, "nine");
    await hasChips(box.frame, "nine.png");
    await send("received");
    await waits("received nine.png");
    await input(box.frame).click();
    await box.page.keyboard.type("say typed");
    const [sidecar] = processesOf(box, "sidecar.js serve");
    assert.ok(sidecar !== undefined);
    process.kill(sidecar, "SIGKILL");
    await showsText(box.frame, /Symposium was restarted/);
    await isHeld();
    await waits("received nine.png");
    await hasInput(box.frame, "say typed");
    await box.frame.locator(".symposium-queue-send:visible").click();
    await waits();
    await turnEnded(box.frame);
    assert.equal(blocksIn((await lastExchange(box.frame)).answer).length, 1);
    await input(box.frame).fill("");
  });

  test("is held after Reload Window", async () => {
    await askFirst();
    await send("say reloaded");
    await waits("say reloaded");
    await reloadWindow(box);
    await waits("say reloaded");
    await isHeld();
    await box.screenshot("queue-reloaded");
    await box.frame.locator(".symposium-queue-send:visible").click();
    await showsText(box.frame, /^reloaded$/m);
    await waits();
    await turnEnded(box.frame);
  });
});
