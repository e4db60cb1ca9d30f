/**
 * The basic guarantees of the chat view, with the scripted agent. Those of VS Code's frame are in
 * `../page/chat.page.ts`.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { lastExchange, sendPrompt, turnEnded, turnState, type ChatBox } from "../page/harness";
import {
  answerDialog,
  answerShows,
  becomes,
  button,
  barrier,
  hideChat,
  isCounting,
  newTab,
  numberedWords,
  processesOf,
  reloadWebviews,
  scripted,
  seen,
  shownText,
  showsText,
  toggleChat,
} from "../page/scripted";
import { openScripted } from "./fixture";

const TRACES = path.join(mkdtempSync(path.join(tmpdir(), "traces-")), "trace");
const ABSENT = { id: "absent", name: "Absent", distribution: { local: { command: "no-such-command-anywhere" } } };

suite("chat view with a scripted agent", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted({ settings: { "symposium.traceDir": TRACES } });
    await box.open();
  });
  suiteTeardown(() => box.close());

  test("shows a tool call as a line with input and output", async () => {
    await sendPrompt(
      box.frame,
      `tool t1 execute List the files; toolupdate t1 completed input={"command":"ls -la /srv"} rawOutput="total 0" text="nothing there"; say listed`,
    );
    await turnEnded(box.frame);
    await showsText(box.frame, "$ ls -la /srv");
    await showsText(box.frame, "listed");
    const card = box.frame.locator(`[data-kind="tool"]:visible`);
    const whole = (await card.allTextContents()).join(" ");
    for (const part of ["$ ls -la /srv", "Input", "Output", "total 0", "nothing there"])
      assert.ok(whole.includes(part), `the card lacks ${part}: ${whole}`);
    assert.equal((await lastExchange(box.frame)).answer.split("\n").at(-1), "listed");
  });

  test("shows a permission request with the agent's options and returns the answer", async () => {
    await sendPrompt(box.frame, `ask p1 options=allow_once,reject_once input={"command":"rm -r build"}`);
    await showsText(box.frame, "rm -r build");
    await showsText(box.frame, "Allow this?");
    await box.screenshot("permission-light");
    await button(box.frame, /reject_once|Reject/i)
      .first()
      .click();
    await turnEnded(box.frame);
    assert.match(await shownText(box.frame), /rejected/);
    assert.match((await lastExchange(box.frame)).answer, /chose .*reject/i);
  });

  test("confirms Allow Everything in VS Code's dialog and allows the session's requests", async () => {
    await newTab(box);
    await sendPrompt(box.frame, "ask p2 options=allow_once,allow_always,reject_once,reject_always");
    const more = box.frame.locator("[data-part=chat]:visible").getByRole("button", { name: "More Actions" });
    for (const choice of ["Cancel", "This Session"]) {
      await more.click();
      await box.frame.getByRole("menuitem", { name: "Allow Everything…" }).click();
      await answerDialog(box, /^Allow Scripted to do everything without asking\?/, choice);
      if (choice === "Cancel") assert.equal(await turnState(box.frame), "running");
    }
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /allowed without asking[^]*chose allow_once/);
    assert.ok(!JSON.stringify(box.readSettings()).includes("bypassPermissions"));
  });

  test("cancels the turn with Stop and waits for its end", async () => {
    await sendPrompt(box.frame, "say working; wait-cancel");
    await showsText(box.frame, /^working$/m);
    await box.frame.locator("[data-part=stop]:visible").click();
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /Stopped\./);
  });

  test("shows each chunk once in order after it is hidden during a stream", async () => {
    const rest = barrier();
    await newTab(box);
    await sendPrompt(box.frame, `stream 120 chunks of 10 chars every 50 ms; ${rest.step}; say END`);
    await answerShows(box.frame, /w3\b/);
    await hideChat(box);
    await toggleChat(box);
    await answerShows(box.frame, /w1\b/);
    rest.open();
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /END$/);
    const words = await numberedWords(box.frame);
    assert.ok(isCounting(words) && words.length > 200, `words on screen: ${words.join(" ")}`);
  });

  test("restores an open permission request after a reload", async () => {
    await sendPrompt(box.frame, "ask p9 options=allow_once,reject_once");
    await button(box.frame, /allow_once|Allow/i)
      .first()
      .waitFor();
    await reloadWebviews(box);
    await button(box.frame, /allow_once|Allow/i)
      .first()
      .waitFor();
    await button(box.frame, /allow_once|Allow/i)
      .first()
      .click();
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /chose .*allow/i);
  });

  test("streams in two tabs from one process without mixing them", async () => {
    const rest = barrier(),
      ends = (word: string): Promise<void> =>
        seen(async () => (await lastExchange(box.frame)).answer.endsWith(word), `an answer that ends with ${word}`);
    await newTab(box);
    await sendPrompt(box.frame, `stream 60 chunks of 10 chars every 20 ms; ${rest.step}; say FIRST`);
    await newTab(box);
    await sendPrompt(box.frame, `stream 60 chunks of 10 chars every 20 ms; ${rest.step}; say SECOND`);
    await answerShows(box.frame, /w1 w2/);
    rest.open();
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /SECOND$/);
    assert.ok(isCounting(await numberedWords(box.frame)));
    await box.frame.locator("[role=tab]").nth(-2).click();
    await ends("FIRST");
    assert.ok(isCounting(await numberedWords(box.frame)));
    await becomes(() => Promise.resolve(processesOf(box, "scripted-agent").length), 1, "one process");
  });

  test("shows one notice when the agent is killed during a stream and accepts the next prompt", async () => {
    await sendPrompt(box.frame, "say before; stream 20 chunks of 10 chars every 20 ms; wait-cancel");
    await answerShows(box.frame, /w5\b/);
    const [agent] = processesOf(box, "scripted-agent");
    assert.ok(agent !== undefined);
    process.kill(agent, "SIGKILL");
    await showsText(box.frame, /Scripted exited unexpectedly/);
    assert.equal([...(await shownText(box.frame)).matchAll(/exited unexpectedly/g)].length, 1);
    await box.screenshot("agent-killed-light");
    await seen(async () => (await turnState(box.frame)) === "idle", "the end of the turn");
    await sendPrompt(box.frame, "say back again");
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /back again/);
  });

  test("keeps the content when the sidecar is killed during a stream and accepts the next prompt", async () => {
    await newTab(box);
    await sendPrompt(box.frame, "stream 20 chunks of 10 chars every 20 ms; wait-cancel");
    await answerShows(box.frame, /w9\b/);
    const [sidecar] = processesOf(box, "sidecar.js serve");
    assert.ok(sidecar !== undefined);
    process.kill(sidecar, "SIGKILL");
    await showsText(box.frame, /does not remember the conversation above/);
    const words = await numberedWords(box.frame);
    assert.ok(words.length >= 9 && isCounting(words), `words on screen: ${words.join(" ")}`);
    await box.screenshot("sidecar-killed-light");
    await sendPrompt(box.frame, "say alive");
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /alive/);
    await becomes(
      () => Promise.resolve([processesOf(box, "sidecar.js serve").length, processesOf(box, "scripted-agent").length]),
      [1, 1],
      "one sidecar, and the old agent gone",
    );
  });

  test("writes every message to a file with symposium.traceDir", async () => {
    await newTab(box);
    await sendPrompt(box.frame, "say traced to the end");
    await turnEnded(box.frame);
    /** Complete lines; the line being written has no line end yet. */
    const lines = (): readonly string[] =>
      existsSync(TRACES)
        ? readdirSync(TRACES).flatMap(file => readFileSync(path.join(TRACES, file), "utf8").split("\n").slice(0, -1))
        : [];
    const has =
      (type: string, method: string, from: string, text = "") =>
      (line: string): boolean => {
        const event: { readonly type?: unknown; readonly method?: unknown; readonly from?: unknown } = JSON.parse(
          line,
        ) as object;
        return event.type === type && event.method === method && event.from === from && line.includes(text);
      };
    const wanted = [
      has("request", "initialize", "client"),
      has("request", "session/prompt", "client", "traced to the end"),
      has("notification", "session/update", "agent", "traced to the end"),
    ];
    await seen(() => Promise.resolve(wanted.every(each => lines().some(each))), "all of it in the trace");
  });

  test("shows a sentence with a button for an agent that cannot start", async () => {
    box.writeSettings({
      ...scripted(),
      "symposium.agents": [ABSENT, ...(scripted()["symposium.agents"] as readonly unknown[])],
      "symposium.currentAgentId": "absent",
    });
    await box.frame
      .locator('[data-part=chat]:visible select[aria-label^="The agent of this tab"] option[value=absent]')
      .waitFor({ state: "attached" });
    await box.command("Symposium: New Tab");
    await showsText(box.frame, /Absent could not be started/);
    await button(box.frame, "Change Agent").first().waitFor();
    await sendPrompt(box.frame, "say it was waiting");
    await button(box.frame, "Send Again").waitFor();
    await showsText(box.frame, /Absent could not be started/);
    await box.screenshot("agent-absent");
  });

  test("replaces the agent of an empty tab and offers a new tab after the first prompt", async () => {
    const agent = () => box.frame.locator('[data-part=chat]:visible select[aria-label^="The agent of this tab"]');
    await newTab(box);
    const tabs = await box.frame.locator("[role=tab]").count();
    await agent().selectOption("scripted");
    await seen(
      async () =>
        (await box.frame.locator("[data-part=prompt]:visible").getAttribute("placeholder")) ===
        "Ask Scripted. @ adds context, / runs commands",
      "the other agent in the same tab",
    );
    assert.equal(await box.frame.locator("[role=tab]").count(), tabs);
    await sendPrompt(box.frame, "say here");
    await turnEnded(box.frame);
    await agent().selectOption("absent");
    await button(box.frame, "New Tab with Absent").waitFor();
    await box.screenshot("agent-new-tab");
    assert.equal(await agent().inputValue(), "scripted");
    await button(box.frame, "New Tab with Absent").click();
    await showsText(box.frame, /Absent could not be started/);
    assert.equal(await box.frame.locator("[role=tab]").count(), tabs + 1);
  });
});
