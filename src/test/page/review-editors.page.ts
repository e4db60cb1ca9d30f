/** Editors with the changes of a session or of a turn. Each test continues the previous one. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator } from "playwright-core";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import type { Box } from "./harness";
import { ask, becomes, openScripted, seen } from "./scripted";

const NUMBERS = Array.from({ length: 9 }, (_, i) => `line ${i + 1}`);

suite("editors of the review", () => {
  let box: Box;
  let notes = "";
  suiteSetup(async () => {
    box = await openScripted({ settings: { "files.autoSave": "off" } });
    notes = path.join(box.folders[0] ?? "", "notes.txt");
    writeFileSync(notes, `${NUMBERS.join("\n")}\n`);
    await box.open();
  });
  suiteTeardown(() => box.close());

  const changesAre = (...expected: readonly string[]): Promise<void> =>
    becomes(
      async () =>
        readFileSync(notes, "utf8")
          .split("\n")
          .filter(line => line !== "" && !NUMBERS.includes(line)),
      expected,
      "the changed lines",
    );
  const actions = (): Locator => box.page.locator(".editor-actions .action-label");
  const titleActions = async (): Promise<readonly string[]> => {
    const labels = await actions().evaluateAll(all => all.map(each => each.getAttribute("aria-label") ?? ""));
    return labels.filter(label => /^(Keep|Undo|Restore)/.test(label));
  };
  const tab = (): Locator => box.page.locator(".tabs-container .tab.active");
  /** Selects the focused item of VS Code's list with this title. */
  const accept = async (title: string, label: RegExp): Promise<void> => {
    const list = box.page.locator(".quick-input-widget:visible", { hasText: title });
    await list.locator(".monaco-list-row.focused", { hasText: label }).waitFor();
    await box.page.keyboard.press("Enter");
  };

  test("opens the changes of a turn by keyboard, and undoes them in the title", async function () {
    this.timeout(timeLimit(180_000));
    await ask(box, `disk sed -i -e 2s/.*/FIRST/ ${notes}; say one`);
    await ask(box, `disk sed -i -e 8s/.*/SECOND/ ${notes}; say two`);
    await box.command("Symposium: Review by Turn…");
    await accept("Review by Turn", /SECOND/);
    await accept("SECOND", /Review/);
    await seen(async () => /^Changes by Scripted: disk sed/.test(await tab().innerText()), "the changes of the turn");
    await seen(async () => (await titleActions()).length > 0, "the actions in the title");
    await box.screenshot("review-turn");
    assert.deepEqual(await titleActions(), ["Keep All", "Undo All"]);
    await actions().and(box.page.getByLabel("Undo All")).click();
    await changesAre("FIRST");
  });

  test("offers to keep all in the editor with the changes of a session, and not in others", async function () {
    this.timeout(timeLimit(180_000));
    await box.command("Symposium: Review Changes");
    await seen(async () => (await titleActions()).join() === "Keep All,Undo All", "the actions in the title");
    await box.command("Symposium: Keep All");
    await seen(async () => (await box.page.locator('[id$="symposium.review"]').innerText()).includes("Kept"), "Kept");
    await box.screenshot("review-all-kept");
    await changesAre("FIRST");
    await box.command("View: Close All Editors");
    await box.command("File: New Untitled Text File");
    await seen(async () => (await titleActions()).length === 0, "no actions in the title");
  });
});
