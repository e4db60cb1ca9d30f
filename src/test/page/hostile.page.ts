/** An agent that tries to take over the page of a real VS Code. Other tests run in plain Chromium. */
import assert from "node:assert/strict";
import type { ChatBox } from "./harness";
import { plantedScriptRuns, takenOver, type Taken } from "./hostile-content";
import { openScripted, seen } from "./scripted";

suite("hostile agent", () => {
  let box: ChatBox, harm: Taken["harm"];
  suiteSetup(async () => {
    ({ box, harm } = await takenOver(openScripted({ settings: { "symposium.logLevel": "debug" } }), "kept"));
  });
  suiteTeardown(() => box.close());

  test("cannot run or load anything, and opens only web links, with VS Code's dialog", async () => {
    assert.deepEqual(await harm(), []);
    await box.screenshot("hostile-light");
    const links = box.frame.locator("[data-part=chat]:visible [data-kind=answer] a:visible");
    const dangerous: string[] = [];
    for (const link of await links.all()) {
      const href = (await link.getAttribute("href")) ?? "";
      if (/^https?:/.test(href)) continue;
      dangerous.push(href);
      await link.click();
      await link.click({ button: "middle" });
      await link.focus();
      await box.page.keyboard.press("Enter");
    }
    for (const kind of ["file:", "../"])
      assert.ok(
        dangerous.some(href => href.startsWith(kind)),
        `no link ${kind} among ${dangerous.join(" ")}`,
      );
    assert.deepEqual(
      dangerous.filter(href => /^\s*(?!file:)[^/?#]*:/i.test(href)),
      [],
      "a script or a command is not even a link",
    );
    await seen(async () => box.readLog().includes("outside the workspace"), "the line in the log");
    assert.deepEqual(await harm(), []);
    assert.equal(box.page.context().pages().length, 1);
    assert.equal(await box.page.locator(".monaco-dialog-box:visible").count(), 0);
    assert.ok(await box.frame.locator("#symposium").isVisible(), "the command that hides the side bar was not run");

    await box.frame
      .locator("[data-part=chat]:visible [data-kind=answer] a:visible", { hasText: "web link" })
      .first()
      .click();
    const dialog = box.page.locator(".monaco-dialog-box:visible");
    await dialog.waitFor();
    assert.match(await dialog.innerText(), /evil\.example/);
    await box.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    assert.deepEqual(await harm(), []);
  });

  test("triggers a detected violation of the content security policy", async () => {
    assert.deepEqual(await harm(), []);
    assert.equal(await plantedScriptRuns(box), false);
    const after = await harm();
    assert.ok(after.length === 1 && after[0]?.startsWith("script-src"), JSON.stringify(after));
  });
});
