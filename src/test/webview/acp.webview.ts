/** Features of ACP beyond text: choices at the prompt, forms, pages to open, notices and others. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { lastExchange, sendPrompt, turnEnded, turnState, type ChatBox } from "../page/harness";
import {
  ask,
  newTab,
  pick,
  reloadWebviews,
  seen,
  shownTab,
  shownText,
  showsText,
  stopTurn,
  testAgent,
} from "../page/scripted";
import { openChatBox } from "./fixture";

/** Separate agents, because a choice is stored for its agent in all windows of the server. */
const SETTINGS = {
  "symposium.agents": [
    testAgent("with-options", "Newer", ["--options"]),
    testAgent("with-models", "Older", ["--models"]),
  ],
  "symposium.currentAgentId": "with-options",
};

suite("agent features in the page", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openChatBox(SETTINGS);
  });
  suiteTeardown(() => box.close());

  const chat = () => shownTab(box);
  const picker = (name: string) => chat().locator(`select[data-picker][aria-label="${name}"]`);
  const shows = (name: string, value: string): Promise<void> =>
    seen(
      async () =>
        (await picker(name)
          .inputValue({ timeout: 1_000 })
          .catch(() => "")) === value,
      `${name} at ${value}`,
    );
  /** The agent's current choices, as the agent reports them. */
  const chosen = (): Promise<string> => ask(box, "chosen");
  const stop = (): Promise<void> => stopTurn(box.frame);
  const card = (kind: string) => chat().locator(`[data-kind="${kind}"]`).last();

  test("reads and writes files of the workspace", async () => {
    const [folder = ""] = box.folders;
    writeFileSync(path.join(folder, "notes.txt"), "some notes");
    const answer = await ask(
      box,
      `read ${folder}/notes.txt; write ${folder}/made/by-agent.txt of its own; read ${folder}/nothing.txt`,
    );
    assert.match(answer, /some notes/);
    assert.match(answer, /Resource not found/);
    assert.equal(readFileSync(path.join(folder, "made", "by-agent.txt"), "utf8"), "of its own");
  });

  suite("session control in the page", () => {
    test("sends the selected model and switch to the agent and updates dependent options", async () => {
      await shows("Model", "small");
      assert.deepEqual(
        await picker("Model")
          .locator("optgroup")
          .evaluateAll(groups => groups.map(group => group.getAttribute("label"))),
        ["Quick", "Clever"],
      );
      assert.equal(await picker("Of a type that comes later").count(), 0);
      await pick(box, picker("Model"), "large");
      await shows("Effort", "high");
      await pick(box, picker("Fast"), "on");
      assert.equal(await chosen(), "mode=ask model=large effort=high fast=true");
    });

    test("applies to a second tab and after a window reload", async () => {
      await newTab(box);
      await shows("Model", "large");
      await shows("Fast", "on");
      assert.equal(await chosen(), "mode=ask model=large effort=high fast=true");
      await box.reload();
      await box.open();
      await shows("Model", "large");
      assert.equal(await chosen(), "mode=ask model=large effort=high fast=true");
    });

    test("keeps the value that the agent rejects, with the agent's reason", async () => {
      await pick(box, picker("Model"), "locked");
      await showsText(box.frame, /“Model” was not changed\. .*This model is locked\./);
      await shows("Model", "large");
      assert.equal(await chosen(), "mode=ask model=large effort=high fast=true");
    });

    test("shows changes by the agent", async () => {
      await ask(box, "option model small; option mode code; say done");
      await shows("Model", "small");
      await shows("Mode", "code");
      await shows("Effort", "low");
      await pick(box, picker("Model"), "large");
      await shows("Effort", "high");
    });

    test("shows modes and models of an older agent in the same place", async () => {
      await chat().locator('select[aria-label^="The agent of this tab"]').selectOption("with-models");
      await newTab(box);
      await shows("Model", "small");
      await pick(box, picker("Model"), "large");
      await pick(box, picker("Mode"), "code");
      await seen(
        async () => (await chosen()) === "mode=code model=large",
        "the older agent in the chosen mode, with the chosen model",
      );
      await chat().locator('select[aria-label^="The agent of this tab"]').selectOption("with-options");
      await newTab(box);
    });
  });

  suite("forms", () => {
    teardown(stop);

    const SCHEMA = JSON.stringify({
      title: "About you",
      required: ["name", "age"],
      properties: {
        name: { type: "string", title: "Your name" },
        age: { type: "integer", title: "Your age", minimum: 18 },
        news: { type: "boolean", title: "Send me news" },
        color: { type: "string", title: "Your color", enum: ["red", "green"] },
        languages: { type: "array", title: "Your languages", items: { type: "string", enum: ["German", "English"] } },
      },
    });
    const FORM = `form message="Who are you?" requestedSchema=${SCHEMA}`;
    const focused = (): Promise<string> =>
      box.frame.locator("body").evaluate(() => {
        const at = document.activeElement;
        return at instanceof HTMLInputElement
          ? (at.labels?.[0]?.innerText.trim() ?? "")
          : (at?.textContent.trim() ?? "");
      });
    const selectsAll = (): Promise<boolean> =>
      box.frame.locator("body").evaluate(() => {
        const at = document.activeElement;
        return at instanceof HTMLInputElement && at.selectionStart === 0 && at.selectionEnd === at.value.length;
      });
    async function tabTo(wanted: RegExp): Promise<void> {
      const passed: string[] = [];
      for (let at = await focused(); !wanted.test(at); at = await focused()) {
        passed.push(at);
        assert.ok(passed.length < 20, `${wanted} is not among ${passed.join(" | ")}`);
        await box.page.keyboard.press("Tab");
      }
    }

    test("submits a form by keyboard after validation", async () => {
      await sendPrompt(box.frame, FORM);
      const form = chat().locator(".symposium-form");
      await form.waitFor();
      assert.match(await card("elicitation").innerText(), /Newer[^]*Who are you\?[^]*About you/);
      await seen(
        () => card("elicitation").evaluate(element => element.contains(document.activeElement)),
        "the focus in the form's card",
      );
      const { keyboard } = box.page;
      await tabTo(/^Your name/);
      await keyboard.type("Ada");
      await tabTo(/^Your age/);
      await keyboard.type("17");
      await tabTo(/^Send me news/);
      await keyboard.press("Space");
      await tabTo(/^No answer/);
      await keyboard.press("ArrowUp");
      await tabTo(/^German/);
      await keyboard.press("Space");
      await tabTo(/^Submit/);
      await box.screenshot("form-light");
      await keyboard.press("Enter");
      await showsText(box.frame, /Your age .*18/);
      assert.equal(await turnState(box.frame), "running");
      await seen(async () => /^Your age/.test(await focused()), "the focus on what is wrong");
      await keyboard.press("ControlOrMeta+a");
      // VS Code selects asynchronously after the key, and would replace text typed before
      await seen(selectsAll, "all of the field selected");
      await keyboard.type("36");
      await keyboard.press("Enter");
      await turnEnded(box.frame);
      assert.match(
        (await lastExchange(box.frame)).answer,
        /Answered by you[^]*accept \{"name":"Ada","age":36,"news":true,"color":"green","languages":\["German"\]\}$/,
      );
      assert.equal(await form.count(), 0);
    });

    test("declines a form", async () => {
      await sendPrompt(box.frame, FORM);
      await chat().getByRole("button", { name: "Decline" }).click();
      await turnEnded(box.frame);
      assert.match((await lastExchange(box.frame)).answer, /Declined by you[^]*decline$/);
    });

    test("answers an open form after a view reload", async () => {
      await sendPrompt(box.frame, FORM);
      await chat().locator(".symposium-form").waitFor();
      await reloadWebviews(box);
      await seen(
        async () => !/cannot be answered/.test(await card("elicitation").innerText()),
        "the form, to be answered",
      );
      await chat().getByLabel("Your name").fill("Grace");
      await chat().getByLabel("Your age").fill("40");
      await chat().getByRole("button", { name: "Submit" }).click();
      await turnEnded(box.frame);
      assert.match((await lastExchange(box.frame)).answer, /accept \{"name":"Grace","age":40,"news":false\}$/);
    });

    test("cancels a form that the agent withdraws", async () => {
      assert.match(
        await ask(box, `form* message=Never requestedSchema=${SCHEMA}; withdraw* 500`),
        /Not answered: the agent withdrew the question[^]*failed: -32800/,
      );
      assert.equal(await chat().locator(".symposium-form").count(), 0);
    });
  });

  suite("content", () => {
    teardown(stop);

    test("shows a notice with the agent's name", async () => {
      await ask(box, "notice warning Little room left | 3 files are large; say .");
      assert.match(await card("notice").innerText(), /Newer: Little room left/);
      assert.match((await card("notice").textContent()) ?? "", /3 files are large/);
    });

    test("shows a compaction in progress and then its summary", async () => {
      await sendPrompt(
        box.frame,
        "compact c1 in_progress; compact-say c1 So far, ; compact-say c1 two things were said.; wait-cancel; compact c1 completed",
      );
      await showsText(box.frame, /Compacting the conversation/);
      await stop();
      await turnEnded(box.frame);
      await showsText(box.frame, /The conversation was compacted/);
      assert.match((await card("compaction").textContent()) ?? "", /So far, ?two things were said\./);
    });

    test("shows why a compaction failed", async () => {
      assert.match(
        await ask(box, "compact c2 in_progress; compact c2 failed The context is already short.; say ."),
        /could not be compacted[^]*The context is already short\./,
      );
    });

    test("draws images, names sounds and links resources, in order with the text", async () => {
      await ask(
        box,
        "say before ; show image audio resource=file:///srv/notes.txt link=https://example.org/page hologram=1; say after",
      );
      const kinds = await chat()
        .locator("[data-kind]")
        .evaluateAll(cards => cards.map(each => each.getAttribute("data-kind")));
      assert.deepEqual(
        kinds.slice(kinds.lastIndexOf("prompt") + 1).filter((kind, i, all) => kind !== all[i - 1]),
        ["answer", "media", "answer", "media", "answer"],
      );
      const image = chat().locator('[data-kind="media"] img').last();
      await seen(
        () => image.evaluate(each => each instanceof HTMLImageElement && each.complete && each.naturalWidth === 1),
        "the image",
      );
      const shown = await shownText(box.frame);
      for (const part of [/Audio \(audio\/wav, /, /notes\.txt/, /page/, /unsupported content: hologram/i])
        assert.match(shown, part);
      assert.match(
        await chat()
          .locator('[data-kind="media"]')
          .evaluateAll(cards => cards.map(each => each.textContent).join(" ")),
        /text of file:\/\/\/srv\/notes\.txt/,
      );
    });

    test("shows every kind of tool result on its card", async () => {
      await ask(
        box,
        'tool t1 other Make things; toolupdate t1 completed text="a word" diff={"path":"/a.txt","oldText":"old\\n","newText":"new\\n"} image audio link=file:///srv/made.txt hologram=1; say .',
      );
      const toolCard = card("tool");
      assert.match(
        (await toolCard.textContent()) ?? "",
        /a word[^]*Audio[^]*made\.txt[^]*hologram[^]*a\.txt[^]*−old[^]*\+new/,
      );
      await seen(
        () =>
          toolCard
            .locator("img")
            .first()
            .evaluate(each => each instanceof HTMLImageElement && each.complete && each.naturalWidth === 1),
        "the tool's image",
      );
    });

    test("rejects unknown requests and notifications without display", async () => {
      assert.equal(await ask(box, "unknown-request; unknown-notification"), "unknown request refused: -32601");
    });

    test("cancels a permission request that the agent withdraws", async () => {
      assert.match(await ask(box, "ask* p1; withdraw* 500"), /p1\s+not answered[^]*failed: -32800/);
      assert.match((await card("tool").textContent()) ?? "", /Not answered: the agent withdrew the question/);
    });
  });
});
