/** The review in a workspace with two folders and in new windows. Each test continues the previous one. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator } from "playwright-core";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { pickFile } from "./editors";
import { sendPrompt, turnEnded, type Box } from "./harness";
import { openScripted, seen } from "./scripted";

const NUMBERS = Array.from({ length: 9 }, (_, i) => `line ${i + 1}`);

suite("review in several folders and windows", () => {
  let box: Box;
  let [one, two, created] = ["", "", ""];
  suiteSetup(async () => {
    box = await openScripted({ folders: ["one", "two"], settings: { "files.autoSave": "off" } });
    const [first = "", second = ""] = box.folders;
    [one, two, created] = [path.join(first, "one.txt"), path.join(second, "two.txt"), path.join(second, "created.txt")];
    for (const file of [one, two]) writeFileSync(file, `${NUMBERS.join("\n")}\n`);
    git("init", "--quiet");
    commit();
    await box.open();
  });
  suiteTeardown(() => box.close());

  /** In the first folder. */
  function git(...args: readonly string[]): void {
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
      cwd: path.dirname(one),
    });
  }
  function commit(): void {
    git("add", "--all");
    git("commit", "--quiet", "--message", "Change the lines");
  }

  /** The agent runs in the first folder. */
  const chooseFolder = (): Promise<void> =>
    box.page
      .locator(".quick-input-widget:visible .monaco-list-row", { hasText: path.dirname(one) })
      .first()
      .click();
  /** Git lists some of the files, too. */
  const row = (name: string): Locator =>
    box.page
      .locator(".scm-view .monaco-list-row", { hasText: name })
      .filter({ has: box.page.locator('.action-label[aria-label^="Keep File"]') });
  /** Names of the files that are under review. */
  const files = async (): Promise<string> => {
    const shown = await Promise.all(
      ["one.txt", "two.txt", "created.txt"].map(async name => ((await row(name).count()) === 1 ? name : "")),
    );
    return shown.filter(name => name !== "").join(" ");
  };
  const filesAre = (expected: string): Promise<void> =>
    seen(async () => (await files()) === expected, `${expected === "" ? "no file" : expected} under review`);
  const act = async (name: string, action: string): Promise<void> => {
    await row(name).hover();
    await row(name).locator(`.action-label[aria-label^="${action}"]`).first().click();
  };
  const mark = (): Locator => box.page.locator(".dirty-diff-glyph");
  const hasChange = (file: string): boolean => readFileSync(file, "utf8").includes("CHANGED");

  test("lists and marks the changes in both folders, and undoes and keeps them in each", async function () {
    this.timeout(timeLimit(240_000));
    const sed = "sed -i -e 2s/.*/CHANGED/";
    await sendPrompt(
      box.frame,
      `disk ${sed} ${one}; terminal ${sed} -e 8s/.*/CHANGED/ ${two}; write ${created} new; say done`,
    );
    await chooseFolder();
    await turnEnded(box.frame);
    await box.page.keyboard.press("Control+Shift+G");
    await filesAre("one.txt two.txt created.txt");
    for (const [name, marks] of [
      ["one.txt", 1],
      ["two.txt", 2],
    ] as const) {
      await pickFile(box, name);
      await seen(async () => (await mark().count()) === marks, `${marks} marks in ${name}`);
    }
    await act("created.txt", "Undo");
    await seen(() => Promise.resolve(!existsSync(created)), "that the created file is deleted");
    // The list moves its rows.
    await filesAre("one.txt two.txt");
    await act("one.txt", "Keep");
    await filesAre("two.txt");
    assert.deepEqual([one, two].map(hasChange), [true, true]);
    await box.command("Symposium: Undo Last Operation");
    await filesAre("one.txt two.txt");
  });

  test("lists and marks the changes in a new window before the chat is opened", async function () {
    this.timeout(timeLimit(240_000));
    await box.openFresh();
    await box.page.keyboard.press("Control+Shift+G");
    await filesAre("one.txt two.txt");
    assert.equal(await box.page.locator("iframe.webview.ready").count(), 0);
    await pickFile(box, "two.txt");
    await seen(async () => (await mark().count()) === 2, "two marks");
    await box.screenshot("review-new-window");
  });
});
