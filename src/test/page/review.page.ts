/** The review of an agent's changes as a user operates it. One window, and each test continues the previous one. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator } from "playwright-core";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { pickFile } from "./editors";
import { promptInput, type Box } from "./harness";
import { ask, becomes, openScripted, seen } from "./scripted";

const NUMBERS = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`);
/** The file with these lines replaced. */
const withLines = (lines: Readonly<Record<number, string>>): string =>
  NUMBERS.map((line, i) => (lines[i + 1] === undefined ? line : `${lines[i + 1]}\n`)).join("");

suite("review", () => {
  let box: Box;
  let notes = "";
  suiteSetup(async () => {
    box = await openScripted();
    const [folder = ""] = box.folders;
    notes = path.join(folder, "notes.txt");
    writeFileSync(notes, NUMBERS.join(""));
    await box.open();
  });
  suiteTeardown(() => box.close());

  const list = (): Locator => box.page.locator(".scm-view");
  /** The names of the rows, without paths. */
  const rows = (): Promise<readonly string[]> =>
    list()
      .locator(".monaco-list-row")
      .evaluateAll(elements =>
        elements
          .sort((a, b) => Number(a.dataset["index"]) - Number(b.dataset["index"]))
          .map(row => row.querySelector(".label-name, .name")?.textContent ?? ""),
      );
  const text = (): string => readFileSync(notes, "utf8");
  const badge = (): Promise<string> =>
    box.page.locator('.activitybar .action-item:has([aria-label^="Source Control"]) .badge-content').innerText();

  test("lists the files of a session that an agent changed on disk, with a badge", async function () {
    this.timeout(timeLimit(180_000));
    const created = path.join(path.dirname(notes), "created.txt");
    await ask(
      box,
      `terminal sed -i -e 2s/.*/TWO/ -e 15s/.*/FIFTEEN/ -e 28s/.*/LAST/ ${notes}; write ${created} new\\n; say done`,
    );
    assert.equal(text(), withLines({ 2: "TWO", 15: "FIFTEEN", 28: "LAST" }));
    await box.command("View: Show Source Control");
    await seen(async () => (await rows()).includes("notes.txt"), "the changed file in the source control");
    await box.screenshot("review-list");
    assert.deepEqual(await rows(), []);
    assert.equal(await badge(), "2");
    assert.ok(existsSync(created));
  });
});
