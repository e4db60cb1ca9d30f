/** Failures of an agent as the user sees them: missing, not starting, exiting; and the offered remedies. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { lastExchange, readCards, ROOT, sendPrompt, turnEnded, turnState, type ChatBox } from "../page/harness";
import {
  becomes,
  button,
  hideChat,
  newTab,
  processesOf,
  seen,
  shownText,
  showsText,
  toggleChat,
} from "../page/scripted";
import { openScripted } from "./fixture";

const SCRIPTED = [process.execPath, path.join(ROOT, "out/programs/scripted-agent.program.mjs")] as const;
const agent = (id: string, command: string, ...args: readonly string[]) => ({
  id,
  name: id,
  distribution: { local: { command, args } },
});
const failing = (id: string, ...flags: readonly string[]) => agent(id, SCRIPTED[0], SCRIPTED[1], ...flags);

const FOLDER = mkdtempSync(path.join(tmpdir(), "life-"));
/** The agent named Licensed starts only if this file exists. */
const LICENCE = path.join(FOLDER, "licence");
/** A pipe: the agent named Slow starts when the test writes to it. */
const START = path.join(FOLDER, "start");
const AGENTS = [
  failing("Good"),
  agent("Absent", "no-such-command-anywhere"),
  failing("Exiting", "--exit-at-start", "3"),
  failing("Leaving", "--exit-after-init", "4"),
  failing("Refusing", "--fail-init"),
  failing("Closed", "--fail-new-session", "No room in here"),
  failing("Hanging", "--hang-init"),
  agent("Slow", "sh", "-c", `read _ < '${START}'; exec '${SCRIPTED[0]}' '${SCRIPTED[1]}'`),
  agent(
    "Licensed",
    "sh",
    "-c",
    `test -e '${LICENCE}' || { echo no licence >&2; exit 3; }; exec '${SCRIPTED[0]}' '${SCRIPTED[1]}'`,
  ),
];

const STARTS = [
  {
    id: "Absent",
    says: /Absent could not be started: “no-such-command-anywhere” was not found/,
    buttons: ["Change Agent", "Show Logs"],
  },
  {
    id: "Exiting",
    says: /Exiting exited unexpectedly \(exit code 3\)[^]*no licence was found/,
    buttons: ["Restart Agent", "Show Logs"],
  },
  { id: "Leaving", says: /Leaving exited unexpectedly \(exit code 4\)/, buttons: ["Restart Agent", "Show Logs"] },
  { id: "Refusing", says: /Refusing returned an error: /, buttons: ["Restart Agent", "Show Logs"] },
  { id: "Closed", says: /Closed returned an error: .*No room in here/, buttons: ["Restart Agent", "Show Logs"] },
] as const;

