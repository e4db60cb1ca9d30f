/**
 * A turn in the chat: lines of tool calls, groups, diffs, commands, and a question merged with its call. Screenshots
 * of three widths and themes.
 */
import assert from "node:assert/strict";
import { themeColour } from "../page/contrast";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { becomes, button, seen, setWidth } from "../page/scripted";
import { openStill, testAppearance } from "./appearance-steps";
import { TURN } from "./turn-script";

suite("turn", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openStill();
    await sendPrompt(box.frame, TURN);
    await button(box.frame, /Allow once/i).waitFor();
    const prompt = box.frame.locator("[data-part=prompt]:visible");
    for (const text of ["say second", "say third"]) {
      await prompt.fill(text);
      await prompt.press("Enter");
      await becomes(() => prompt.innerText(), "", "an empty prompt");
    }
  });
  suiteTeardown(() => box.close());

  const lines = () => box.frame.locator("[data-part=chat]:visible .symposium-line:visible"),
    line = (text: string) => lines().filter({ hasText: text });

  const dockPart = (name: string) => box.frame.locator(`[data-part=${name}]:visible`);

  function dockSize(): Promise<{ readonly height: number; readonly isWhole: boolean }> {
    return box.frame.locator(".symposium-dock:visible").evaluate(dock => {
      const row = dock.querySelector(".symposium-dock-row");
      return {
        height: dock.getBoundingClientRect().height,
        isWhole: row !== null && row.scrollWidth <= row.clientWidth,
      };
    });
  }

  const appearance = (name: string): void =>
    testAppearance({
      box: () => box,
      name,
      before: () =>
        box.frame.locator("[data-part=conversation]:visible").evaluate(async list => {
          list.scrollTop = list.scrollHeight;
          await new Promise(requestAnimationFrame);
        }),
      check: async width => {
        assert.deepEqual(await dockSize(), { height: 28, isWhole: true }, `the dock at ${width} px`);
        if (name === "turn" && width >= 340) assert.equal(await answerRows(), 1, `answers at ${width} px`);
      },
    });

  /** Rows of the buttons of the question, with its menu. */
  const answerRows = () =>
    box.frame
      .locator("[data-kind=permission]:visible button:visible")
      .evaluateAll(buttons => new Set(buttons.map(each => Math.round(each.getBoundingClientRect().bottom))).size);

  appearance("turn");

  test("fills the button that sends only if there is something to send", async () => {
    const prompt = box.frame.locator("[data-part=prompt]:visible"),
      send = box.frame.locator("[data-part=send]:visible"),
      fill = () => send.evaluate(element => getComputedStyle(element).backgroundColor),
      primary = await themeColour(box.frame, "button-background");
    await becomes(fill, "rgba(0, 0, 0, 0)", "no fill beside Stop");
    await prompt.fill("next");
    await becomes(fill, primary, "the fill of a primary button");
    await prompt.fill("");
  });

  test("shows the plan, the usage and the queue in one row, which becomes shorter", async () => {
    const texts = async () =>
      await Promise.all(["dock-usage", "dock-plan", "dock-queue"].map(name => dockPart(name).innerText()));
    await setWidth(box, 700);
    await becomes(texts, ["42k/200k · $0.37", "1/3 Change the expression", "2 queued"], "the whole texts");
    await setWidth(box, 260);
    await becomes(texts, ["21 %", "1/3", "2"], "the short texts");
  });

  test("opens the panel of one part at a time above the row, which Escape closes", async () => {
    await dockPart("dock-plan").click();
    await box.frame.locator(".symposium-plan-steps:visible").waitFor();
    await dockPart("dock-queue").press("Enter");
    await box.frame.locator(".symposium-queued:visible").first().waitFor();
    assert.equal(await box.frame.locator(".symposium-plan-steps:visible").count(), 0);
    assert.deepEqual(
      await box.frame
        .locator(".symposium-queued:visible")
        .evaluateAll(rows => rows.map(row => getComputedStyle(row).borderInlineWidth)),
      ["0px", "0px"],
      "borders of prompts within the border of the panel",
    );
    await box.screenshot("dock-queue-260");
    await box.page.keyboard.press("Escape");
    await box.frame.locator(".symposium-queued:visible").first().waitFor({ state: "hidden" });
    assert.equal(await dockPart("dock-queue").evaluate(part => part === document.activeElement), true);
  });

  test("shows reads and searches as one line, which opens to its parts", async () => {
    const group = line("Read 2 files, searched “split(”");
    assert.equal(await line("grep split").count(), 0);
    await group.locator("button").click();
    for (const part of ["Read src/count.mjs", "Read src/lines.mjs", "grep split"])
      await line(part).waitFor({ state: "visible" });
    await group.locator("button").press("Enter");
    await line("grep split").waitFor({ state: "hidden" });
  });

  test("shows an edit by file and counts, with the numbers of the file's lines", async () => {
    const edit = line("Edited src/count.mjs");
    assert.match((await edit.textContent()) ?? "", /Edited src\/count\.mjs \+2 −1/);
    assert.deepEqual(
      await box.frame.locator(".symposium-diff-line:visible").evaluateAll(rows => rows.map(row => row.textContent)),
      [
        "2 export function count(text) {",
        '3−  return text.split(" ").length;',
        "3+  const words = text.trim().split(/\\s+/u);",
        '4+  return words[0] === "" ? 0 : words.length;',
        "5 }",
      ],
    );
    await edit.locator(".symposium-fold").click();
    assert.equal(await box.frame.locator(".symposium-diff-line:visible").count(), 0);
    await edit.locator(".symposium-fold").click();
  });

  test("shortens the path of an edit at its start, and never the counts", async () => {
    await setWidth(box, 260);
    const { path, name, counts, end } = await line("Edited src/count.mjs").evaluate(element => {
      const boxOf = (selector: string): DOMRect | undefined => element.querySelector(selector)?.getBoundingClientRect();
      return {
        path: boxOf(".symposium-line-path"),
        name: boxOf(".symposium-line-path > bdi"),
        counts: boxOf(".symposium-line-counts"),
        end: element.getBoundingClientRect().right,
      };
    });
    assert.ok(path && name && counts);
    assert.ok(name.left < path.left && Math.abs(name.right - path.right) <= 1, "the end of the path");
    assert.ok(counts.width > 0 && counts.left >= path.right && counts.right <= end, "whole counts");
  });

  test("shows a failed command with its exit code and the end of its output", async () => {
    const command = line("$ node");
    await command.waitFor();
    assert.match((await command.textContent()) ?? "", /exit 1/);
    await seen(
      async () => /not ok 2/.test((await box.frame.locator(".symposium-terminal:visible").textContent()) ?? ""),
      "the output",
    );
  });

  test("shows a question once, as a command, and then the answer in the line of its call", async () => {
    const question = box.frame.locator("[data-kind=permission]:visible");
    const text = (await question.textContent()) ?? "";
    assert.match(text, /Run a command\?/);
    assert.match(text, /in packages\/web/);
    assert.doesNotMatch(text, /[{}]/);
    assert.equal(await line("$ rm -r build").count(), 0);
    await button(box.frame, /Allow once/i).click();
    await turnEnded(box.frame);
    await question.waitFor({ state: "hidden" });
    assert.match(await line("$ rm -r build").innerText(), /allowed$/);
  });

  suite("after the answer to its question", () => {
    appearance("turn-answered");
  });
});
