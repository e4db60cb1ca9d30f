/** Code blocks, links and images in answers. Screenshots of three widths and themes. */
import assert from "node:assert/strict";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { violations } from "../page/axe";
import { step } from "../page/hostile-content";
import { becomes, seen } from "../page/scripted";
import { openStill, testAppearance } from "./appearance-steps";

const ANSWER = `The function in \`src/count.mjs\` splits on one space. Replace it in \`src/count.mjs:3\`:

\`\`\`js
// Counts the words of a text.
export function count(text) {
  const words = text.trim().split(/\\s+/u);
  return words[0] === "" ? 0 : words.length;
}
\`\`\`

Then add a test and run it:

\`\`\`js title="test/count.test.mjs"
import { test } from "node:test";
test("counts words", () => assert.equal(count("one  two"), 2, "a rather long message that does not fit into a narrow side bar"));
\`\`\`

\`\`\`sh
npm test -- --grep "counts words" # 1 test
\`\`\`
`;

const NAMES = `See \`src/count.mjs:3:1\`, \`src/missing.mjs\`, \`countWords()\`, \`Counter\`, \`true\` and [the guide](https://example.org/guide).`;
/** 10 × 10, one green square. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FAP5FDvcfRYWgAAAAAElFTkSuQmCC";

suite("content of answers", () => {
  let box: ChatBox;
  const calls: { readonly what: string; readonly text: string }[] = [];
  suiteSetup(async () => {
    box = await openStill({
      called: (what, text) => calls.push({ what, text }),
      // Browsers offer the clipboard to secure pages only, such as those of VS Code.
      onPage: page =>
        page.addInitScript(() =>
          Object.defineProperty(navigator, "clipboard", {
            value: { writeText: async (text: string) => sessionStorage.setItem("copied", text) },
          }),
        ),
    });
    await sendPrompt(box.frame, `title Answer\nsay ${step(ANSWER)}`);
    await turnEnded(box.frame);
    await sendPrompt(box.frame, `title Names\nsay ${step(NAMES)}\nshow image=${PNG}`);
    await turnEnded(box.frame);
  });
  suiteTeardown(() => box.close());

  const answers = () => box.frame.locator("[data-part=chat]:visible [data-kind=answer]"),
    answer = () => answers().first(),
    heads = () => answer().locator(".symposium-code-head"),
    action = (label: string, block = 0) => heads().nth(block).getByRole("button", { name: label });

  testAppearance({ box: () => box, name: "content", before: () => heads().first().hover() });

  test("shows the language of a block, and its actions with the focus", async () => {
    assert.deepEqual(await heads().locator(".symposium-code-language").allInnerTexts(), ["js", "js", "sh"]);
    await action("Copy").focus();
    await seen(
      async () =>
        (await heads()
          .first()
          .locator(".symposium-code-actions")
          .evaluate(row => getComputedStyle(row).opacity)) === "1",
      "visible actions",
    );
  });

  test("copies a block and confirms", async () => {
    await action("Copy", 2).press("Enter");
    await becomes(
      () => box.page.evaluate(() => sessionStorage.getItem("copied")),
      `npm test -- --grep "counts words" # 1 test\n`,
      "the copied code",
    );
    await heads().nth(2).getByRole("status").filter({ hasText: "Copied" }).waitFor();
  });

  test("sends a block to the cursor, and to its file with the names around it", async () => {
    calls.length = 0;
    await action("Insert at Cursor", 2).press("Enter");
    await action("Apply to File…").press("Enter");
    await action("Apply to File…", 1).press("Enter");
    await becomes(
      async () => calls.map(({ what, text }) => [what, text.split("\n")[0]]),
      [
        ["insert", `npm test -- --grep "counts words" # 1 test`],
        ["propose | src/count.mjs", "// Counts the words of a text."],
        ["propose test/count.test.mjs |", `import { test } from "node:test";`],
      ],
      "the calls",
    );
  });

  test("wraps long lines on request", async () => {
    const scrolls = (): Promise<boolean> =>
      answer()
        .locator(".symposium-code-head ~ pre")
        .nth(1)
        .evaluate(code => code.scrollWidth > code.clientWidth);
    await becomes(scrolls, true, "a long line");
    await action("Wrap Lines", 1).press("Enter");
    await becomes(scrolls, false, "wrapped lines");
    assert.equal(await action("Wrap Lines", 1).getAttribute("aria-pressed"), "true");
    await action("Wrap Lines", 1).press("Enter");
    await becomes(scrolls, true, "long lines");
  });

  test("links inline code that names a file, and opens it by keyboard", async () => {
    const links = answers().last().getByRole("link");
    await becomes(
      () => links.evaluateAll(all => all.map(link => [link.textContent, link.getAttribute("title")])),
      [
        ["src/count.mjs:3:1", "Open src/count.mjs:3:1"],
        ["the guide", "https://example.org/guide"],
      ],
      "the links",
    );
    calls.length = 0;
    await links.first().press("Enter");
    await becomes(
      async () => calls.map(({ what, text }) => [what, text.replace(/^.*workspace/, "")]),
      [["open", "/src/count.mjs#L3C1"]],
      "the opened file",
    );
  });

  test("resolves a symbol only when its name is pressed", async () => {
    const symbols = answers().last().locator(".symposium-symbol");
    assert.deepEqual(await symbols.allInnerTexts(), ["countWords()", "Counter"]);
    assert.equal(await symbols.first().getAttribute("title"), "Go to Symbol countWords");
    calls.length = 0;
    await symbols.first().press("Enter");
    await symbols.last().click();
    await becomes(async () => calls.map(({ what }) => what), ["symbol countWords", "symbol Counter"], "the symbols");
  });

  test("zooms a picture, keeps its text, and returns the focus", async () => {
    const picture = box.frame.locator("[data-kind=media] img"),
      dialog = box.frame.getByRole("dialog");
    await picture.focus();
    await box.page.keyboard.press("Enter");
    await dialog.waitFor();
    assert.equal(await dialog.locator("img").getAttribute("alt"), await picture.getAttribute("alt"));
    assert.deepEqual(await violations(box.frame), []);
    await box.screenshot("content-zoom");
    await box.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await seen(() => picture.evaluate(element => element === document.activeElement), "the focus on the picture");
    await picture.click();
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
  });
});
