/** Actions of an agent through the editor (commands, files), and the editor's display of them, in a real VS Code. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { lastExchange, readCards, sendPrompt, turnEnded, turnState, type Box } from "./harness";
import {
  becomes,
  button,
  hideChat,
  newTab,
  notification,
  openScripted,
  processesOf,
  seen,
  showsText,
  stopTurn,
} from "./scripted";

const SETTINGS = {
  "files.autoSave": "off",
  "terminal.integrated.gpuAcceleration": "off",
  "diffEditor.useInlineViewWhenSpaceIsLimited": false,
};

suite("agent that works through the editor", () => {
  let box: Box;
  let folder = "";
  suiteSetup(async () => {
    box = await openScripted({ settings: SETTINGS });
    [folder = ""] = box.folders;
    await box.open();
  });
  suiteTeardown(() => box.close());
  teardown(async () => {
    if (
      (await box.frame
        .locator('body:not([data-turn="idle"])[data-turn]')
        .count()
        .catch(() => 0)) > 0
    )
      await stopTurn(box.frame);
  });

  const inFolder = (name: string): string => path.join(folder, name);
  const chat = () => box.frame.locator("[data-part=chat]:visible");
  const card = (kind: string) => chat().locator(`[data-kind="${kind}"]`).last();
  async function ask(script: string): Promise<string> {
    await sendPrompt(box.frame, script);
    await turnEnded(box.frame);
    return (await lastExchange(box.frame)).answer;
  }
  async function stop(): Promise<void> {
    await chat().locator("[data-part=stop]:visible").click();
    await seen(async () => (await turnState(box.frame)) === "idle", "the end of the turn");
  }

  /** A command that prints, and continues after `letGo`. */
  function gated(name: string, before: string, after: string): { readonly command: string; letGo(): Promise<void> } {
    const gate = inFolder(`${name}.gate`);
    execFileSync("mkfifo", [gate]);
    writeFileSync(inFolder(`${name}.sh`), `printf '${before}'\nread _ < ${name}.gate\n${after}\n`);
    return { command: `sh ${name}.sh`, letGo: () => writeFile(gate, "\n") };
  }

  const editorShows = (text: RegExp): Promise<void> =>
    seen(
      async () =>
        text.test(
          (
            await box.page
              .locator(".editor-group-container .view-lines")
              .first()
              .innerText()
              .catch(() => "")
          ).replaceAll("\u00a0", " "),
        ),
      `${text} in the editor`,
    );
  const fileTab = (name: string) => box.page.locator(".tabs-container .tab.active", { hasText: name });
  /** Opens a file through a link of the agent. */
  async function openFile(name: string): Promise<void> {
    await ask(`show link=file://${inFolder(name)}`);
    await chat().getByRole("link", { name }).last().click();
    await fileTab(name).waitFor();
  }

  suite("terminal command", () => {
    const terminal = () => chat().locator(".symposium-terminal").last();
    const output = () => terminal().locator(".symposium-terminal-output");
    const state = () => terminal().locator(".symposium-terminal-state");
    const prints = (text: RegExp): Promise<void> =>
      seen(
        async () =>
          text.test(
            await output()
              .innerText({ timeout: 1_000 })
              .catch(() => ""),
          ),
        `${text} in the card`,
      );
    const colourOf = (text: string): Promise<string> =>
      output()
        .getByText(text)
        .evaluate(each => getComputedStyle(each).color);

    test("shows its coloured output while it runs, and its exit code", async () => {
      const live = gated("live", "plain words\\n\\033[31mred words\\033[0m\\n", "echo after the gate\nexit 3");
      await sendPrompt(box.frame, `terminal ${live.command}`);
      await prints(/^plain words\nred words\n*$/);
      assert.deepEqual(
        [
          await terminal().locator(".symposium-terminal-command").innerText(),
          await state().innerText(),
          await turnState(box.frame),
        ],
        ["sh live.sh", "running", "running"],
      );
      assert.notEqual(await colourOf("red words"), await colourOf("plain words"));
      await live.letGo();
      await turnEnded(box.frame);
      await prints(/^plain words\nred words\nafter the gate\n*$/);
      await becomes(() => state().innerText(), "exit code 3", "how it ended");
      assert.match((await lastExchange(box.frame)).answer, /exit 3: plain words/);
      await box.screenshot("terminal-light");
    });

    test("keeps its output when the agent kills it", async () => {
      const { command } = gated("killed", "begun\\n", "echo never");
      await sendPrompt(
        box.frame,
        `terminal-start ${command}; ask p1; terminal-kill; terminal-wait; terminal-output; terminal-release`,
      );
      await prints(/^begun\n*$/);
      await button(box.frame, "Allow once").first().click();
      await turnEnded(box.frame);
      assert.match((await lastExchange(box.frame)).answer, /exit SIGTERM\s*begun/);
      await becomes(() => state().innerText(), "SIGTERM", "how it ended");
      await prints(/^begun\n*$/);
    });

    test("ends when the turn is cancelled", async () => {
      const { command } = gated("stopped", "begun\\n", "echo never");
      await sendPrompt(box.frame, `terminal ${command}`);
      await prints(/^begun\n*$/);
      await becomes(() => Promise.resolve(processesOf(box, command).length), 1, "its process");
      await stop();
      await becomes(() => state().innerText(), "SIGTERM", "how it ended");
      await becomes(() => Promise.resolve(processesOf(box, command)), [], "no process of it");
    });

    test("shows the end of long output and everything with Open in Terminal", async () => {
      await ask("terminal seq 700");
      await prints(/^201\n[^]*\n700\n*$/);
      await terminal().getByText("The beginning is omitted.").waitFor();
      await seen(
        () =>
          output().evaluate(
            each => each.scrollHeight > each.clientHeight && each.scrollHeight - each.scrollTop - each.clientHeight < 2,
          ),
        "its end, to which it is scrolled",
      );
      await terminal().getByRole("button", { name: "Open in Terminal" }).click();
      const rows = box.page.locator(".terminal-wrapper .xterm-rows");
      await seen(
        async () => /699\s+700\s+exit code 0/.test(await rows.innerText().catch(() => "")),
        "the output in a terminal of VS Code",
      );
      await box.page.locator(".panel .single-terminal-tab", { hasText: "seq 700" }).waitFor();
      await box.screenshot("open-in-terminal-light");
      await box.command("Terminal: Scroll to Top");
      await seen(async () => /^\s*1\s+2\s+3\s/.test(await rows.innerText().catch(() => "")), "its beginning");
      await box.command("Terminal: Kill the Active Terminal Instance");
    });
  });

  suite("files", () => {
    test("reads unsaved text from the editor", async () => {
      writeFileSync(inFolder("typed.txt"), "as saved\n");
      await openFile("typed.txt");
      await editorShows(/as saved/);
      await box.page.locator(".editor-group-container .view-lines").first().click();
      await box.page.keyboard.press("ControlOrMeta+a");
      await box.page.keyboard.insertText("as typed");
      await editorShows(/as typed/);
      assert.match(await ask(`read ${inFolder("typed.txt")}`), /as typed/);
      assert.equal(readFileSync(inFolder("typed.txt"), "utf8"), "as saved\n");
    });

    test("writes to disk and to the editor that has the file open", async () => {
      writeFileSync(inFolder("written.txt"), "before\n");
      await openFile("written.txt");
      await editorShows(/before/);
      assert.match(await ask(`write ${inFolder("written.txt")} by the agent\\n`), /wrote/);
      assert.equal(readFileSync(inFolder("written.txt"), "utf8"), "by the agent\n");
      await editorShows(/^by the agent/);
      await seen(
        async () => !(await fileTab("written.txt").evaluate(tab => tab.classList.contains("dirty"))),
        "that it is saved",
      );
    });

    test("asks for a link out of the workspace and writes nothing after a rejection", async () => {
      const target = path.join(realpathSync(path.dirname(folder)), "target.txt");
      writeFileSync(target, "as it was");
      symlinkSync(target, inFolder("way-out.txt"));
      await sendPrompt(box.frame, `write ${inFolder("way-out.txt")} changed`);
      await button(box.frame, "Reject").waitFor();
      assert.ok((await card("permission").innerText()).includes(`Write ${target}`));
      await box.screenshot("outside-light");
      await button(box.frame, "Reject").click();
      await turnEnded(box.frame);
      assert.match((await lastExchange(box.frame)).answer, /did not allow this/);
      assert.equal(readFileSync(target, "utf8"), "as it was");
    });

    test("asks for a file outside the workspace with its resolved path", async () => {
      const outside = path.join(realpathSync(path.dirname(folder)), "outside.txt"),
        REFUSED = `The user did not allow this: ${outside} is outside of the workspace.`;
      writeFileSync(outside, "from outside");
      await sendPrompt(box.frame, `read ${path.join(folder, "..", "outside.txt")}`);
      await button(box.frame, "Reject").click();
      await turnEnded(box.frame);
      const rejected = (await lastExchange(box.frame)).answer;
      for (const part of [`Read ${outside}`, "The file is outside of the workspace.", REFUSED])
        assert.ok(rejected.includes(part), `${part} is not in: ${rejected}`);
      assert.ok(!rejected.includes("from outside"));
      await sendPrompt(box.frame, `read ${outside}`);
      await button(box.frame, /^Allow$/).click();
      await turnEnded(box.frame);
      assert.match((await lastExchange(box.frame)).answer, /^from outside$/m);
      await sendPrompt(box.frame, `read ${outside}`);
      await button(box.frame, `Allow everything in ${path.dirname(outside)}, in this tab`).click();
      await turnEnded(box.frame);
      const unasked = await ask(`read ${outside}`);
      assert.equal(unasked, "from outside");
    });
  });

  test("shows both sides of Open Diff in VS Code's diff editor", async () => {
    await ask(
      `tool d1 edit Change it; toolupdate d1 completed diff=${JSON.stringify({ path: inFolder("src/made-up.mjs"), oldText: "const a = 1\nreturn old\n", newText: "const a = 1\nreturn fresh\n" })}; say .`,
    );
    await button(box.frame, "Open Diff").click();
    const sideShows = (side: string, text: RegExp): Promise<void> =>
      seen(
        async () =>
          text.test(
            (
              await box.page
                .locator(`.monaco-diff-editor .editor.${side} .view-lines`)
                .innerText()
                .catch(() => "")
            ).replaceAll("\u00a0", " "),
          ),
        `${text} on the ${side} side`,
      );
    await sideShows("original", /^const a = 1\s+return old\s*$/);
    await sideShows("modified", /^const a = 1\s+return fresh\s*$/);
    await fileTab("made-up.mjs (proposed by Scripted)").waitFor();
    await box.screenshot("diff-light");
  });

  test("opens the agent's file in preview with Follow and keeps the focus in the chat", async () => {
    const works = (id: string, place: string): string =>
      `tool ${id} read Look; toolupdate ${id} in_progress locations=${inFolder(place)}; wait-cancel`;
    await sendPrompt(box.frame, works("f1", "src/cli.mjs:2"));
    const follow = chat().locator(".symposium-follow");
    await follow.click();
    await chat().locator('.symposium-follow[aria-pressed="true"]').waitFor();
    await stop();
    await sendPrompt(box.frame, works("f2", "src/count.mjs:3"));
    await fileTab("count.mjs").waitFor();
    await becomes(() => fileTab("count.mjs").locator(".monaco-icon-label.italic").count(), 1, "a preview");
    await seen(
      async () =>
        (await box.page
          .locator(".editor-group-container .active-line-number")
          .first()
          .innerText()
          .catch(() => "")) === "3",
      "the line",
    );
    assert.ok(await box.frame.locator("body").evaluate(() => document.hasFocus()), "the focus is in the chat");
    await follow.click();
    await stop();
  });

  test("restarts after it is killed during a turn and sends the prompt again with Send Again", async () => {
    await newTab(box);
    await sendPrompt(box.frame, "pid; wait-cancel");
    await showsText(box.frame, /^pid \d+$/m);
    const pid = Number(/^pid (\d+)$/m.exec((await lastExchange(box.frame)).answer)?.[1]),
      before = processesOf(box, "scripted-agent");
    assert.ok(before.includes(pid));
    process.kill(pid, "SIGKILL");
    await showsText(box.frame, /Scripted exited unexpectedly/);
    await button(box.frame, "Send Again").waitFor();
    const others = (): readonly number[] => processesOf(box, "scripted-agent").filter(each => !before.includes(each));
    await seen(() => Promise.resolve(others().length > 0), "another agent");
    const [back] = others();
    await button(box.frame, "Send Again").click();
    await showsText(box.frame, new RegExp(`^pid ${back}$`, "m"));
    await stop();
    await becomes(
      async () => (await readCards(box.frame)).filter(({ kind }) => kind === "prompt").map(({ text }) => text),
      ["pid; wait-cancel", "pid; wait-cancel"],
      "the prompt twice",
    );
    await becomes<readonly unknown[]>(() => Promise.resolve(others()), [back], "no more than one other agent");
  });

  test("shows a badge and a notification for a question while the view is hidden", async () => {
    const hidden = gated("hidden", "", "");
    const badge = box.page
      .locator(".activitybar .action-item", { has: box.page.locator('.action-label[aria-label^="Symposium"]') })
      .locator(".badge");
    await sendPrompt(box.frame, `terminal ${hidden.command}; ask p1 title="Delete everything?"`);
    await seen(
      async () =>
        (await chat()
          .locator(".symposium-terminal-state")
          .last()
          .innerText({ timeout: 1_000 })
          .catch(() => "")) === "running",
      "the agent at work",
    );
    await hideChat(box);
    assert.equal(await badge.isVisible(), false);
    await hidden.letGo();
    const toast = await notification(box, "Scripted asks you a question.");
    await badge.locator(".badge-content", { hasText: /^1$/ }).waitFor();
    await toast.getByRole("button", { name: "Open Chat" }).hover(); // its animation has ended
    await box.screenshot("badge-light");
    await toast.getByRole("button", { name: "Open Chat" }).click();
    await button(box.frame, "Allow once").waitFor();
    await seen(async () => /Delete everything\?/.test(await card("permission").innerText()), "the question");
    await badge.waitFor({ state: "hidden" });
    await button(box.frame, "Allow once").click();
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).answer, /chose allow_once/);
  });
});
