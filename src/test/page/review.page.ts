/** The review of an agent's changes as a user operates it. One window, and each test continues the previous one. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator } from "playwright-core";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { isSaved, pickFile } from "./editors";
import { promptInput, sendPrompt, type Box } from "./harness";
import { answerDialog, answerShows, ask, barrier, becomes, openScripted, reloadWindow, seen } from "./scripted";

const NUMBERS = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);
const THEMES = ["Dark Modern", "Light Modern", "Dark High Contrast", "Light High Contrast"];

suite("review", () => {
  let box: Box;
  let notes = "",
    created = "";
  suiteSetup(async () => {
    box = await openScripted({ settings: { "files.autoSave": "off" } });
    const [folder = ""] = box.folders;
    notes = path.join(folder, "notes.txt");
    created = path.join(folder, "created.txt");
    writeFileSync(notes, `${NUMBERS.join("\n")}\n`);
    await box.open();
  });
  suiteTeardown(() => box.close());

  const list = (): Locator => box.page.locator(".scm-view");
  const row = (name: string): Locator => list().locator(".monaco-list-row", { hasText: name }).first();
  /** The names of the groups and files, from top to bottom. */
  const rows = async (): Promise<readonly string[]> =>
    (await list().locator(".monaco-list-row").allInnerTexts()).map(text => text.split("\n")[0] ?? "").sort();
  const badge = (): Locator =>
    box.page.locator('.activitybar .action-item:has([aria-label^="Source Control"]) .badge-content');
  /** The lines are in any order. A narrow diff may also contain the lines of its original side, without a width. */
  const line = (text: string): Locator =>
    box.page
      .locator(".editor-group-container .view-line:not(.editor.original *)")
      .filter({ hasText: new RegExp(`^${text.replace(" ", "\\s")}$`) })
      .first();
  /** The lines of the file that are not numbered. */
  const changes = (): Promise<readonly string[]> =>
    Promise.resolve(
      readFileSync(notes, "utf8")
        .split("\n")
        .filter(each => each !== "" && !NUMBERS.includes(each)),
    );
  const changesAre = (...expected: readonly string[]): Promise<void> => becomes(changes, expected, "the changed lines");
  const isSavedBy = async (key: string): Promise<void> => {
    await box.page.keyboard.press(key);
    await isSaved(box, "notes.txt");
  };
  const marks = (): Promise<number> => box.page.locator(".dirty-diff-glyph").count();

  test("lists the files of a session that an agent changed on disk, with a badge", async function () {
    this.timeout(timeLimit(180_000));
    await ask(
      box,
      `terminal sed -i -e 2s/.*/TWO/ -e 15s/.*/FIFTEEN/ -e 28s/.*/LAST/ ${notes}; write ${created} new; say done`,
    );
    await changesAre("TWO", "FIFTEEN", "LAST");
    await box.page.keyboard.press("Control+Shift+G");
    await seen(async () => (await rows()).length === 3, "a session with two files");
    assert.deepEqual((await rows()).slice(1), ["created.txt", "notes.txt"]);
    assert.equal(await badge().innerText(), "2");
  });

  test("undoes a change at the cursor in the diff of all files, and undoes the undo", async function () {
    this.timeout(timeLimit(180_000));
    await row("Scripted").hover();
    await list().locator('.action-label[aria-label^="Review Changes"]').first().click();
    await line("FIFTEEN").click();
    await box.screenshot("review-changes");
    await box.page.keyboard.press("Shift+Alt+N");
    await changesAre("TWO", "LAST");
    await box.page.locator('[id$="symposium.review"] a').click();
    await changesAre("TWO", "FIFTEEN", "LAST");
  });

  test("keeps and undoes changes from the gutter", async function () {
    this.timeout(timeLimit(180_000));
    await pickFile(box, "notes.txt");
    await seen(async () => (await marks()) === 3, "three marks in the gutter");
    const press = async (action: string): Promise<void> => {
      await box.page.keyboard.press("Alt+F3");
      await box.page.locator(`.peekview-widget .action-label[aria-label^="${action}"]`).first().click();
    };
    await line("line 4").click();
    await press("Keep Change");
    await seen(async () => (await marks()) === 2, "two marks after Keep");
    await line("line 20").click();
    await press("Undo Change");
    await changesAre("TWO", "FIFTEEN");
    await seen(async () => (await marks()) === 1, "one mark after Undo");
    await box.page.keyboard.press("Escape");
  });

  test("adds a comment on a line to the prompt of the session", async function () {
    this.timeout(timeLimit(180_000));
    await line("line 20").click();
    await box.page.keyboard.press("ControlOrMeta+Home");
    await line("TWO").click();
    await box.command("Comments: Add Comment on Current Selection");
    await box.page.locator(".review-widget .monaco-editor.focused, .review-widget textarea:focus").first().waitFor();
    await box.page.keyboard.type("Why in capitals?");
    await box.page.locator(".review-widget .monaco-button", { hasText: "Add to Prompt" }).click();
    await becomes(
      async () => (await (await promptInput(box.frame)).innerText()).trim(),
      "notes.txt:2: Why in capitals?",
      "the draft",
    );
    assert.match(await box.frame.locator(".symposium-chips").innerText(), /notes\.txt:2/);
    await (await promptInput(box.frame)).fill("");
  });

  test("looks right in all themes", async function () {
    this.timeout(timeLimit(240_000));
    await box.page.keyboard.press("Control+Shift+G");
    await row("notes.txt").click();
    for (const theme of THEMES) {
      await box.selectTheme(theme);
      await row("notes.txt").hover();
      await box.screenshot(`review-${theme.toLowerCase().replaceAll(" ", "-")}`);
    }
  });

  test("undoes everything, also a created file, until nothing is left to review", async function () {
    this.timeout(timeLimit(180_000));
    await row("Scripted").hover();
    await list().locator('.action-label[aria-label^="Undo All"]').first().click();
    await changesAre("FIFTEEN");
    await seen(() => Promise.resolve(!existsSync(created)), "that the created file is deleted");
    await seen(async () => (await badge().count()) === 0 || !(await badge().isVisible()), "no badge");
  });

  test("undoes a change of the agent, and keeps unsaved text above it", async function () {
    this.timeout(timeLimit(180_000));
    await ask(box, `disk sed -i -e 5s/.*/FIVE/ -e 25s/.*/LATE/ ${notes}; say done`);
    await pickFile(box, "notes.txt");
    await line("line 3").click();
    await box.page.keyboard.press("End");
    await box.page.keyboard.type("\nMINE");
    await line("LATE").click();
    await box.page.keyboard.press("Shift+Alt+N");
    await changesAre("MINE", "FIVE", "FIFTEEN");
  });

  test("opens the merge editor and changes nothing if an undo conflicts with a change of the user", async function () {
    this.timeout(timeLimit(180_000));
    await line("line 25").click();
    await box.page.keyboard.press("End");
    await box.page.keyboard.type(" of mine");
    await isSavedBy("Control+S");
    await box.command("Symposium: Undo Last Operation");
    const merge = box.page.locator(".merge-editor");
    await merge.getByText("Accept Undo").first().waitFor();
    await box.screenshot("review-conflict");
    await changesAre("MINE", "FIVE", "FIFTEEN", "line 25 of mine");
    assert.deepEqual(await box.page.locator(".editor-actions").getByLabel("Keep File").count(), 0);
    await merge.getByText("Accept Undo").first().click();
    await isSavedBy("Control+S");
    await changesAre("MINE", "FIVE", "FIFTEEN", "line 25 of mine", "LATE");
    await box.command("View: Close All Editors");
  });

  test("restores the files to before a prompt after a preview, and undoes that", async function () {
    this.timeout(timeLimit(180_000));
    const prompt = box.frame.locator("[data-kind=prompt]").last();
    await prompt.hover();
    await prompt.getByRole("button", { name: "Prompt Actions" }).click();
    await box.frame.getByRole("menuitem", { name: "Restore Files…", exact: true }).click();
    await answerDialog(box, /^Restore 1 file to before this prompt\?$/, "Show Changes");
    await line("FIVE").waitFor();
    await box.screenshot("review-rewind");
    await box.page.locator(".editor-actions .action-label", { hasText: /^Restore$/ }).click();
    await changesAre("MINE", "FIFTEEN", "line 25 of mine", "LATE");
    await box.page.locator('[id$="symposium.review"] a').click();
    await changesAre("MINE", "FIVE", "FIFTEEN", "line 25 of mine", "LATE");
  });

  test("lists the changes of a turn that a reload of the window interrupted, and undoes a deletion in its editor", async function () {
    this.timeout(timeLimit(240_000));
    const { step } = barrier();
    await sendPrompt(box.frame, `disk rm ${notes}; say half; ${step}`);
    await answerShows(box.frame, /half/);
    await reloadWindow(box);
    await seen(
      async () => (await row("notes.txt").getAttribute("aria-label"))?.includes("Deleted") === true,
      "the deleted file",
    );
    await row("notes.txt").click();
    await box.page.locator('.editor-actions .action-label[aria-label^="Undo File"]').click();
    await seen(() => Promise.resolve(existsSync(notes)), "that the file is restored");
    await changesAre("MINE", "FIFTEEN", "line 25 of mine", "LATE");
  });
});