suite("agent life cycle", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    execFileSync("mkfifo", [START]);
    box = await openScripted({ settings: { "symposium.agents": AGENTS, "symposium.currentAgentId": "Good" } });
    await box.open();
  });
  suiteTeardown(() => box.close());

  const chat = () => box.frame.locator("[data-part=chat]:visible");
  const input = () => box.frame.locator("[data-part=prompt]:visible");
  const notices = () => chat().locator("[data-kind=notice]");
  const start = () => chat().getByRole("group", { name: "Start of the agent" });
  const prompts = async (): Promise<readonly string[]> =>
    (await readCards(box.frame)).filter(({ kind }) => kind === "prompt").map(({ text }) => text);

  /** Distance of the first button of the last notice from the start of its text, in pixels. */
  const buttonIndent = (): Promise<number> =>
    notices()
      .last()
      .evaluate(notice => {
        const button = [...notice.querySelectorAll("button")].find(each => each.textContent.trim() !== ""),
          nodes = document.createTreeWalker(notice, NodeFilter.SHOW_TEXT),
          range = document.createRange();
        while (nodes.nextNode())
          if (nodes.currentNode.textContent?.trim()) {
            range.selectNodeContents(nodes.currentNode);
            break;
          }
        return Math.round((button?.getBoundingClientRect().left ?? NaN) - range.getBoundingClientRect().left);
      });

  async function tabOf(id: string): Promise<void> {
    await chat().locator('select[aria-label^="The agent of this tab"]').selectOption(id);
    await newTab(box);
    await seen(
      async () => (await input().getAttribute("placeholder"))?.startsWith(`Ask ${id}`) === true,
      `a tab of ${id}`,
    );
  }
  async function closeTab(): Promise<void> {
    const count = await box.frame.getByRole("tab").count();
    await box.frame.getByRole("tab", { selected: true }).press("Delete");
    await seen(
      async () =>
        (await box.frame.getByRole("tab").count()) < count || (await box.frame.getByRole("alertdialog").count()) > 0,
      "that it closes, or asks",
    );
    if ((await box.frame.getByRole("alertdialog").count()) > 0)
      await box.frame.getByRole("alertdialog").getByRole("button", { name: "Close Tab", exact: true }).click();
    await seen(async () => (await box.frame.getByRole("tab").count()) < count, "the end of the tab");
  }

  suite("failed start", () => {
    teardown(closeTab);

    for (const { id, says, buttons } of STARTS)
      test(`shows a sentence and buttons and keeps the prompt for another attempt (${id})`, async () => {
        await tabOf(id);
        await seen(async () => says.test((await notices().allTextContents()).join("\n")), `${says} in the tab`);
        await becomes(
          async () => (await notices().last().getByRole("button").allInnerTexts()).filter(text => text !== ""),
          [...buttons],
          "the buttons",
        );
        const whole = new RegExp(`${says.source}[^]*${buttons.join("[^]*")}$`);
        await seen(
          async () => whole.test((await notices().last().textContent()) ?? ""),
          "all of it in the order in which it is seen, for those who hear it",
        );
        assert.equal(await buttonIndent(), 0, "buttons below the text");
        assert.equal(await turnState(box.frame), "idle");
        await box.screenshot(`life-${id}`);
        await sendPrompt(box.frame, "say hello");
        await button(box.frame, "Send Again").waitFor();
        await seen(async () => (await turnState(box.frame)) === "idle", "the end of the turn");
        await becomes(prompts, ["say hello"], "the prompt");
      });
  });

  test("is retried by Restart Agent, whose failure replaces the notice", async () => {
    await tabOf("Exiting");
    await button(box.frame, "Restart Agent").waitFor();
    const failures = (): number => box.readLog().split("Agent failed").length,
      before = failures();
    await button(box.frame, "Restart Agent").click();
    await seen(async () => failures() > before, "the failure of the second start");
    await seen(async () => (await notices().filter({ visible: true }).count()) === 1, "only one visible notice");
    await button(box.frame, "Restart Agent").waitFor();
    await closeTab();
  });

  test("sends the prompt again when the agent starts later", async () => {
    await tabOf("Licensed");
    await showsText(box.frame, /Licensed exited unexpectedly/);
    await sendPrompt(box.frame, "say here I am");
    await button(box.frame, "Send Again").waitFor();
    writeFileSync(LICENCE, "");
    await button(box.frame, "Send Again").last().click();
    await showsText(box.frame, /^here I am$/m);
    await turnEnded(box.frame);
    assert.deepEqual(await prompts(), ["say here I am", "say here I am"]);
    await closeTab();
  });

  test("shows that a slow agent starts and sends the waiting prompt", async () => {
    await tabOf("Slow");
    await sendPrompt(box.frame, "say at last");
    await seen(async () => (await start().innerText()).includes("Starting Slow…"), "that it starts");
    assert.equal(await turnState(box.frame), "starting");
    await writeFile(START, "\n");
    await showsText(box.frame, /^at last$/m);
    await turnEnded(box.frame);
    await closeTab();
  });

  test("can be stopped while the agent hangs, whose process ends with its last tab", async () => {
    await tabOf("Hanging");
    await sendPrompt(box.frame, "say never");
    await seen(async () => (await start().innerText()).includes("Starting Hanging…"), "that it starts");
    await becomes(() => Promise.resolve(processesOf(box, "--hang-init").length), 1, "its process");
    await chat().locator("[data-part=stop]:visible").click();
    await showsText(box.frame, "Stopped before the agent started. The prompt was not sent.");
    await seen(async () => (await turnState(box.frame)) === "idle", "the end of the turn");
    await closeTab();
    // The other tab was empty when the agent was selected in it, so it uses the agent, too.
    await chat().locator('select[aria-label^="The agent of this tab"]').selectOption("Good");
    await seen(() => Promise.resolve(processesOf(box, "--hang-init").length === 0), "the end of its process");
  });

  test("restarts an agent that exits between turns and answers the next prompt", async () => {
    await tabOf("Good");
    await sendPrompt(box.frame, "pid");
    await turnEnded(box.frame);
    const pid = Number(/^pid (\d+)$/m.exec((await lastExchange(box.frame)).answer)?.[1]),
      before = processesOf(box, "scripted-agent");
    process.kill(pid, "SIGKILL");
    await showsText(box.frame, /Good exited unexpectedly \(signal SIGKILL\)/);
    await seen(
      () => Promise.resolve(processesOf(box, "scripted-agent").some(each => !before.includes(each))),
      "another process",
    );
    assert.equal(await button(box.frame, "Send Again").count(), 0);
    await sendPrompt(box.frame, "say back");
    await showsText(box.frame, /^back$/m);
    await turnEnded(box.frame);
  });

  test("keeps the output of an agent that exits in a hidden view, and repeats its prompt with Send Again", async () => {
    await tabOf("Good");
    await sendPrompt(box.frame, "pid; say , half an; wait-cancel");
    await showsText(box.frame, /\d, half an/);
    const pid = Number(/^pid (\d+)/m.exec((await lastExchange(box.frame)).answer)?.[1]),
      before = processesOf(box, "scripted-agent"),
      others = (): readonly number[] => processesOf(box, "scripted-agent").filter(each => !before.includes(each));
    assert.ok(before.includes(pid));
    await hideChat(box);
    process.kill(pid, "SIGKILL");
    await seen(() => Promise.resolve(others().length > 0), "another agent");
    const [back] = others();
    await toggleChat(box);
    await showsText(box.frame, /half an[^]*interrupted[^]*Good exited unexpectedly/);
    await button(box.frame, "Send Again").last().click();
    await showsText(box.frame, new RegExp(`^pid ${back}, half an$`, "m"));
    assert.equal([...(await shownText(box.frame)).matchAll(/\d, half an$/gm)].length, 2, "the answer once more");
    await becomes(prompts, ["pid; say , half an; wait-cancel", "pid; say , half an; wait-cancel"], "the prompt twice");
    await chat().locator("[data-part=stop]:visible").click();
    await turnEnded(box.frame);
    await becomes<readonly unknown[]>(() => Promise.resolve(others()), [back], "no more than one other agent");
  });
});
