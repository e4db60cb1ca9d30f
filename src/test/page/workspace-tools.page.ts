/**
 * The agent extension Workspace in a real VS Code: its tools through the editor, its questions, and the badge where
 * questions are bypassed.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { violations } from "./axe";
import { lastExchange, sendPrompt, turnEnded, type Box } from "./harness";
import { answerDialog, button, newTab, openScripted, processesOf, scripted, seen } from "./scripted";
import { closeEditors, openSettings, rowOf, setting, settingsFrame, shows } from "./settings-box";

const entry = (settings: object = {}): object => ({ id: "workspace", _enabled: true, _source: "built-in", settings });
const ALWAYS = "Always Allow Editing Files (This Session)";

suite("Workspace extension", () => {
  let box: Box;
  let folder = "";
  suiteSetup(async () => {
    box = await openScripted({ settings: { "files.autoSave": "off", "symposium.extensions": [entry()] } });
    [folder = ""] = box.folders;
    await box.open();
  });
  suiteTeardown(() => box.close());

  const at = (name: string): string => path.join(folder, name);
  const text = (name: string): string => readFileSync(at(name), "utf8");
  const chat = () => box.frame.locator("[data-part=chat]:visible");
  const card = (kind: string) => chat().locator(`[data-kind="${kind}"]`).last();
  const call = (tool: string, args: object): string => `mcp workspace-tools ${tool} ${JSON.stringify(args)}`;
  const edit = (file: string, old_string: string, new_string: string): string =>
    call("edit_file", { path: file, old_string, new_string });
  const cardSays = (kind: string, text: string | RegExp): Promise<void> =>
    card(kind).filter({ hasText: text }).waitFor();
  /** Sends the script and waits for a question. */
  async function asks(script: string): Promise<void> {
    await sendPrompt(box.frame, script);
    await button(box.frame, "Deny").waitFor();
  }
  async function ended(): Promise<string> {
    await turnEnded(box.frame);
    return (await lastExchange(box.frame)).answer;
  }
  async function ask(script: string): Promise<string> {
    await sendPrompt(box.frame, script);
    return ended();
  }
  async function answered(label: string | RegExp): Promise<string> {
    await button(box.frame, label).click();
    return ended();
  }

  const lines = () => box.page.locator(".editor-group-container .view-lines").first();
  const editorShows = (shown: RegExp): Promise<void> =>
    seen(
      async () =>
        shown.test(
          (
            await lines()
              .innerText()
              .catch(() => "")
          ).replaceAll("\u00a0", " "),
        ),
      `${shown} in the editor`,
    );
  const fileTab = (name: string) => box.page.locator(".tabs-container .tab.active", { hasText: name });
  const isSaved = (name: string): Promise<void> =>
    seen(async () => !(await fileTab(name).evaluate(tab => tab.classList.contains("dirty"))), `that ${name} is saved`);
  /** Waits for the text in the editor, because its tab appears earlier, above the previous text. */
  async function openFile(name: string, content: string): Promise<void> {
    writeFileSync(at(name), content);
    await ask(`show link=file://${at(name)}`);
    await chat().getByRole("link", { name }).last().click();
    await fileTab(name).waitFor();
    await editorShows(new RegExp(`^${content.trimEnd().replaceAll("\n", "\\s+")}\\s*$`));
  }
  /** Types in the editor as a user does. */
  async function typeInEditor(keys: readonly string[], typed = ""): Promise<void> {
    await lines().click();
    for (const key of keys) await box.page.keyboard.press(key);
    if (typed !== "") await box.page.keyboard.type(typed);
  }

  test("reads unsaved text and ranges of it", async () => {
    await openFile("typed.txt", "one\ntwo\n");
    await typeInEditor(["ControlOrMeta+End"], "three, not saved");
    await editorShows(/three, not saved/);
    assert.match(
      await ask(call("read_file", { path: "typed.txt", startLine: 2 })),
      /read_file: two\s+three, not saved/,
    );
    assert.equal(text("typed.txt"), "one\ntwo\n");
  });

  test("requests permission with the change, and applies it as one saved undo step", async () => {
    await openFile("edited.txt", "first\nsecond\nthird\n");
    await asks(edit("edited.txt", "second\nthird", "2nd\n3rd"));
    await cardSays("permission", "Edit edited.txt");
    await chat().getByRole("button", { name: "Open Diff" }).last().waitFor();
    assert.equal(text("edited.txt"), "first\nsecond\nthird\n");
    await box.screenshot("workspace-edit");
    assert.match(await answered(/^Allow$/), /Edited edited\.txt at line 2\./);
    assert.equal(text("edited.txt"), "first\n2nd\n3rd\n");
    await editorShows(/^first\s+2nd\s+3rd/);
    await isSaved("edited.txt");
    await typeInEditor(["ControlOrMeta+z"]);
    await editorShows(/^first\s+second\s+third/);
    await typeInEditor(["ControlOrMeta+Shift+z"]);
    await editorShows(/^first\s+2nd\s+3rd/);
  });

  test("keeps unsaved changes separate from the edit's undo step", async () => {
    await openFile("dirty.txt", "top\nold\n");
    await typeInEditor(["ControlOrMeta+Home"], "mine ");
    await editorShows(/^mine top/);
    await asks(edit("dirty.txt", "old", "new"));
    await answered(/^Allow$/);
    await editorShows(/^mine top\s+new/);
    assert.equal(text("dirty.txt"), "mine top\nnew\n");
    await typeInEditor(["ControlOrMeta+z"]);
    await editorShows(/^mine top\s+old/);
  });

  test("does nothing after a denial and reports it to the model", async () => {
    await asks(call("write_file", { path: "denied/new.txt", content: "x" }));
    assert.match(await answered("Deny"), /The user did not allow this: Make denied\/new\.txt\./);
    assert.ok(!existsSync(at("denied")));
  });

  test("rejects paths outside the workspace without a request", async () => {
    assert.match(
      await ask(call("write_file", { path: "../outside.txt", content: "x" })),
      /outside of the session's folders/,
    );
    assert.ok(!existsSync(at("../outside.txt")));
  });

  test("requests permission for a command line and runs it in a visible terminal", async () => {
    await asks(call("run_terminal", { command: "echo printed && exit 3" }));
    await cardSays("permission", "Run echo printed && exit 3");
    await box.screenshot("workspace-command-light");
    assert.match(await answered(/^Allow$/), /run_terminal: \{"stdout":"printed\\n","stderr":"","code":3\}/);
    const terminal = chat().locator(".symposium-terminal").last();
    for (const [part, shown] of [
      ["command", "echo printed && exit 3"],
      ["state", "exit code 3"],
    ] as const)
      await seen(async () => (await terminal.locator(`.symposium-terminal-${part}`).innerText()) === shown, shown);
    await terminal.locator(".symposium-terminal-output", { hasText: "printed" }).waitFor();
  });

  test("finds files and lines with VS Code's ripgrep", async () => {
    writeFileSync(at(".gitignore"), "ignored.txt\n");
    for (const name of ["found.txt", "ignored.txt"]) writeFileSync(at(name), "a needle here\n");
    assert.match(await ask(call("search_files", { pattern: "{found,ignored}.txt" })), /search_files: found\.txt$/);
    assert.match(
      await ask(call("search_content", { pattern: "needle (?=h)", filePattern: "*.txt" })),
      /search_content: found\.txt:1: a needle here$/,
    );
    const [sidecar] = processesOf(box, "sidecar.js");
    assert.match(readFileSync(`/proc/${sidecar}/environ`, "utf8"), /\0SYMPOSIUM_RIPGREP=[^\0]*\/rg\0/);
  });

  test("applies Always Allow to the tool in the tab only", async () => {
    writeFileSync(at("always.txt"), "a\nb\n");
    await asks(edit("always.txt", "a", "1"));
    await answered(ALWAYS);
    assert.match(await ask(edit("always.txt", "b", "2")), /Edited always\.txt at line 2\./);
    assert.equal(text("always.txt"), "1\n2\n");
    await asks(call("write_file", { path: "always.txt", content: "x" }));
    await answered("Deny");
  });

  suite("bypassed permissions", () => {
    suiteSetup(async () => {
      await box.command("File: Save All Files");
      await seen(async () => (await box.page.locator(".tabs-container .tab.dirty").count()) === 0, "that all is saved");
      await box.command("View: Close All Editors");
      await box.page.locator(".tabs-container .tab").first().waitFor({ state: "hidden" });
    });

    const badge = () => chat().getByRole("button", { name: /^Permissions bypassed/ });
    /** Uses the settings as an editor, which leaves the chat in place. */
    async function bypass(isOn: boolean): Promise<void> {
      const page = await openSettings(box, "page");
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
      assert.equal(await badge().count(), 0);
      await bypass(true);
      await badge().waitFor();
      assert.match((await badge().getAttribute("title")) ?? "", /Scripted acts without asking you\./);
      assert.match(await ask(call("write_file", { path: "bypassed.txt", content: "x" })), /Made bypassed\.txt/);
      assert.equal(text("bypassed.txt"), "x");
      await cardSays("permission", "without asking");
      await box.screenshot("workspace-bypassed");
      assert.equal((await violations(box.frame)).join("\n"), "");
      await badge().focus();
      await box.page.keyboard.press("Enter");
      const page = await settingsFrame(box, "page");
      await rowOf(page, "Scripted").locator(".hazard").waitFor();
      await closeEditors(box);
      await bypass(false);
      await badge().waitFor({ state: "hidden" });
      await asks(call("write_file", { path: "bypassed.txt", content: "y" }));
      await answered("Deny");
    });

    test("shows a badge in tabs that started with an approving extension", async () => {
      box.writeSettings(scripted([], { "symposium.extensions": [entry({ approve: "all" })] }));
      await chat().getByText("This tab still uses its old settings.").waitFor(); // applied
      assert.equal(await badge().count(), 0);
      await newTab(box);
      await badge().waitFor();
      assert.match(
        (await badge().getAttribute("title")) ?? "",
        /The extension Workspace changes files and runs commands without asking you\./,
      );
    });
  });
});
