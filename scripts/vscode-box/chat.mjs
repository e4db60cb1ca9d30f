// Symposium's chat view as a user sees it: reads visible text and clicks visible controls only.
import { setTimeout as delay } from "node:timers/promises";
import { timeLimit } from "../time-limits.mjs";
import { until } from "./changes.mjs";
import { runCommand, webviewFrame } from "./workbench.mjs";

const INPUT = "[data-part=prompt]:visible";
/** The cards of the conversation and of the banner above the prompt. */
const CARDS = "[data-part=chat]:visible :is([data-kind], [data-part=banner] > *)";
/** A text counts as complete after this time without a change. The page pauses less between two chunks. */
const SETTLED_MS = 300;
const OPTION = '[data-kind]:visible button[action-id^="option:"]:enabled';

/** Time until the command is run, because a reloaded window may show the view by itself, and between two runs. */
const BY_ITSELF_MS = 1_000,
  REPEAT_MS = 6_000;

/** Shows the view, wherever it is, and waits until a prompt can be typed. Returns the view's frame. */
export async function openChat(page, timeout = 90_000) {
  const frame = webviewFrame(page),
    icon = page.locator('.action-label[aria-label^="Symposium"]');
  // The palette does not list commands that are contributed after it was opened. They are contributed with the icon.
  let due;
  await until(
    [page.locator(":root"), frame.locator(":root")],
    async () => {
      // Restored tabs are drawn one after another, and each is visible for a moment.
      if (
        (await frame
          .locator(INPUT)
          .count()
          .catch(() => 0)) === 1
      )
        return true;
      if (due === undefined) {
        if ((await icon.count()) > 0) due = Date.now() + BY_ITSELF_MS;
      } else if (Date.now() >= due) {
        await runCommand(page, "Symposium: Open Chat");
        due = Date.now() + timeLimit(REPEAT_MS);
      }
      return false;
    },
    timeout,
    "no prompt could be typed",
  );
  return frame;
}

/** The state of the selected tab's turn: "idle", "starting", "running" or "cancelling". */
export const turnState = async frame => (await frame.locator("body").getAttribute("data-turn")) ?? "idle";

/** The input of the selected tab. Restored tabs are drawn one after another, and each is visible for a moment. */
export async function promptInput(frame) {
  await until(
    [all(frame)],
    async () =>
      (await frame
        .locator(INPUT)
        .count()
        .catch(() => 0)) === 1,
    60_000,
    "the page does not have exactly one input",
  );
  return frame.locator(INPUT);
}

/** Types a prompt into the selected tab and sends it. Returns when the page shows the prompt as a card. */
export async function sendPrompt(frame, text) {
  await (await promptInput(frame)).fill(text);
  await sending(frame, () => frame.locator("[data-part=send]:visible").click());
}

/** Calls a function that sends a prompt, for example by keyboard. Returns when the page shows the prompt as a card. */
export async function sending(frame, send) {
  const before = await lastPrompt(frame);
  await send();
  await until([all(frame)], async () => (await lastPrompt(frame)) !== before, 60_000, "the prompt did not appear");
}

/**
 * Identifies the last prompt. A count would not work, because a long prompt may remove earlier prompts from the page.
 */
const lastPrompt = frame =>
  frame
    .locator(`${CARDS}[data-kind=prompt]`)
    .evaluateAll(cards => cards.at(-1)?.getAttribute("messageid") ?? undefined);

/**
 * The cards of the selected tab from top to bottom, with their rendered text: `[{ kind, text }]`, kind "prompt" or
 * "answer".
 */
export const readCards = frame =>
  frame.locator(CARDS).evaluateAll(cards =>
    cards
      // A card redrawn in the meantime is not in the document.
      .filter(card => card.isConnected)
      .map(card => ({
        kind: card.dataset.kind === "prompt" ? "prompt" : "answer",
        text: card.innerText.trim(),
        top: card.getBoundingClientRect().top,
      }))
      .sort((a, b) => a.top - b.top)
      .map(({ kind, text }) => ({ kind, text })),
  );

