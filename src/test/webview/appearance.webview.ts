/**
 * The chat's appearance: one conversation with every kind of card in VS Code's light, dark and high-contrast themes.
 */
import assert from "node:assert/strict";
import { parts } from "../page/chat-parts";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { edgesOf, textsSeen, themeColour } from "../page/contrast";
import { button, newTab, seen, showsText, typeDraft, wear } from "../page/scripted";
import { openStill } from "./appearance-steps";

const ANSWER = [
  "## What `count` does",
  "It splits the text at **white space** and counts what is *not empty*; see [the documentation](https://example.com/docs).",
  "- words",
  "- lines",
  "  - also empty ones",
  "",
  "1. read",
  "2. count",
  "",
  "> Quoted: “don't” is one word.",
  "",
  "```js",
  "// Counts words.",
  "export function count(text) {",
  '  return text.split(/\\\\s+/).filter(word => word !== "").length; // a long line that has to wrap',
  "}",
  "```",
  "",
  "| File | Words | Lines |",
  "|---|---|---|",
  "| README.md | 62 | 9 |",
  "| package.json | 18 | 7 |",
  "",
  "### Next",
  "Run the tests.",
].join("\\n");

const SCRIPT = `think The user wants words counted.\\n\\nLet me look at the files first.
say ${ANSWER}
plan [x] Read the source | [>] Change the expression | Run the tests
tool a read Read src/count.mjs
toolupdate a completed locations=src/count.mjs:3 rawOutput="export function count(text) {}"
tool b edit Change src/count.mjs
toolupdate b completed diff={"path":"src/count.mjs","oldText":"const words = text.split(' ');\\nreturn words.length;\\n","newText":"const words = text.split(/\\\\s+/u);\\nreturn words.length;\\n"}
tool c execute npm test
toolupdate c failed input={"command":"npm test","cwd":"/srv/word-count"} text="One test **failed**." rawOutput="not ok 1 - don't is one word"
tool d fetch Fetch https://example.com/a-rather-long-address/that/does-not-fit
toolupdate d in_progress
tool e search Search for usages
unknown-update
ask p1 kind=read title="Read README.md" options=allow_once,reject_once
ask p2 kind=execute title="Remove the build folder" input={"command":"rm -r build"} options=allow_once,allow_always,reject_once,reject_always`;

const THEMES = [
  { theme: "Light 2026", kind: "vscode-light", name: "light-2026" },
  { theme: "Light Modern", kind: "vscode-light", name: "light" },
  { theme: "Dark 2026", kind: "vscode-dark", name: "dark-2026" },
  { theme: "Dark Modern", kind: "vscode-dark", name: "dark" },
  { theme: "Dark High Contrast", kind: "vscode-high-contrast", name: "high-contrast" },
  { theme: "Light High Contrast", kind: "vscode-high-contrast-light", name: "high-contrast-light" },
] as const;

const SHOWN = [
  "What",
  "words",
  "the documentation",
  "README.md",
  "Thought",
  "1/3",
  "$ npm test",
  "Edited",
  "failed",
  "allowed",
  "Run a command?",
  "Allow Once",
  "⋯",
  "And then",
  "overloaded",
  "Broken",
];

const FRAME = { width: 1280, height: 900 };
/** High enough for the whole conversation. */
const TALL = { width: 1280, height: 3400 };

