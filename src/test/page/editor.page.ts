/**
 * Files that an agent reads and writes through the editor, and the editor's display of its actions, in a real VS Code.
 * Other tests run in plain Chromium (`agent-actions.webview.ts`).
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { editorShows, fileTab, isSaved, lines } from "./editors";
import { sendPrompt, turnState, type Box } from "./harness";
import { ask, becomes, button, openChatBox, seen, shownTab, stopTurn } from "./scripted";

const SETTINGS = {
  "files.autoSave": "off",
  "terminal.integrated.gpuAcceleration": "off",
  "diffEditor.useInlineViewWhenSpaceIsLimited": false,
};

suite("agent that works through the editor", () => {
  let box: Box;
  let folder = "";
  suiteSetup(async () => {
    box = await openChatBox(SETTINGS);
    [folder = ""] = box.folders;
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
  const chat = () => shownTab(box);
  async function stop(): Promise<void> {
    await chat().locator("[data-part=stop]:visible").click();
    await seen(async () => (await turnState(box.frame)) === "idle", "the end of the turn");
  }

  /** Opens a file through a link of the agent. */
  async function openFile(name: string): Promise<void> {
    await ask(box, `show link=file://${inFolder(name)}`);
    await chat().getByRole("link", { name }).last().click();
    await fileTab(box, name).waitFor();
  }

  test("shows the end of long output and everything with Open in Terminal", async () => {
    const terminal = chat().locator(".symposium-terminal").last(),
      output = terminal.locator(".symposium-terminal-output");
    await ask(box, "terminal seq 700");
    await chat().locator(".symposium-fold").last().click();
    await seen(async () => /^201\n[^]*\n700\n*$/.test(await output.innerText()), "the end of the output in the card");
    await terminal.getByText("The beginning is omitted.").waitFor();
    await seen(
      () =>
        output.evaluate(
          each => each.scrollHeight > each.clientHeight && each.scrollHeight - each.scrollTop - each.clientHeight < 2,
        ),
      "its end, to which it is scrolled",
    );
    await terminal.getByRole("button", { name: "Open in Terminal" }).click();
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

  test("reads unsaved text, and writes to disk and to the editor that has the file open", async () => {
    writeFileSync(inFolder("typed.txt"), "as saved\n");
    await openFile("typed.txt");
    await editorShows(box, /as saved/);
    await lines(box).click();
    await box.page.keyboard.press("ControlOrMeta+a");
    await box.page.keyboard.insertText("as typed");
    await editorShows(box, /as typed/);
    assert.match(await ask(box, `read ${inFolder("typed.txt")}`), /as typed/);
    assert.equal(readFileSync(inFolder("typed.txt"), "utf8"), "as saved\n");

    writeFileSync(inFolder("written.txt"), "before\n");
    await openFile("written.txt");
    await editorShows(box, /before/);
    assert.match(await ask(box, `write ${inFolder("written.txt")} by the agent\\n`), /wrote/);
    assert.equal(readFileSync(inFolder("written.txt"), "utf8"), "by the agent\n");
    await editorShows(box, /^by the agent/);
    await isSaved(box, "written.txt");
  });

  test("shows both sides of Open Diff in VS Code's diff editor", async () => {
    await ask(
      box,
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
    await fileTab(box, "made-up.mjs (proposed by Scripted)").waitFor();
    await box.screenshot("diff-light");
  });

  test("opens the agent's file in preview with Follow and keeps the focus in the chat", async () => {
    const works = (id: string, place: string): string =>
      `tool ${id} read Look; toolupdate ${id} in_progress locations=${inFolder(place)}; wait-cancel`;
    await sendPrompt(box.frame, works("f1", "src/cli.mjs:2"));
    const follow = chat().locator("[data-part=dock-follow]");
    await follow.click();
    await chat().locator('[data-part=dock-follow][aria-pressed="true"]').waitFor();
    await stop();
    await sendPrompt(box.frame, works("f2", "src/count.mjs:3"));
    await fileTab(box, "count.mjs").waitFor();
    await becomes(() => fileTab(box, "count.mjs").locator(".monaco-icon-label.italic").count(), 1, "a preview");
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
});
