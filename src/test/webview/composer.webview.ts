/**
 * The prompt: its attachments, and the drafts of tabs. Each test checks the prompt that the agent
 * received.
 */
import assert from "node:assert/strict";
import { lastExchange, readCards, sendPrompt, turnEnded, turnState, type ChatBox } from "../page/harness";
import { textsSeen } from "../page/contrast";
import { becomes, newTab, processesOf, scripted, seen, setWidth, showsText, wear } from "../page/scripted";
import {
  chipNames,
  chips,
  hasChips,
  hasFocus,
  hasInput,
  input,
  pasteFile,
  pasteImage,
  received,
  sendByKey,
  THEMES,
} from "../page/prompt-steps";
import { openScripted } from "./fixture";

suite("composer", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
  });
  suiteTeardown(() => box.close());

  const options = () => box.frame.locator(".symposium-commands:visible [role=option]");
  const remark = () => box.frame.locator("[data-part=banner]:visible");
  const tabs = () => box.frame.locator("[role=tab]");
  /** The list is updated while the user types. */
  const firstIs = (name: string): Promise<void> =>
    seen(
      async () =>
        (
          await options()
            .first()
            .innerText()
            .catch(() => "")
        ).includes(name),
      `${name} first in the list`,
    );
  const isIdle = (): Promise<void> => seen(async () => (await turnState(box.frame)) === "idle", "the end of the turn");

  test("inserts a file mention as a chip and sends it to the agent", async () => {
    await input(box.frame).click();
    await box.page.keyboard.type("say see @readm");
    await firstIs("README.md");
    assert.deepEqual(
      await input(box.frame).evaluate(prompt => {
        const option = document.getElementById(prompt.getAttribute("aria-activedescendant") ?? "");
        return [
          document.activeElement === prompt,
          option?.getAttribute("role"),
          option?.getAttribute("aria-selected"),
          option?.parentElement?.getAttribute("role"),
          prompt.getAttribute("aria-controls") === option?.parentElement?.id,
        ];
      }),
      [true, "option", "true", "listbox", true],
    );
    await box.screenshot("mentions");
    await box.page.keyboard.press("Enter");
    await hasInput(box.frame, "say see @README.md ");
    await hasChips(box.frame, "README.md");
    await box.page.keyboard.type("; received");
    await sendByKey(box);
    // The answer is rendered as Markdown.
    assert.match(
      (await lastExchange(box.frame)).answer,
      /"type":"resource"[^]*"uri":"file:[^"]*README\.md"[^]*Counts the lines, words and characters/,
    );
    assert.deepEqual(await chipNames(box.frame), []);
    assert.equal(await box.frame.locator("[data-kind]:visible a.symposium-chip", { hasText: "README.md" }).count(), 1);
  });

  test("closes the list on Escape or when the caret leaves and keeps the text", async () => {
    await input(box.frame).click();
    await box.page.keyboard.type("@read");
    await options().first().waitFor();
    await box.page.keyboard.press("Escape");
    await options().first().waitFor({ state: "detached" });
    await box.page.keyboard.type("m");
    await options().first().waitFor();
    await box.page.keyboard.press("Home");
    await options().first().waitFor({ state: "detached" });
    await hasInput(box.frame, "@readm");
    await input(box.frame).fill("");
  });

  test("removes chips by keyboard and focuses the next, finally the prompt", async () => {
    await input(box.frame).click();
    for (const [width, name] of [
      [3, "a"],
      [4, "b"],
      [5, "c"],
    ] as const)
      await pasteImage(box.frame, width, width, name);
    await hasChips(box.frame, "a.png", "b.png", "c.png");
    await box.page.keyboard.press("Shift+Tab");
    await hasFocus(box.frame, "Remove c.png");
    await box.page.keyboard.press("ArrowLeft");
    await hasFocus(box.frame, "Remove b.png");
    await box.page.keyboard.press("Delete");
    await hasChips(box.frame, "a.png", "c.png");
    await hasFocus(box.frame, "Remove c.png");
    await box.page.keyboard.press("Enter");
    await hasChips(box.frame, "a.png");
    await hasFocus(box.frame, "Remove a.png");
    await box.page.keyboard.press("Backspace");
    await hasChips(box.frame);
    await hasFocus(box.frame, "Prompt");
  });

  test("shows a pasted image as a chip with a thumbnail and sends it unchanged", async () => {
    await pasteImage(box.frame, 20, 10, "small");
    await hasChips(box.frame, "small.png");
    assert.equal(
      await chips(box.frame)
        .locator("img")
        .evaluate((image: HTMLImageElement) =>
          image.decode().then(() => `${image.naturalWidth}x${image.naturalHeight}`),
        ),
      "20x10",
    );
    await box.page.keyboard.type("received");
    const [block] = await received(box);
    assert.deepEqual([block?.["type"], block?.["mimeType"]], ["image", "image/png"]);
    assert.equal(
      await box.frame
        .locator("[data-kind]:visible .symposium-attached img")
        .last()
        .evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
      20,
    );
  });

  test("scales a large image down", async () => {
    await pasteImage(box.frame, 4_000, 1_000, "large", "noise");
    await hasChips(box.frame, "large.png");
    assert.equal(
      await chips(box.frame)
        .locator("img")
        .evaluate((image: HTMLImageElement) =>
          image.decode().then(() => `${image.naturalWidth}x${image.naturalHeight}`),
        ),
      "1568x392",
    );
    await box.page.keyboard.type("received");
    const [block] = await received(box);
    assert.ok(
      Number(block?.["dataLength"]) > 10_000 && Number(block?.["dataLength"]) <= 1_500_000,
      JSON.stringify(block),
    );
  });

  test("rejects a non-image file with a sentence and pastes text as text", async () => {
    await pasteFile(box.frame, "broken.png", "image/png", "no image");
    await seen(
      async () =>
        (
          await remark()
            .innerText()
            .catch(() => "")
        ).includes("broken.png could not be read as an image."),
      "the sentence",
    );
    await pasteFile(box.frame, "a.png", "image/png", "no image", "words");
    await hasInput(box.frame, "words");
    await hasChips(box.frame);
    await input(box.frame).fill("");
  });

  test("sends attachments without text by Enter and button", async () => {
    const prompts = async () => (await readCards(box.frame)).filter(({ kind }) => kind === "prompt").length;
    const before = await prompts();
    await pasteImage(box.frame, 6, 6, "six");
    await hasChips(box.frame, "six.png");
    await box.page.keyboard.press("Enter");
    await seen(async () => (await prompts()) === before + 1, "the prompt");
    await turnEnded(box.frame);
    assert.match((await lastExchange(box.frame)).question, /^Attached:\s+six\.png$/);
    await pasteImage(box.frame, 7, 7, "seven");
    await hasChips(box.frame, "seven.png");
    await box.frame.locator("[data-part=send]:visible").click();
    await seen(async () => (await prompts()) === before + 2, "the second prompt");
    await turnEnded(box.frame);
    await hasChips(box.frame);
    await input(box.frame).press("Enter");
    await input(box.frame).press("Alt+ArrowUp"); // its effect shows that Enter had none
    await hasFocus(box.frame, "Answer");
    assert.equal(await prompts(), before + 2);
  });

  test("marks a tab with a draft, also for screen readers", async () => {
    await newTab(box);
    const title = () => tabs().last().innerText();
    assert.doesNotMatch(await title(), /✎/);
    await input(box.frame).click();
    await box.page.keyboard.type("x");
    await seen(async () => /^✎ ?(?:draft: )?/.test((await title()).trim()), "the mark");
    assert.match(
      await tabs()
        .last()
        .evaluate(label => label.textContent ?? ""),
      /draft: /,
    );
    await box.page.keyboard.press("Backspace");
    await seen(async () => !(await title()).includes("✎"), "no mark");
    await pasteImage(box.frame, 3, 3, "mark");
    await seen(async () => (await title()).includes("✎"), "the mark of an attachment");
    await input(box.frame).click();
    await box.page.keyboard.type("received");
    assert.equal((await received(box)).length, 1);
    assert.doesNotMatch(await title(), /✎/);
  });

  test("keeps attachments when the agent exits and sends them to its successor", async () => {
    await input(box.frame).fill("say waiting; wait-cancel");
    await box.page.keyboard.press("Enter");
    await showsText(box.frame, /^waiting$/m);
    await pasteImage(box.frame, 5, 5, "kept");
    await hasChips(box.frame, "kept.png");
    const [agent] = processesOf(box, "scripted-agent.program");
    assert.ok(agent !== undefined);
    process.kill(agent, "SIGKILL");
    await showsText(box.frame, /exited unexpectedly/);
    await isIdle();
    await hasChips(box.frame, "kept.png");
    await input(box.frame).click();
    await box.page.keyboard.type("received");
    assert.equal((await received(box)).length, 1);
  });

  test("keeps attachments when the sidecar exits and sends them to its successor", async () => {
    await pasteImage(box.frame, 5, 5, "kept");
    await hasChips(box.frame, "kept.png");
    const [sidecar] = processesOf(box, "sidecar.js serve");
    assert.ok(sidecar !== undefined);
    process.kill(sidecar, "SIGKILL");
    await showsText(box.frame, /The session was reopened/);
    await hasChips(box.frame, "kept.png");
    await input(box.frame).click();
    await box.page.keyboard.type("received");
    assert.equal((await received(box)).length, 1);
  });

  test("shows a drop target during a drag and attaches a dropped image", async () => {
    await box.frame.locator("#symposium").evaluate(async root => {
      const canvas = new OffscreenCanvas(8, 8);
      canvas.getContext("2d")?.fillRect(0, 0, 4, 4);
      const file = new File([await canvas.convertToBlob({ type: "image/png" })], "dropped.png", { type: "image/png" });
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(file);
      Object.assign(globalThis, { draggedByTest: dataTransfer });
      root
        .querySelector("[data-part=chat]")
        ?.dispatchEvent(new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer }));
    });
    await box.frame.locator(".symposium-drop:visible", { hasText: "Drop to attach" }).waitFor();
    await box.screenshot("drop");
    await drop("draggedByTest");
    await box.frame.locator(".symposium-drop:visible").waitFor({ state: "detached" });
    await hasChips(box.frame, "dropped.png");
    await box.frame.locator("#symposium").evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["x"], "notes.odt", { type: "application/vnd.oasis.opendocument.text" }));
      Object.assign(globalThis, { draggedByTest: dataTransfer });
    });
    await drop("draggedByTest");
    await seen(
      async () =>
        (
          await remark()
            .innerText()
            .catch(() => "")
        ).includes("Only images can be dropped from outside VS Code."),
      "the sentence",
    );
    await hasChips(box.frame, "dropped.png");
    await input(box.frame).click();
    await box.page.keyboard.type("received");
    assert.equal((await received(box)).length, 1);
  });

  const drop = (name: string) =>
    box.frame.locator("#symposium").evaluate((root, name) => {
      const dataTransfer: unknown = Reflect.get(globalThis, name);
      if (dataTransfer instanceof DataTransfer)
        root
          .querySelector("[data-part=chat]")
          ?.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
    }, name);

  test("shows readable chips in every theme", async () => {
    await pasteImage(box.frame, 40, 30, "picture");
    await input(box.frame).click();
    await box.page.keyboard.type("look at @readm");
    await firstIs("README.md");
    // With the mouse: the list covers the cards.
    await options().first().click();
    await hasChips(box.frame, "picture.png", "README.md");
    for (const { theme, kind, name } of THEMES) {
      await wear(box, theme, kind);
      await box.screenshot(`composer-${name}`);
      const pale = async () =>
        (await textsSeen(box.frame, "[data-part=chat]:not([style*='hidden']) .symposium-chip")).filter(
          ({ contrast }) => contrast < 4.5,
        );
      await becomes(pale, [], `no chip that is pale in ${theme}`);
    }
  });
});

