/**
 * Agents in VS Code's own chat: conversations that are edited, copied, shortened, and restored after a restart. The
 * chat sends the whole history each time. The tests check which session of the agent received a prompt, and with which
 * history.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Box } from "./harness";
import { ModelBox } from "./model-box";
import type { ModelChat } from "./model-chat";
import { seen } from "./scripted";

const BEFORE = "Earlier messages of this chat, which you do not remember";

suite("histories of VS Code's chat", () => {
  let model: ModelBox, box: Box, chat: ModelChat;

  suiteSetup(async () => {
    model = await ModelBox.open();
    ({ box, chat } = model);
    const [folder = ""] = box.folders;
    mkdirSync(path.join(folder, ".github"));
    writeFileSync(path.join(folder, ".github/copilot-instructions.md"), "Mention a pomegranate.\n");
    writeFileSync(path.join(folder, "AGENTS.md"), "Mention a quince.\n");
    await chat.showList(box);
  });
  suiteTeardown(() => model.close());

  async function talk(...turns: readonly string[]): Promise<void> {
    for (const text of turns) {
      await chat.send(`say ${text}`);
      await chat.answered(text);
      await chat.ended();
    }
  }

  /** Asserts that a new session of the agent received these turns, and no others. */
  function assertNewSession(sessions: number, words: string, ...turns: readonly string[]): void {
    assert.deepEqual([model.sessions, model.prompt.words], [sessions, `say ${words}`]);
    const text = model.quoted.slice(model.quoted.indexOf(BEFORE));
    assert.deepEqual(
      [...text.matchAll(/^(User|Assistant): (.*)$/gm)].map(([, who, what]) => `${who}: ${what}`),
      turns.flatMap(turn => [`User: say ${turn}`, `Assistant: ${turn}`]),
    );
  }

  test("sends the user's instructions once as a quotation, and answers the title request itself", async () => {
    await talk("the first of all", "the second of all");
    const [first, second] = model.prompts,
      more = first?.otherBlocks.map(({ text }) => text ?? "").join("\n") ?? "";
    assert.match(
      more,
      /Instructions of the user, from \S+copilot-instructions\.md:\n```\nMention a pomegranate\.\n```/,
    );
    assert.match(more, /Instructions of the user, from \S+AGENTS\.md:\n```\nMention a quince\.\n```/);
    assert.doesNotMatch(JSON.stringify(second), /pomegranate|quince/);
    for (const own of [
      "You are an expert AI programming assistant",
      "VSCODE_TARGET_SESSION_LOG",
      "reminderInstructions",
      "replace_string_in_file",
      "environment_info",
    ])
      assert.equal(model.log.includes(own), false, own);

    const sessions = model.sessions,
      prompts = model.prompts.length;
    await chat.newChat();
    await talk("one two three four five six seven eight nine ten");
    await chat.listed("say one two three four five six seven…").waitFor();
    await box.screenshot("lm-list");
    assert.deepEqual([model.sessions, model.prompts.length], [sessions + 1, prompts + 1]);
    assert.doesNotMatch(JSON.stringify(model.prompts), /title/i);
  });

  test("starts a session with the earlier messages for an edit, a repeated answer and a restored checkpoint", async () => {
    await chat.newChat();
    await talk("apples", "pears", "plums");
    const sessions = model.sessions;
    await chat.edit("say pears", "say cherries");
    await chat.answered("cherries");
    assertNewSession(sessions + 1, "cherries", "apples");
    await talk("lemons");
    assert.equal(model.sessions, sessions + 1, "and goes on");

    let prompts = model.prompts.length;
    await chat.retry();
    await model.until(() => model.prompts.length > prompts, "the words again");
    await chat.answered("lemons");
    await chat.ended();
    assertNewSession(sessions + 2, "lemons", "apples", "cherries");

    prompts = model.prompts.length;
    await chat.restore("say cherries");
    assert.deepEqual([model.sessions, model.prompts.length], [sessions + 2, prompts], "no session before a message");
    await talk("grapes");
    assertNewSession(sessions + 3, "grapes", "apples");
  });

  test("continues a fork and its origin in separate sessions", async () => {
    await chat.newChat();
    await talk("oak", "beech", "larch");
    await model.written("larch", 3);
    const { session } = model.prompt,
      sessions = model.sessions;
    await chat.fork("say larch");
    await talk("yew");
    assertNewSession(sessions + 1, "yew", "oak", "beech");
    await model.written("yew", 3);
    const fork = model.prompt.session;
    await chat.listed(/^say oak/).click();
    await chat.answered("larch");
    await talk("maple");
    assert.deepEqual([model.prompt.session, model.quoted.includes(BEFORE)], [session, false]);
    await model.written("maple", 4);
    await chat.listed(/^Forked: say oak/).click();
    await chat.answered("yew");
    await talk("ash");
    assert.deepEqual([model.prompt.session, model.quoted.includes(BEFORE)], [fork, false]);
  });

  test("streams two chats with the same text concurrently from separate sessions", async () => {
    const STREAM = "stream 100000 chunks of 20 chars every 50 ms",
      prompts = model.prompts.length,
      cancelled = model.onEvent("session/cancel").length;
    await chat.newChat();
    await chat.send(STREAM);
    await chat.answered("w9 ");
    await chat.newChat();
    await chat.send(STREAM);
    await chat.answered("w9 ");
    const both = model.prompts.slice(prompts).map(({ session }) => session),
      [first, second] = both;
    assert.notEqual(first, second);
    const received = model.speakers.length;
    await model.until(() => both.every(session => model.speakers.slice(received).includes(session)), "words of both");
    assert.equal(model.onEvent("session/cancel").length, cancelled);
    await box.screenshot("lm-two-chats");
    await chat.stop();
    await model.until(
      () => model.onEvent("session/cancel").some(({ params }) => params?.sessionId === second),
      "the second is stopped",
    );
    assert.equal(model.onEvent("session/cancel").length, cancelled + 1, "the first streams on");
    await seen(async () => (await chat.running.count()) === 1, "the list knows that the second has ended");
    await chat.running.click();
    await chat.stop();
    await model.until(
      () => model.onEvent("session/cancel").some(({ params }) => params?.sessionId === first),
      "the first is stopped",
    );
  });

  test("continues a compacted chat in its session without repeating the history", async () => {
    await chat.newChat();
    await talk("red", "green");
    const { session } = model.prompt,
      sessions = model.sessions;
    await chat.command("/compact");
    await chat.answered("Compacted conversation");
    await chat.ended();
    await talk("blue", "yellow");
    assert.deepEqual(
      model.prompts.slice(-2).map(prompt => [prompt.session, prompt.words]),
      [
        [session, "say blue"],
        [session, "say yellow"],
      ],
    );
    for (const { otherBlocks } of model.prompts.slice(-2))
      assert.doesNotMatch(JSON.stringify(otherBlocks), /red|conversation-summary/);
    assert.equal(model.sessions, sessions);
  });

  test("continues an old chat after a restart with its history in the prompt", async () => {
    const processes = model.onEvent("initialize").length;
    await chat.newChat();
    await talk("Monday", "Tuesday");
    await chat.send("stream 1 chunks of 30 chars");
    await chat.answered("w10");
    await model.written("w9 w10", 3);
    await chat.indexed("say Monday");
    await box.reload();
    await chat.ready();
    await chat.listed(/^say Monday/).click();
    await chat.answered("w10");
    await chat.picker.filter({ hasText: "Scripted" }).waitFor(); // it appears when the extension is active
    await talk("Thursday");
    assert.equal(model.onEvent("initialize").length, processes + 1);
    assert.match(
      model.quoted,
      /User: say Monday\n\nAssistant: Monday\n\nUser: say Tuesday\n\nAssistant: Tuesday\n\nUser: stream 1 chunks of 30 chars\n\nAssistant: w1 w2 [^\n]*w10\n/,
    );
    const { session } = model.prompt;
    await talk("Friday");
    assert.deepEqual([model.prompt.session, model.quoted.includes(BEFORE)], [session, false]);
  });
});
