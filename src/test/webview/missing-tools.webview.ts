/**
 * An agent that ignores MCP servers: the message in its tab, and *Details*, in four themes (issue 14
 * item 1).
 */
import assert from "node:assert/strict";
import { violations } from "../page/axe";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { THEMES } from "../page/contrast";
import { scripted, showsText, wear } from "../page/scripted";
import { openChatBox } from "./fixture";

const extension = (id: string, name: string): object => ({
  id,
  name,
  _enabled: true,
  _source: "built-in",
  distribution: { symposium: { subcommand: "proxy", args: [id] } },
});

suite("missing tools", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openChatBox(
      scripted(["--ignore-mcp"], {
        "symposium.extensions": [extension("workspace", "Workspace"), extension("ide", "IDE operations")],
      }),
    );
  });
  suiteTeardown(() => box.close());

  test("is named once in the tab with the cause and marked in the details", async () => {
    await sendPrompt(box.frame, "say hello");
    await turnEnded(box.frame);
    const cause = "it did not connect to any of these MCP servers.";
    await showsText(box.frame, `Scripted did not request the tools of Workspace and IDE operations (0 of 7): ${cause}`);
    await sendPrompt(box.frame, "say hello again");
    await turnEnded(box.frame);
    const chat = box.frame.locator("[data-part=chat]:visible");
    assert.equal(await chat.getByText(cause).count(), 1);
    await chat.getByRole("button", { name: "Details of this session", exact: true }).click();
    const panel = chat.getByRole("group", { name: "Details of this session" });
    await panel
      .locator("ol > li[data-state=toolsMissing]", { hasText: "Workspace" })
      .getByText("Tools: 6 offered. The agent has not connected to them.")
      .waitFor();
    for (const { theme, kind, name } of THEMES) {
      await wear(box, theme, kind);
      assert.deepEqual((await violations(box.frame)).join("\n"), "", theme);
      await box.screenshot(`missing-tools-${name}`);
    }
  });
});
