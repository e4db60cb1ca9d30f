/**
 * A chat in an editor and in its own window: the same session moves there during a turn, survives a reload of the
 * window, and moves back. Answers in a page of VS Code: parts that are loaded when they are needed, and the clipboard.
 */
import assert from "node:assert/strict";
import type { FrameLocator, Page } from "playwright-core";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { lastExchange, promptInput, sendPrompt, takeScreenshot, turnEnded, until, type Box } from "./harness";
import { answerDialog, ask, barrier, hideChat, openScripted, seen, shownText } from "./scripted";

/** Contains a formula, a diagram and code. */
const ANSWER =
  String.raw`say The root of $x^2 = 2$:\n\n\`\`\`mermaid\nflowchart TD\n  A[Start] --> B[End]\n\`\`\`\n\n\`\`\`ts\nconst root = 2 ** 0.5\n\`\`\`\n`.replaceAll(
    "\\`",
    "`",
  );

const LINK = "code-oss://symposium-dev.symposium/new?prompt=explain%20it";

suite("chat in editors, windows and the side bar", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
  });
  suiteTeardown(() => box.close());

  /** The page of the chat in this place. */
  async function pageIn(surface: "view" | "editor", page = box.page): Promise<FrameLocator> {
    let name: string | undefined;
    await until(
      [page.locator(":root")],
      async () => (name = await outerFrame(page, surface)) !== undefined,
      60_000,
      `no chat was in the ${surface}`,
    );
    return page.frameLocator(`iframe.webview[name="${name}"]`).frameLocator("#active-frame");
  }
  const draft = async (frame: FrameLocator): Promise<string> => (await (await promptInput(frame)).innerText()).trim();
  const editorTabs = (): Promise<readonly string[]> =>
    box.page.locator(".editor-group-container .tab .label-name").allInnerTexts();

  test("moves to an editor during a turn, survives a reload, and moves back", async function () {
    this.timeout(timeLimit(240_000));
    const gate = barrier();
    await sendPrompt(box.frame, `say before; ${gate.step}; say after`);
    await seen(async () => (await shownText(box.frame)).includes("before"), "the start of the answer");
    await (await promptInput(box.frame)).fill("half a thought");
    await box.command("Symposium: Move to Editor");

    const editor = await pageIn("editor");
    await seen(async () => (await draft(editor)) === "half a thought", "the draft in the editor");
    await seen(async () => (await shownText(editor)).includes("before"), "the conversation in the editor");
    await seen(async () => (await editorTabs()).some(title => title.startsWith("◌ ")), "the running turn in the title");
    gate.open();
    await turnEnded(editor);
    assert.match((await lastExchange(editor)).answer, /before[^]*after/);
    await seen(async () => (await editorTabs()).some(title => title.startsWith("say before")), "the title");
    assert.equal(await (await pageIn("view")).locator("[role=tab]").count(), 0);
    assert.equal(await editor.locator("[role=tab]:visible").count(), 0);
    await box.screenshot("editor-chat");

    await (await promptInput(editor)).fill("another thought");
    await box.reload();
    const restored = await pageIn("editor");
    await seen(async () => (await draft(restored)) === "another thought", "the draft after the reload");
    await seen(async () => (await shownText(restored)).includes("after"), "the conversation after the reload");
    await (await promptInput(restored)).fill("");
    await sendPrompt(restored, "say again");
    await turnEnded(restored);
    await (await promptInput(restored)).fill("last thought");
    await box.screenshot("editor-chat-restored");

    await restored.locator("[data-part=prompt]:visible").click();
    await box.command("Symposium: Move to Chat View");
    await seen(async () => (await editorTabs()).length === 0, "no editor");
    const view = await pageIn("view");
    await seen(async () => (await draft(view)) === "last thought", "the draft in the view");
    await seen(async () => /after[^]*again/.test(await shownText(view)), "the conversation in the view");
    await box.screenshot("editor-chat-back");
    await (await promptInput(view)).fill("");
    assert.equal(await ask(box, "say done"), "done");
  });

  test("moves to its own window and back", async () => {
    const gate = barrier();
    await sendPrompt(box.frame, `say here; ${gate.step}; say there`);
    await seen(async () => (await shownText(box.frame)).includes("here"), "the start of the answer");
    const opening = box.page.context().waitForEvent("page");
    await box.command("Symposium: Move to New Window");
    const other = await opening,
      moved = await pageIn("editor", other);
    await seen(async () => (await shownText(moved)).includes("here"), "the conversation in its own window");
    gate.open();
    await turnEnded(moved);
    assert.match((await lastExchange(moved)).answer, /here[^]*there/);
    await takeScreenshot(other, "own-window");

    const closing = other.waitForEvent("close");
    await other.getByRole("button", { name: "Move to Chat View" }).click();
    await closing;
    const view = await pageIn("view");
    await seen(async () => /here[^]*there/.test(await shownText(view)), "the conversation in the view");
  });

  test("marks an editor in the background whose turn has failed", async () => {
    const gate = barrier();
    await sendPrompt(box.frame, `${gate.step}; error -32603 no luck`);
    await box.command("Symposium: Move to Editor");
    await pageIn("editor");
    await box.command("File: New Untitled Text File");
    gate.open();
    await seen(async () => (await editorTabs()).some(title => title.startsWith("✕ ")), "the mark of the failed turn");
    await box.screenshot("editor-chat-failed");
    await box.page.locator(".editor-group-container .tab", { hasText: "✕ " }).click();
    await pageIn("editor");
    await seen(async () => !(await editorTabs()).some(title => title.startsWith("✕ ")), "the title without a mark");
    await box.command("Symposium: Move to Chat View");
    await seen(async () => (await box.page.locator("iframe.webview.ready").count()) === 1, "only the chat view");
    await pageIn("view");
  });

  test("draws a formula and a diagram, and copies code", async () => {
    await sendPrompt(box.frame, ANSWER);
    await turnEnded(box.frame);
    await box.frame.locator("math msup:visible").waitFor();
    await box.frame.locator(".symposium-diagram[data-state=diagram]:visible svg").waitFor();
    const block = box.frame.locator("pre:visible", { hasText: "const root" }).last();
    await block.hover();
    await box.frame.getByRole("button", { name: "Copy", exact: true }).filter({ visible: true }).last().click();
    await seen(
      async () => (await box.page.evaluate(() => navigator.clipboard.readText())) === "const root = 2 ** 0.5\n",
      "the code in the clipboard",
    );
    await box.screenshot("answer-parts");
  });

  test("is shown in the secondary side bar by the status bar and by a link, which only drafts its prompt", async () => {
    const bar = box.page.locator(".part.auxiliarybar");
    await hideChat(box);
    await box.page.locator(".statusbar-item").getByRole("button", { name: "Open Symposium" }).click();
    await pageIn("view");
    await bar.waitFor();
    await hideChat(box);
    await box.command("Developer: Open URL");
    await box.page.locator(".quick-input-widget:visible input.input").fill(LINK);
    await box.page.keyboard.press("Enter");
    await answerDialog(box, /Symposium/, "Open");
    const view = await pageIn("view");
    await seen(async () => (await draft(view)) === "explain it", "the draft of the link");
    assert.equal(await view.locator("[data-part=chat]:visible [data-kind=prompt]").count(), 0);
    assert.match((await bar.locator(".composite-bar .action-item.checked").innerText()).trim(), /^Symposium/);
    await box.screenshot("link-draft");
  });
});

async function outerFrame(page: Page, surface: "view" | "editor"): Promise<string | undefined> {
  for (const frame of page.frames()) {
    const outer = frame.parentFrame();
    if (!outer || outer === page.mainFrame()) continue;
    const found = await frame
      .evaluate(() => (document.querySelector("#symposium") ? (document.body.dataset["surface"] ?? "view") : undefined))
      .catch(() => undefined);
    if (found === surface) return (await (await outer.frameElement()).getAttribute("name")) ?? undefined;
  }
  return undefined;
}
