/** Context that the editor adds to a prompt, in a real VS Code. Each test checks the prompt that the agent received. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Locator } from "playwright-core";
import { chipNames, chips, firstIs, hasChips, input, options, sendByKey } from "./prompt-steps";
import { pickFile } from "./editors";
import { lastExchange, type Box } from "./harness";
import { becomes, hideChat, newTab, openScripted, seen } from "./scripted";

suite("editor content in a prompt", () => {
  let box: Box;
  let folder = "";
  suiteSetup(async () => {
    box = await openScripted({ settings: { "files.autoSave": "off", "terminal.integrated.gpuAcceleration": "off" } });
    [folder = ""] = box.folders;
  });
  suiteTeardown(() => box.close());
  teardown(async () => {
    await box.page.keyboard.press("Escape");
    if ((await prompt().count()) !== 1) return;
    await prompt().fill("");
    await seen(async () => {
      if ((await chips(box.frame).count()) === 0) return true;
      await chips(box.frame)
        .first()
        .locator("button")
        .click({ timeout: 5_000 })
        .catch(() => undefined); // it may have been closed already
      return false;
    }, "a prompt without chips");
  });

  const inFolder = (name: string): string => path.join(folder, name);
  const addressOf = (name: string, lines = ""): string => `${pathToFileURL(inFolder(name)).href}${lines}`;
  const prompt = () => input(box.frame);
  const focusIsInPrompt = (): Promise<void> =>
    seen(
      () => prompt().evaluate(input => document.hasFocus() && document.activeElement === input),
      "the focus in the prompt",
    );
  const option = (name: string) =>
    options(box.frame).filter({
      has: box.frame.locator(".symposium-command-name", {
        hasText: new RegExp(`^${name.replaceAll(/[.()]/g, "\\$&")}$`),
      }),
    });

  /** Sends the prompt and returns the agent's list of received blocks besides the text. Checks their number. */
  async function received(blocks: number): Promise<string> {
    await sendByKey(box);
    const { answer } = await lastExchange(box.frame);
    assert.equal(answer.match(/\{"type":"(?:resource|resource_link|text|image)"/g)?.length, blocks, answer);
    assert.deepEqual(await chipNames(box.frame), []);
    return answer;
  }

  async function selectLines(count: number): Promise<void> {
    await box.page.locator(".editor-group-container .view-line").first().click();
    await box.page.keyboard.press("Control+Home");
    for (let n = 0; n < count; n++) await box.page.keyboard.press("Shift+ArrowDown");
  }
  async function fromMenuOf(place: Locator, entry: string): Promise<void> {
    await place.click({ button: "right" });
    // By keyboard, because VS Code ignores clicks on a menu that has just opened.
    await box.page.locator(".monaco-menu .action-label", { hasText: entry }).last().hover();
    await box.page.locator(".monaco-menu .action-item.focused", { hasText: entry }).waitFor();
    await box.page.keyboard.press("Enter");
  }
  const inExplorer = (name: string) => box.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name });
  async function startPrompt(text: string): Promise<void> {
    await prompt().click();
    await prompt().pressSequentially(text);
  }

  test("adds files and folders from the explorer's menu and by dropping, and reports non-files", async () => {
    await box.page.locator('.activitybar .action-label[aria-label^="Symposium"]').waitFor(); // its menus are registered with it
    await box.command("File: Focus on Files Explorer");
    await fromMenuOf(inExplorer("README.md"), "Add to Symposium");
    await hasChips(box.frame, "README.md");
    await box.command("File: Focus on Files Explorer");
    await fromMenuOf(inExplorer("src"), "Add to Symposium");
    await hasChips(box.frame, "README.md", "src/");
    await focusIsInPrompt();
    await box.page.keyboard.type("received");
    const answer = await received(2);
    assert.ok(answer.includes(addressOf("README.md")) && answer.includes(`${addressOf("src")}"`), answer);

    await newTab(box);
    const drop = (uris: readonly string[]): Promise<void> =>
      prompt().evaluate((input, list) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData("application/vnd.code.uri-list", list);
        for (const type of ["dragenter", "dragover", "drop"])
          input.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }, uris.join("\r\n"));
    await drop([
      `vscode-remote://${box.server.authority}${inFolder("README.md")}`,
      addressOf("src"),
      addressOf("gone.txt"),
    ]);
    await hasChips(box.frame, "README.md", "src/");
    await box.frame
      .getByText(`“${inFolder("gone.txt")}” does not exist.`)
      .first()
      .waitFor();
    await prompt().fill("received");
    await received(2);
  });

  test("adds a selection from the light bulb while the side bar is hidden, and from the editor's menus", async () => {
    await box.open();
    await pickFile(box, "src/count.mjs");
    await hideChat(box);
    const action = box.page.locator(".action-widget .monaco-list-row", { hasText: "Discuss in Symposium" });
    await seen(
      async () => {
        await box.page.keyboard.press("Escape");
        await selectLines(2);
        await box.page.keyboard.press("Control+.");
        return action.waitFor({ timeout: 10_000 }).then(
          () => true,
          () => false,
        );
      },
      "the code action",
      90_000,
    );
    await action.click();
    await hasChips(box.frame, "count.mjs:1-2");
    await focusIsInPrompt();
    await box.page.keyboard.type("received");
    const answer = await received(1);
    assert.ok(
      answer.includes(addressOf("src/count.mjs", "#L1-L2")) && answer.includes("export function count(text)"),
      answer,
    );

    await selectLines(1);
    await fromMenuOf(box.page.locator(".editor-group-container .view-line").first(), "Add to Symposium");
    await hasChips(box.frame, "count.mjs:1");
    await fromMenuOf(box.page.locator(".tabs-container .tab.active"), "Add to Symposium");
    await hasChips(box.frame, "count.mjs:1", "count.mjs");
    await box.page.locator(".editor-group-container .view-line").nth(3).click();
    await box.command("Symposium: Add to Symposium");
    await focusIsInPrompt();
    await hasChips(box.frame, "count.mjs:1", "count.mjs");
    await box.page.keyboard.type("received");
    await received(2);

    await box.page.locator(".editor-group-container .view-line").nth(3).click();
    await box.command("Symposium: Discuss in Symposium");
    await box.page.locator(".notification-list-item", { hasText: "No text is selected in an editor." }).waitFor();
    await box.command("Notifications: Clear All Notifications");
    assert.deepEqual(await chipNames(box.frame), []);
  });

  test("offers open and new files, symbols and problems, and none excluded by .gitignore", async () => {
    await startPrompt("@");
    await firstIs(box.frame, /^src\/count\.mjs\s+open editor$/);
    await prompt().pressSequentially("clim");
    await firstIs(box.frame, /^src\/cli\.mjs\b/);
    await box.page.keyboard.press("Enter");
    await hasChips(box.frame, "cli.mjs");
    await seen(async () => (await prompt().innerText()).trim() === "@src/cli.mjs", "the name in the prompt");
    await prompt().fill("received\nsay @test");
    await prompt().press("End");
    await option("test/").click();
    await hasChips(box.frame, "cli.mjs", "test/");
    const answer = await received(2);
    assert.ok(answer.includes(addressOf("src/cli.mjs")) && answer.includes(`${addressOf("test")}"`), answer);

    writeFileSync(inFolder(".gitignore"), "*.log\n");
    writeFileSync(inFolder("brandnew.txt"), "fresh words");
    writeFileSync(inFolder("brandnew.log"), "");
    await seen(
      async () => {
        await prompt().fill("");
        await prompt().pressSequentially("@brandn");
        return option("brandnew.txt")
          .waitFor({ timeout: 5_000 })
          .then(
            () => true,
            () => false,
          );
      },
      "the new file in the list",
      90_000,
    );
    await becomes(() => options(box.frame).count(), 1, "one file in the list");
    await box.page.keyboard.press("Tab");
    await hasChips(box.frame, "brandnew.txt");
    await prompt().fill("received");
    assert.match(await received(1), /fresh words/);

    await seen(
      async () => {
        await prompt().fill("");
        await prompt().pressSequentially("@commonest");
        return option("commonest")
          .waitFor({ timeout: 5_000 })
          .then(
            () => true,
            () => false,
          );
      },
      "the symbol in the list",
      90_000,
    );
    assert.match(await option("commonest").innerText(), /function · src\/count\.mjs:11/);
    await option("commonest").click();
    await hasChips(box.frame, "commonest");
    await prompt().fill("received");
    assert.ok((await received(1)).includes(addressOf("src/count.mjs", "#L11-L15")));

    writeFileSync(inFolder("wrong.json"), '{ "a": 1,, }\n');
    await pickFile(box, "wrong.json");
    await box.page.locator(".squiggly-error").first().waitFor({ state: "attached" });
    await startPrompt("@prob");
    await firstIs(box.frame, /^problems[^]*error/);
    await box.page.keyboard.press("Enter");
    await seen(async () => /^\d+ problems?$/.test((await chipNames(box.frame))[0] ?? ""), "the chip of the problems");
    await prompt().fill("received");
    assert.match(await received(1), /wrong\.json:1:\d+ error /);
  });

  test("adds a terminal selection and restores the clipboard", async () => {
    await box.page.evaluate(() => navigator.clipboard.writeText("mine"));
    await box.command("Terminal: Create New Terminal");
    await box.page.locator(".terminal-wrapper.active .xterm.focus .xterm-screen").waitFor();
    await box.page.keyboard.type("echo from-the-$((40+2))-terminal\n");
    await seen(
      async () =>
        (await box.page.locator(".terminal-wrapper.active .xterm-rows").innerText())
          .replaceAll("\u00a0", " ")
          .includes("from-the-42-terminal"),
      "the command's output",
    );
    await box.command("Terminal: Select All");
    await fromMenuOf(box.page.locator(".terminal-wrapper.active .xterm-screen"), "Add to Symposium");
    await seen(async () => /^Terminal /.test((await chipNames(box.frame))[0] ?? ""), "the chip of the terminal");
    await focusIsInPrompt();
    await box.page.keyboard.type("received");
    assert.match(await received(1), /from-the-42-terminal/);
    await becomes(() => box.page.evaluate(() => navigator.clipboard.readText()), "mine", "the clipboard as it was");
  });
});
