/** The review of an agent's changes as a user operates it. One window, and each test continues the previous one. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator } from "playwright-core";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { pickFile } from "./editors";
import { promptInput, type Box } from "./harness";
import { ask, becomes, openScripted, seen } from "./scripted";

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
  const line = (text: string): Locator =>
    box.page.locator(".editor-group-container .view-line", { hasText: text }).first();
  /** The lines of the file that are not numbered. */
  const changes = (): Promise<readonly string[]> =>
    Promise.resolve(
      readFileSync(notes, "utf8")
        .split("\n")
        .filter(each => each !== "" && !NUMBERS.includes(each)),
    );
  const changesAre = (...expected: readonly string[]): Promise<void> => becomes(changes, expected, "the changed lines");
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
});
