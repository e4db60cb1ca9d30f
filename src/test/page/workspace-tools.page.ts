/**
 * The agent extension Workspace in a real VS Code: its tools through the editor, its questions, and the badge where
 * questions are bypassed. Other tests run in plain Chromium (`agent-actions.webview.ts`).
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { violations } from "./axe";
import { editorShows, fileTab, isSaved, lines } from "./editors";
import { lastExchange, sendPrompt, turnEnded, type Box } from "./harness";
import { answerDialog, ask, button, openChatBox, processesOf, seen, shownTab } from "./scripted";
import { closeEditors, openSettings, press, rowOf, setting, settingsFrame, shows } from "./settings-box";

const WORKSPACE = { id: "workspace", _enabled: true, _source: "built-in" };

suite("Workspace extension", () => {
  let box: Box;
  let folder = "";
  suiteSetup(async () => {
    box = await openChatBox({ "files.autoSave": "off", "symposium.extensions": [WORKSPACE] });
    [folder = ""] = box.folders;
  });
  suiteTeardown(() => box.close());

  const at = (name: string): string => path.join(folder, name);
  const text = (name: string): string => readFileSync(at(name), "utf8");
  const chat = () => shownTab(box);
  const card = (kind: string) => chat().locator(`[data-kind="${kind}"]`).last();
  const call = (tool: string, args: object): string => `mcp workspace-tools ${tool} ${JSON.stringify(args)}`;
  const edit = (file: string, old_string: string, new_string: string): string =>
    call("edit_file", { path: file, old_string, new_string });
  const cardSays = (kind: string, text: string | RegExp): Promise<void> =>
    card(kind).filter({ hasText: text }).waitFor();
  /** Sends the script and waits for a question. */
  async function asks(script: string): Promise<void> {
    await sendPrompt(box.frame, script);
    await button(box.frame, "Reject").waitFor();
  }
  async function ended(): Promise<string> {
    await turnEnded(box.frame);
    return (await lastExchange(box.frame)).answer;
  }
  async function answered(label: string | RegExp): Promise<string> {
    await button(box.frame, label).click();
    return ended();
  }

  /** Waits for the text in the editor, because its tab appears earlier, above the previous text. */
  async function openFile(name: string, content: string): Promise<void> {
    writeFileSync(at(name), content);
    await ask(box, `show link=file://${at(name)}`);
    await chat().getByRole("link", { name }).last().click();
    await fileTab(box, name).waitFor();
    await editorShows(box, new RegExp(`^${content.trimEnd().replaceAll("\n", "\\s+")}\\s*$`));
  }
  /** Types in the editor as a user does. */
  async function typeInEditor(keys: readonly string[], typed = ""): Promise<void> {
    await lines(box).click();
    for (const key of keys) await box.page.keyboard.press(key);
    if (typed !== "") await box.page.keyboard.type(typed);
  }

  test("reads unsaved text, and applies an allowed change as one saved undo step", async () => {
    await openFile("typed.txt", "one\ntwo\n");
    await typeInEditor(["ControlOrMeta+End"], "three, not saved");
    await editorShows(box, /three, not saved/);
    assert.match(
      await ask(box, call("read_file", { path: "typed.txt", startLine: 2 })),
      /read_file: two\s+three, not saved/,
    );
    assert.equal(text("typed.txt"), "one\ntwo\n");

    await openFile("edited.txt", "first\nsecond\nthird\n");
    await asks(edit("edited.txt", "second\nthird", "2nd\n3rd"));
    await cardSays("permission", "edited.txt");
    await chat().getByRole("button", { name: "Open Diff" }).last().waitFor();
    assert.equal(text("edited.txt"), "first\nsecond\nthird\n");
    await box.screenshot("workspace-edit");
    assert.match(await answered(/^Allow Once$/), /Edited edited\.txt at line 2\./);
    assert.equal(text("edited.txt"), "first\n2nd\n3rd\n");
    await editorShows(box, /^first\s+2nd\s+3rd/);
    await isSaved(box, "edited.txt");
    await typeInEditor(["ControlOrMeta+z"]);
    await editorShows(box, /^first\s+second\s+third/);
    await typeInEditor(["ControlOrMeta+Shift+z"]);
    await editorShows(box, /^first\s+2nd\s+3rd/);

    await openFile("dirty.txt", "top\nold\n");
    await typeInEditor(["ControlOrMeta+Home"], "mine ");
    await editorShows(box, /^mine top/);
    await asks(edit("dirty.txt", "old", "new"));
    await answered(/^Allow Once$/);
    await editorShows(box, /^mine top\s+new/);
    assert.equal(text("dirty.txt"), "mine top\nnew\n");
    await typeInEditor(["ControlOrMeta+z"]);
    await editorShows(box, /^mine top\s+old/);
  });

  test("finds files and lines with VS Code's ripgrep", async () => {
    writeFileSync(at(".gitignore"), "ignored.txt\n");
    for (const name of ["found.txt", "ignored.txt"]) writeFileSync(at(name), "a needle here\n");
    assert.match(await ask(box, call("search_files", { pattern: "{found,ignored}.txt" })), /search_files: found\.txt$/);
    assert.match(
      await ask(box, call("search_content", { pattern: "needle (?=h)", filePattern: "*.txt" })),
      /search_content: found\.txt:1: a needle here$/,
    );
    const [sidecar] = processesOf(box, "sidecar.js");
    assert.match(readFileSync(`/proc/${sidecar}/environ`, "utf8"), /\0SYMPOSIUM_RIPGREP=[^\0]*\/rg\0/);
  });

  const badge = () => chat().getByRole("button", { name: /^Permissions bypassed/ });
  /** Opens the settings as an editor, so that the chat stays visible. */
  async function bypass(isOn: boolean): Promise<void> {
    const page = await openSettings(box, "page");
    if (isOn) await press(page, "More: Scripted");
    await rowOf(page, "Scripted")
      .getByRole("checkbox", { name: "Allow everything without asking: Scripted", checked: !isOn })
      .click();
    if (isOn) await answerDialog(box, /^Allow Scripted to do everything without asking\?/, "Always for Scripted");
    await shows(
      page,
      () =>
        ((setting(box, "symposium.agents") as readonly Readonly<Record<string, unknown>>[])[0]?.[
          "bypassPermissions"
        ] ===
          true) ===
        isOn,
      "it in the settings",
    );
    await closeEditors(box);
  }

  test("shows a badge while the agent's setting bypasses permissions, with a link to the settings", async () => {
    await box.command("File: Save All Files");
    await seen(async () => (await box.page.locator(".tabs-container .tab.dirty").count()) === 0, "that all is saved");
    await box.command("View: Close All Editors");
    await box.page.locator(".tabs-container .tab").first().waitFor({ state: "hidden" });
    assert.equal(await badge().count(), 0);
    await bypass(true);
    await badge().waitFor();
    assert.match((await badge().getAttribute("title")) ?? "", /Scripted acts without asking you\./);
    assert.match(await ask(box, call("write_file", { path: "bypassed.txt", content: "x" })), /Made bypassed\.txt/);
    assert.equal(text("bypassed.txt"), "x");
    await cardSays("tool", "without asking");
    await box.screenshot("workspace-bypassed");
    assert.equal((await violations(box.frame)).join("\n"), "");
    await badge().focus();
    await box.page.keyboard.press("Enter");
    await button(box.frame, "Open Settings").click();
    const page = await settingsFrame(box, "page");
    await rowOf(page, "Scripted").locator(".hazard").waitFor();
    await closeEditors(box);
    await bypass(false);
    await badge().waitFor({ state: "hidden" });
    await asks(call("write_file", { path: "bypassed.txt", content: "y" }));
    assert.match(await answered("Reject"), /The user did not allow this: Write bypassed\.txt\./);
    assert.equal(text("bypassed.txt"), "x");
  });
});