/** The last prompt and its answer: its rendered text and the text of the cards after it. */
export async function lastExchange(frame) {
  const cards = await readCards(frame);
  const at = cards.findLastIndex(({ kind }) => kind === "prompt");
  return {
    question: cards[at]?.text ?? "",
    answer: cards
      .slice(at + 1)
      .map(({ text }) => text)
      .filter(text => text !== "")
      .join("\n\n"),
  };
}

/** The text of the last card if it is a notice of Symposium, not of the agent, such as the agent's exit. */
export const lastNotice = async frame => {
  const last = frame.locator(`${CARDS}[data-kind]`).last();
  return (await last.getAttribute("data-kind")) === "notice" ? (await last.innerText()).trim() : undefined;
};

/**
 * Waits until the selected tab's turn has ended and its text no longer changes. With `permission`, `answer` answers a
 * question and passes the pressed label to that function.
 */
export async function turnEnded(frame, { timeout = 90_000, permission, answer: answerOne = allowOnce } = {}) {
  // A page that was just loaded shows its predecessor's state as idle until it receives the current state.
  const isReady = async () =>
    (await frame
      .locator("body[data-ready=true]")
      .count()
      .catch(() => 0)) === 1;
  const ended = async () =>
    (await isReady()) && (await turnState(frame)) === "idle" ? (await lastExchange(frame)).answer : "";
  await until(
    [all(frame)],
    async () => {
      if (permission !== undefined) await answerOne(frame, permission);
      const answer = await ended();
      if (answer === "") return false;
      await delay(SETTLED_MS);
      return (await ended()) === answer;
    },
    timeout,
    "the answer was not complete",
  );
}

/** Presses the main button (allow once) of the first open permission card, if any. */
export const allowOnce = (frame, pressed) =>
  press(frame, pressed, labels => {
    const main = labels.findIndex(each => each.main);
    return main === -1
      ? Math.max(
          0,
          labels.findIndex(({ label }) => /\b(allow|yes|approve|proceed|ok)/i.test(label)),
        )
      : main;
  });

/** Presses the first rejecting button of the first open permission card, if any. */
export const rejectOnce = (frame, pressed) =>
  press(frame, pressed, labels => labels.findIndex(({ label }) => /^(no|reject|deny|decline)\b/i.test(label)));

/** Waits until the selected tab shows `text` in an answer, then presses Stop as a user does. */
export async function stopAt(frame, text, timeout) {
  await until(
    [all(frame)],
    async () => (await lastExchange(frame)).answer.includes(text),
    timeout,
    `“${text}” was not on the page`,
  );
  await frame.locator("[data-part=stop]:visible").click();
}

async function press(frame, pressed, choose) {
  const options = frame.locator(OPTION);
  const buttons = await options.elementHandles(); // the same handles throughout, even if the page redraws them
  const labels = await Promise.all(
    buttons.map(each =>
      each.evaluate(button => ({
        label: button.innerText.trim(),
        main: button.classList.contains("status-primary"),
      })),
    ),
  );
  if (labels.length === 0) return;
  const chosen = choose(labels);
  if (chosen === -1)
    throw new Error(`No button matches this permission: ${labels.map(({ label }) => label).join(", ")}`);
  const button = buttons[chosen];
  if (
    !(await button.click().then(
      () => true,
      () => false,
    ))
  )
    return; // redrawn: the next round checks the new card
  pressed(labels[chosen].label);
  await until(
    [all(frame)],
    () =>
      button
        .evaluate(each => !each.isConnected || each.disabled || each.getClientRects().length === 0)
        .catch(() => true),
    60_000,
    "the answer had no effect",
  );
}

/** The whole view. */
const all = frame => frame.locator(":root");