suite("chat appearance", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openStill();
    await sendPrompt(box.frame, "title Broken; error -32603 The model is overloaded, try again in a minute.");
    await turnEnded(box.frame);
    await newTab(box);
    await sendPrompt(box.frame, "error -32603 The model is overloaded");
    await turnEnded(box.frame);
    await sendPrompt(box.frame, SCRIPT);
    await button(box.frame, /Allow once/i)
      .first()
      .click();
    await showsText(box.frame, /Read README\.md\s+allowed/);
    await button(box.frame, "⋯").first().waitFor();
    await seen(
      () =>
        box.frame
          .locator("[data-kind=permission]:visible")
          .last()
          .evaluate(card => card === document.activeElement),
      "the focus on the second question",
    ); // and it takes no further focus from the user's input
    await typeDraft(box.frame, "And then\nwrite a test for it");
  });
  suiteTeardown(() => box.close());

  for (const { theme, kind, name } of THEMES) {
    suite(`in ${theme}`, () => {
      suiteSetup(async () => {
        await wear(box, theme, kind);
        await screenshots(name);
      });

      test("has a text contrast of at least 4.5", async () => {
        const all = await textsSeen(box.frame, "#symposium");
        for (const part of SHOWN)
          assert.ok(
            all.some(({ text }) => text.includes(part)),
            `“${part}” is not on screen`,
          );
        assert.deepEqual(
          all.filter(({ contrast }) => contrast < 4.5),
          [],
        );
      });

      test("shows the focus at each tab stop", async () => {
        const focus = await themeColour(box.frame, "focusBorder");
        await box.frame.locator("[data-part=prompt]:visible").click();
        const stops: string[] = [];
        for (let stop = await focused(); stop !== undefined && stops.length < 10; stop = await focused()) {
          assert.ok(stop.width >= 1 && stop.colour === focus, `${JSON.stringify(stop)}, not ${focus}`);
          stops.push(stop.name);
          await box.page.keyboard.press("Shift+Tab");
        }
        assert.ok(new Set(stops).size >= 6, stops.join(", "));
      });

      if (name.startsWith("high-contrast")) test("shows the theme's borders on cards, buttons and the input", hasEdges);
    });
  }

  test("shows the border of an open permission request only", async () => {
    await wear(box, "Light 2026", "vscode-light");
    const colours = async (kinds: string): Promise<readonly string[]> =>
      (await edgesOf(box.frame, `[data-part=chat]:visible ${kinds} > ${parts.cardContent}`)).map(
        ({ border }) => border.colour,
      );
    assert.deepEqual(await colours("[data-kind=permission]"), [
      await themeColour(box.frame, "editorWarning-foreground"),
    ]);
    assert.deepEqual(
      [...new Set(await colours("[data-kind]:is([data-kind=tool], [data-kind=thought], [data-kind=notice])"))],
      ["rgba(0, 0, 0, 0)"],
    );
  });

  async function hasEdges(): Promise<void> {
    const contrast = await themeColour(box.frame, "contrastBorder");
    const warning = await themeColour(box.frame, "editorWarning-foreground");
    for (const selector of [
      `:is([data-kind=prompt], [data-kind=permission]) > ${parts.cardContent}`,
      "button[action-id]",
      "[data-part=prompt-box]",
      parts.codeBlock,
    ]) {
      const edges = await edgesOf(box.frame, `[data-part=chat]:visible ${selector}`);
      assert.ok(edges.length > 0, selector);
      for (const { element, border } of edges) {
        assert.ok(
          border.width >= 1 &&
            border.style === "solid" &&
            [contrast, warning, await themeColour(box.frame, "focusBorder")].includes(border.colour),
          `${element}: ${JSON.stringify(border)}`,
        );
      }
    }
  }

  test("outlines no line of inline code, which can wrap", async () => {
    await wear(box, "Dark High Contrast", "vscode-high-contrast");
    const edges = await edgesOf(box.frame, `[data-part=chat]:visible ${parts.inlineCode}`);
    assert.deepEqual([...new Set(edges.map(({ border }) => border.width))], [0]);
  });

  /** The focused element, and the outline around it or around its box. */
  function focused(): Promise<{ readonly name: string; readonly width: number; readonly colour: string } | undefined> {
    return box.frame.locator("body").evaluate(() => {
      const at = document.activeElement;
      if (!at || at === document.body || !document.hasFocus()) return undefined;
      const around =
        at.closest("[data-part=prompt-box]") && at.matches("[contenteditable]")
          ? at.closest("[data-part=prompt-box]")!
          : at;
      const { outlineStyle, outlineWidth, outlineColor, borderTopWidth, borderTopColor } = getComputedStyle(around);
      const name = at.getAttribute("aria-label") ?? at.textContent?.trim().slice(0, 30) ?? at.tagName;
      return around === at
        ? { name, width: outlineStyle === "none" ? 0 : parseFloat(outlineWidth), colour: outlineColor }
        : { name, width: parseFloat(borderTopWidth), colour: borderTopColor };
    });
  }

  async function screenshots(name: string): Promise<void> {
    await box.frame.locator("[data-part=conversation]:visible").evaluate(list => {
      list.scrollTop = list.scrollHeight;
    });
    await box.screenshot(`${name}-end`);
    await box.page.setViewportSize(TALL);
    await box.frame.locator("[data-part=conversation]:visible").evaluate(async list => {
      list.scrollTop = 0;
      await new Promise(requestAnimationFrame);
    });
    await box.screenshot(`${name}-whole`);
    await box.page.setViewportSize(FRAME);
  }
});
