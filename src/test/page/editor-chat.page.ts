/** A chat in an editor: the same session moves there during a turn, survives a reload of the window, and moves back. */
import assert from "node:assert/strict";
import type { FrameLocator } from "playwright-core";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { lastExchange, promptInput, sendPrompt, turnEnded, until, type Box } from "./harness";
import { ask, barrier, openScripted, seen, shownText } from "./scripted";

suite("chat in an editor", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
  });
  suiteTeardown(() => box.close());

  /** The page of the chat in this place. */
  async function pageIn(surface: "view" | "editor"): Promise<FrameLocator> {
    let name: string | undefined;
    await until(
      [box.page.locator(":root")],
      async () => (name = await outerFrame(box, surface)) !== undefined,
      60_000,
      `no chat was in the ${surface}`,
    );
    return box.page.frameLocator(`iframe.webview[name="${name}"]`).frameLocator("#active-frame");
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
});

async function outerFrame({ page }: Box, surface: "view" | "editor"): Promise<string | undefined> {
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
