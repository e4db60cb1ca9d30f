/**
 * More tools than VS Code's chat offers at once. It groups some of an extension's tools, including Symposium's, behind
 * one tool that a model must call first. Checks the tools that the scripted agent receives.
 */
import path from "node:path";
import { openBox, ROOT, type Box } from "./harness";
import { ModelChat } from "./model-chat";
import { scripted } from "./scripted";

const OTHERS = ["src/test/page/tools-extension", "scripts/real-agents/tools-extension"].map(folder =>
  path.join(ROOT, folder),
);

suite("grouped tools in VS Code's chat", () => {
  let box: Box, chat: ModelChat;

  suiteSetup(async () => {
    box = await openBox({
      others: OTHERS,
      settings: { ...scripted(), "symposium.enableExperimentalLM": true, "chat.byokUtilityModelDefault": "mainAgent" },
    });
    chat = await ModelChat.open(box);
    await chat.pick("Scripted");
  });
  suiteTeardown(() => box.close());

  test("are available after a call of their group, and request permission for each kind of action", async () => {
    await chat.send("tools vsctools*");
    const first =
      /activate_fallback_(agents_tool_\d+)_1/.exec(
        await chat.answered(/agents_tool_01[^]*activate_fallback_agents_tool_\d+_1/),
      )?.[1] ?? "";
    await chat.send(`mcp vsctools* activate_fallback_${first}_1 {}; tools vsctools*`);
    await chat.answered(/Tools activated[^]*agents_tool_01[^]*agents_tool_60/);
    await chat.send(`mcp vsctools* agents_tool_60 {"text":"the last"}`);
    await chat.answered("agents_tool_60 was told the last");

    for (const kind of ["read", "edit", "execute", "fetch", "other"]) {
      await chat.send(`ask ${kind} kind=${kind} title="Do this"; say it was ${kind}`);
      await chat.button("Allow in this Session").click();
      await chat.answered(new RegExp(`chose allow_once[^]*it was ${kind}`));
      await box.screenshot(`lm-many-${kind}`);
    }
  });
});