suite("composer row", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted({ settings: scripted(["--options"]) });
    await box.open();
    await sendPrompt(box.frame, "say first");
    await turnEnded(box.frame);
  });
  suiteTeardown(() => box.close());

  const pickers = () => box.frame.locator("select[data-picker]:visible"),
    more = () => box.frame.locator("[data-part=more-pickers]:visible");
  const names = async (): Promise<readonly (string | null)[]> =>
    await pickers().evaluateAll(all => all.map(each => each.getAttribute("data-picker")));

  test("shows the agent, the mode and the model first, and the others in a menu", async () => {
    const shown = (): Promise<string> =>
      box.frame
        .locator("select[data-picker='control:effort']:visible")
        .evaluate(effort => (effort instanceof HTMLSelectElement && effort.selectedOptions[0]?.text) || "");
    await setWidth(box, 700);
    await becomes(names, ["agent", "control:mode", "control:model", "control:effort", "control:fast"], "all pickers");
    await becomes(shown, "Effort: low", "a value with its name in the row");
    await setWidth(box, 260);
    await becomes(async () => (await names())[0], "agent", "the agent in the row");
    await more().press("Enter");
    await becomes(async () => (await names()).length, 5, "all pickers, some of them in the menu");
    await becomes(shown, "low", "a value beside its name in the menu");
    for (const { theme, kind, name } of THEMES) {
      await wear(box, theme, kind);
      await box.screenshot(`composer-menu-${name}-260`);
    }
    await box.page.keyboard.press("Escape");
    await becomes(async () => (await names()).length < 5, true, "a closed menu");
    assert.equal(await more().evaluate(button => button === document.activeElement), true);
    for (const width of [260, 340, 700]) {
      await setWidth(box, width);
      for (const { theme, kind, name } of THEMES) {
        await wear(box, theme, kind);
        await box.screenshot(`composer-row-${name}-${width}`);
      }
    }
  });

  test("opens the list of mentions with a button", async () => {
    await box.frame.getByRole("button", { name: "Add Context" }).click();
    await hasInput(box.frame, "@");
    await box.frame.locator(".symposium-commands:visible [role=option]").first().waitFor();
    await input(box.frame).fill("see");
    await box.frame.getByRole("button", { name: "Add Context" }).click();
    await hasInput(box.frame, "see @");
    await input(box.frame).fill("");
  });

  test("grows to 40 % of the height", async () => {
    await input(box.frame).fill(Array.from({ length: 60 }, (_, i) => `line ${i}`).join("\n"));
    const part = await input(box.frame).evaluate(prompt => prompt.clientHeight / window.innerHeight);
    assert.ok(part > 0.3 && part <= 0.41, String(part));
    await input(box.frame).fill("");
  });

  test("recalls prompts and keeps the draft", async () => {
    await input(box.frame).fill("my draft");
    await input(box.frame).press("Home");
    await input(box.frame).press("ArrowUp");
    await hasInput(box.frame, "say first");
    await input(box.frame).press("End");
    await input(box.frame).press("ArrowDown");
    await hasInput(box.frame, "my draft");
    await input(box.frame).fill("");
  });
});

suite("composer with an agent without image support", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted({ settings: scripted(["--text-only"]) });
    await box.open();
  });
  suiteTeardown(() => box.close());

  test("rejects an image with a sentence once the capability is known", async () => {
    await input(box.frame).click();
    await box.page.keyboard.type("say ready");
    await sendByKey(box);
    await pasteImage(box.frame, 5, 5, "unwanted");
    await seen(
      async () =>
        (
          await box.frame
            .locator("[data-part=banner]:visible")
            .innerText()
            .catch(() => "")
        ).includes("Scripted does not support images."),
      "the sentence",
    );
    await hasChips(box.frame);
  });
});
