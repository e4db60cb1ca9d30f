/**
 * The view “Sessions” as a user operates it, mostly by keyboard. One window, and each test continues the previous one.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Locator } from "playwright-core";
import { allowOnce, promptInput, sendPrompt, turnEnded, type Box } from "./harness";
import {
  AGENT_ID,
  ask,
  barrier,
  becomes,
  newTab,
  openScripted,
  reloadWindow,
  seen,
  showsText,
  testAgent,
  wear,
} from "./scripted";

const PARSER = "Fix the flaky parser test",
  MIGRATION = "say Migrating the store",
  QUESTION = 'ask cmd title="Run npm test"',
  THEIRS = "Wombats of the command line";

suite("view “Sessions”", () => {
  let box: Box;
  const folder = mkdtempSync(path.join(tmpdir(), "symposium-sessions-")),
    agentSessions = path.join(folder, "agent-sessions.json"),
    gate = barrier();

  suiteSetup(async () => {
    writeFileSync(agentSessions, JSON.stringify({ sessions: [] }));
    box = await openScripted({
      settings: {
        "symposium.agents": [
          testAgent(AGENT_ID, "Scripted"),
          testAgent("second", "Second", ["--sessions", agentSessions]),
        ],
        "files.simpleDialog.enable": true,
      },
    });
    await box.open();
  });
  suiteTeardown(() => box.close());

  const view = (): Locator =>
    box.page.locator(".pane", { has: box.page.locator('.pane-header[aria-label^="Sessions"]') });
  const rows = (): Locator => view().locator(".monaco-list-row");
  /** The accessible names from top to bottom, without ages. */
  async function names(): Promise<readonly string[]> {
    const all = await rows().evaluateAll(elements =>
      elements
        .sort((a, b) => Number(a.dataset["index"]) - Number(b.dataset["index"]))
        .map(row => row.getAttribute("aria-label") ?? ""),
    );
    return all.map(name => name.replace(/ · (now|\d+ (min|h|d))$/, "").trim());
  }
  const lists = (...expected: readonly string[]): Promise<void> => becomes(names, expected, "the list of sessions");

  /** Selects the item with this position by keyboard. Negative: from the end. */
  async function select(position: number): Promise<void> {
    await box.command("Symposium: Show Sessions");
    await view().locator(".monaco-list:focus").waitFor();
    await box.page.keyboard.press(position < 0 ? "End" : "Home");
    const index = position < 0 ? (await rows().count()) + position : position,
      isFocused = (at: number) => view().locator(`.monaco-list-row.focused[data-index="${at}"]`).waitFor();
    await isFocused(position < 0 ? (await rows().count()) - 1 : 0);
    for (let n = position < 0 ? -1 : 0; n !== position; n += Math.sign(position))
      await box.page.keyboard.press(position < 0 ? "ArrowUp" : "ArrowDown");
    await isFocused(index);
  }

  /** The titles of these tabs, without the status and the mark of a draft before them. */
  const titles = (of = "[role=tab]"): Promise<readonly string[]> =>
    box.frame.locator(`label:has(${of})`).evaluateAll(labels =>
      labels.map(label => {
        const title = label.cloneNode(true) as HTMLElement;
        for (const mark of title.querySelectorAll(".symposium-unseen, .symposium-dot, [aria-hidden]")) mark.remove();
        return (title.textContent ?? "").trim();
      }),
    );
  const selectedTitle = async (): Promise<string> => (await titles("[role=tab][aria-selected=true]"))[0] ?? "";
  const selectsTab = (title: string | RegExp): Promise<void> =>
    seen(
      async () => (typeof title === "string" ? (await selectedTitle()) === title : title.test(await selectedTitle())),
      `the tab ${String(title)}`,
    );
  async function closeTab(title: string): Promise<void> {
    const count = (await titles()).length;
    await box.frame.locator("label:has([role=tab])", { hasText: title }).locator("button").click();
    await seen(async () => (await titles()).length === count - 1, "a tab less");
  }

  /** Chooses an item of the context menu of the focused session by keyboard. A list that is drawn again closes it. */
  async function choose(item: string): Promise<void> {
    const menu = box.page.locator(".context-view .monaco-menu"),
      wanted = menu.getByRole("menuitem", { name: item });
    let before: string | undefined;
    await seen(async () => {
      if (!(await wanted.isVisible())) {
        before = undefined;
        await box.page.keyboard.press("Shift+F10");
        await wanted.waitFor({ timeout: 5_000 }).catch(() => undefined);
        return false;
      }
      const focused = (await menu.locator(".action-item.focused").allInnerTexts()).join().trim();
      if (focused.startsWith(item)) return true;
      // A key before the menu has drawn the last one's effect would move past the item.
      if (focused !== before) await box.page.keyboard.press("ArrowDown");
      before = focused;
      return false;
    }, `${item} in the menu of the session`);
    await box.page.keyboard.press("Enter");
  }

  const dialog = (title: string): Locator => box.page.locator(".quick-input-widget:visible", { hasText: title });

  /** Enters a path in VS Code's file dialog, which sets its own proposal late and lists the folder of a path. */
  async function enterPath(title: string, file: string): Promise<void> {
    const input = dialog(title).locator("input.input"),
      entry = dialog(title).locator(".monaco-list-row", { hasText: path.basename(agentSessions) });
    await input.waitFor();
    await seen(async () => {
      if (!(await input.isVisible())) return true;
      // The dialog may close in the meantime.
      if ((await input.inputValue().catch(() => file)) !== file) await input.fill(file).catch(() => undefined);
      else if (await entry.isVisible()) await input.press("Enter", { timeout: 5_000 }).catch(() => undefined);
      return false;
    }, `the dialog ${title} closed`);
  }

  async function resizeSideBar(width: number): Promise<void> {
    const bar = await box.page.locator(".part.sidebar").boundingBox();
    assert.ok(bar);
    const edge = bar.x + bar.width + 2;
    await box.page.mouse.move(edge, 400);
    await box.page.mouse.down();
    await box.page.mouse.move(bar.x + width, 400, { steps: 4 });
    await box.page.mouse.up();
    await box.page.mouse.move(900, 600);
  }

  async function inEachTheme(name: string): Promise<void> {
    for (const [theme, kind, short] of [
      ["Dark Modern", "vscode-dark", "dark"],
      ["Dark High Contrast", "vscode-high-contrast", "contrast"],
      ["Light Modern", "vscode-light", "light"],
    ] as const) {
      await wear(box, theme, kind);
      await box.screenshot(`sessions-${name}-${short}`);
    }
    await resizeSideBar(200);
    await box.screenshot(`sessions-${name}-narrow`);
    await resizeSideBar(620);
    await box.screenshot(`sessions-${name}-wide`);
    await resizeSideBar(300);
  }

  test("explains the empty list, then shows each session with its state, the last changed first", async () => {
    await box.command("Symposium: Show Sessions");
    await view().getByText("No sessions yet. Each chat with an agent appears here.").waitFor();
    await box.screenshot("sessions-empty");
    await ask(box, `title ${PARSER}; say The quokka lives in src/count.mjs`);
    await lists(`${PARSER}, Scripted`);
    await newTab(box);
    await sendPrompt(box.frame, `${MIGRATION}; ${gate.step}; say migrated`);
    await newTab(box);
    await sendPrompt(box.frame, QUESTION);
    const shown = await seen(async () => (await names()).length === 3, "three sessions").then(names);
    assert.match(shown[1] ?? "", new RegExp(`^${MIGRATION}; await…`));
    await lists(`${QUESTION}, Waiting for your answer, Scripted`, `${shown[1]}`, `${PARSER}, Scripted`);
    await becomes(async () => /, Running, Scripted$/.test((await names())[1] ?? ""), true, "the running session");
    assert.match((await rows().first().getAttribute("aria-label")) ?? "", /Scripted · (now|\d+ min)$/);
    await box.screenshot("sessions-list-light");
    await wear(box, "Dark Modern", "vscode-dark");
    await box.screenshot("sessions-list-dark");
    await resizeSideBar(200);
    await box.screenshot("sessions-list-narrow");
    await resizeSideBar(620);
    await box.screenshot("sessions-list-wide");
    await wear(box, "Dark High Contrast", "vscode-high-contrast");
    await box.screenshot("sessions-list-contrast");
    await wear(box, "Light Modern", "vscode-light");
    await resizeSideBar(300);
  });

  test("marks a new answer until the chat shows it, and opens sessions whose tab is closed", async () => {
    gate.open();
    await becomes(async () => (await names())[0]?.split(", ")[1], "New answer", "the end of the turn");
    await select(1);
    await box.page.keyboard.press("ArrowUp");
    await box.page.keyboard.press("Enter");
    await selectsTab(new RegExp(`^${MIGRATION}`));
    await becomes(async () => (await names())[0]?.split(", ")[1], "Scripted", "the read answer");
    await select(1);
    await box.page.keyboard.press("Enter");
    await selectsTab(QUESTION);
    await turnEnded(box.frame, { answer: allowOnce, permission: () => undefined });
    await closeTab(PARSER);
    await select(-1);
    await box.page.keyboard.press("Enter");
    await selectsTab(PARSER);
    await showsText(box.frame, "The quokka lives in src/count.mjs");
    await (await promptInput(box.frame)).and(box.frame.locator(":focus")).waitFor();
  });

  test("finds a word of an answer", async () => {
    await selectsTab(PARSER);
    await select(0);
    await box.page.keyboard.press("Enter");
    await selectsTab(QUESTION);
    await box.command("Symposium: Search Sessions");
    const search = dialog("Search Sessions");
    await search.locator("input:focus").waitFor();
    await box.page.keyboard.type("wallaby");
    await search.getByText("No session contains this text.").waitFor();
    await box.page.keyboard.press("Control+A");
    await box.page.keyboard.type("QUOKKA LIVES");
    const hit = search.locator(".monaco-list-row", { hasText: "The quokka lives in src/count.mjs" });
    await hit.last().waitFor();
    await box.screenshot("sessions-search");
    await box.page.keyboard.press("Enter");
    await selectsTab(PARSER);
  });

  test("finds text in the chat with Ctrl+F and F3", async () => {
    await (await promptInput(box.frame)).and(box.frame.locator(":focus")).waitFor();
    await box.page.keyboard.press("Control+f");
    const bar = box.frame.getByRole("search").filter({ visible: true });
    await bar.getByRole("textbox").and(box.frame.locator(":focus")).waitFor();
    await box.page.keyboard.type("quokka");
    await bar
      .getByText("1 of 2", { exact: true })
      .or(bar.getByText("2 of 2", { exact: true }))
      .waitFor();
    const before = await bar.getByRole("status").innerText();
    await box.page.keyboard.press("F3");
    await seen(async () => !["", before].includes(await bar.getByRole("status").innerText()), "the other match");
    await inEachTheme("find");
    await bar.getByRole("textbox").press("Escape");
    await bar.waitFor({ state: "hidden" });
  });

  test("continues with another agent, shows where the session comes from, and closes its tab to delete it", async () => {
    const others = await names();
    await select(-1);
    await choose("Continue Session with Another Agent");
    await dialog("Continue with Another Agent").locator("input:focus").fill("Second");
    await box.page.keyboard.press("Enter");
    const transcript = box.frame.getByRole("button", { name: "Transcript", exact: true }).filter({ visible: true });
    await transcript.waitFor();
    await showsText(box.frame, "Second gets the transcript with your first prompt.");
    await inEachTheme("continue");
    await sendPrompt(box.frame, "received");
    await showsText(box.frame, "The quokka lives in src/count.mjs");
    await transcript.waitFor({ state: "hidden" });
    await box.frame.getByRole("button", { name: "Open Original Session" }).filter({ visible: true }).press("Enter");
    await selectsTab(PARSER);
    await seen(
      async () => (await names()).length === others.length + 1 && /, Second /.test((await names())[0] ?? ""),
      "the branch at the top of the list",
    );
    const count = (await titles()).length;
    await select(0);
    await box.page.keyboard.press("Delete");
    const question = box.page.locator(".monaco-dialog-box");
    await question.getByText("Its tab is closed.").waitFor();
    await box.page.keyboard.press("Enter");
    await lists(...others);
    await seen(async () => (await titles()).length === count - 1, "a tab less");
  });

  test("renames in list and tab, archives, and shows the archive", async () => {
    await select(-1);
    await box.page.keyboard.press("F2");
    await dialog("Rename Session").locator("input:focus").fill("Parser tests");
    await box.page.keyboard.press("Enter");
    await seen(async () => (await names()).includes("Parser tests, Scripted"), "the new title");
    await selectsTab("Parser tests");
    await select(-1);
    await choose("Archive Session");
    await seen(async () => (await names()).length === 2, "the list without the archived session");
    await box.command("Symposium: Show Archived Sessions");
    await seen(async () => (await names()).slice(2).join() === "Archived,Parser tests, Scripted", "the archive");
    await select(-1);
    await choose("Unarchive Session");
    await seen(async () => (await names()).slice(2).join() === "Parser tests, Scripted", "the list without an archive");
  });

  test("exports as Markdown and JSON, and imports the JSON as another session", async () => {
    const [markdown, json] = ["exported.md", "exported.json"].map(name => path.join(folder, name));
    assert.ok(markdown && json);
    for (const file of [markdown, json]) {
      await select(-1);
      await choose("Export Session");
      await enterPath("Export Session", file);
      // VS Code hides its notification after some seconds.
      await seen(async () => existsSync(file), `the file ${file}`);
    }
    assert.match(
      readFileSync(markdown, "utf8"),
      /^# Parser tests\n[^]*## Scripted\n\nThe quokka lives in src\/count\.mjs/,
    );
    await box.command("Symposium: Import Session");
    await enterPath("Import Session", json);
    await seen(async () => (await names()).length === 4, "a further session");
    assert.deepEqual((await names()).filter(name => name === "Parser tests, Scripted").length, 2);
    await showsText(box.frame, "The quokka lives in src/count.mjs");
  });

  test("shows a new session of an agent's command line, and opens it with its content", async () => {
    const update = (sessionUpdate: string, text: string) => ({ sessionUpdate, content: { type: "text", text } });
    writeFileSync(
      agentSessions,
      JSON.stringify({
        sessions: [
          {
            sessionId: "cli-1",
            cwd: box.folders[0],
            title: THEIRS,
            updatedAt: new Date(Date.now() - 3_600_000).toISOString(),
            _meta: {
              updates: [
                update("user_message_chunk", "What is a wombat?"),
                update("agent_message_chunk", "A wombat is a marsupial."),
              ],
            },
          },
        ],
      }),
    );
    await seen(async () => (await names()).at(-1) === `${THEIRS}, Second`, "the agent's session");
    const others = (await names()).slice(0, -1);
    await select(-1);
    await box.page.keyboard.press("Enter");
    await showsText(box.frame, "A wombat is a marsupial.");
    await lists(...others, `${THEIRS}, Second`);
    await selectsTab(THEIRS);
    await sendPrompt(box.frame, "say and it digs");
    await showsText(box.frame, "and it digs");
    await lists(`${THEIRS}, Second`, ...others);
  });

  test("lists the same sessions after a reload of the window", async () => {
    const before = await names();
    await reloadWindow(box);
    await lists(...before);
  });

  test("deletes a session here and at its agent, after a confirmation that names the agent", async () => {
    const others = (await names()).slice(1);
    await closeTab(THEIRS);
    await select(0);
    await box.page.keyboard.press("Delete");
    const question = box.page.locator(".monaco-dialog-box");
    await question.getByText(`Delete “${THEIRS}”?`).waitFor();
    await question.getByText("in Second if Second supports it").waitFor();
    await box.screenshot("sessions-delete");
    await box.page.keyboard.press("Enter");
    await lists(...others);
    assert.deepEqual(JSON.parse(readFileSync(agentSessions, "utf8")), { sessions: [] });
  });
});
