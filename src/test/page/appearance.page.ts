/** What the chat looks like: one conversation with every kind of card in VS Code's light, dark and high-contrast themes. */
import assert from "node:assert/strict";
import { sendPrompt, type Box } from "./harness";
import { edgesOf, textsSeen, themeColour } from "./looks";
import { button, newTab, openScripted, scripted, seen, showsText, typeDraft } from "./scripted";

const ANSWER = [
  "## What `count` does", "It splits the text at **white space** and counts what is *not empty*; see [the documentation](https://example.com/docs).",
  "- words", "- lines", "  - also empty ones", "", "1. read", "2. count", "", "> Quoted: “don't” is one word.", "",
  "```js", "// Counts words.", "export function count(text) {", "  return text.split(/\\\\s+/).filter(word => word !== \"\").length; // a long line that has to wrap", "}", "```", "",
  "| File | Words | Lines |", "|---|---|---|", "| README.md | 62 | 9 |", "| package.json | 18 | 7 |", "", "### Next", "Run the tests.",
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
  { theme: "Default Light Modern", kind: "vscode-light", name: "light" },
  { theme: "Default Dark Modern", kind: "vscode-dark", name: "dark" },
  { theme: "Default High Contrast", kind: "vscode-high-contrast", name: "high-contrast" },
  { theme: "Default High Contrast Light", kind: "vscode-high-contrast-light", name: "high-contrast-light" },
] as const;

const FRAME = { width: 1280, height: 900 };
/** High enough for the whole conversation. */
const TALL = { width: 1280, height: 3400 };

suite("the chat's appearance", () => {
  let box: Box;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
    await sendPrompt(box.frame, "title Broken; error -32603 The model is overloaded, try again in a minute.");
    await showsText(box.frame, "overloaded");
    await newTab(box);
    await sendPrompt(box.frame, "error -32603 The model is overloaded");
    await showsText(box.frame, "overloaded");
    await sendPrompt(box.frame, SCRIPT);
    await button(box.frame, /Allow once/i).first().click();
    await showsText(box.frame, /Allowed/);
    await button(box.frame, "Bypass permissions").first().waitFor();
    await typeDraft(box.frame, "And then\nwrite a test for it");
  });
  suiteTeardown(() => box.close());

  for (const { theme, kind, name } of THEMES) {
    test(`in ${theme} all text can be read, and cards and buttons have the edges that the theme asks for`, async () => {
      await wear(theme, kind);
      const all = await textsSeen(box.frame, "#symposium");
      for (const part of ["What", "words", "npm test", "Plan", "Allow once", "And then", "overloaded", "Thought", "waiting", "running", "failed", "done"]) assert.ok(all.some(({ text }) => text.includes(part)), `${part} is not among ${JSON.stringify(all.map(({ text }) => text))}`);
      assert.deepEqual(all.filter(({ contrast }) => contrast < 4.5), []);
      if (name.startsWith("high-contrast")) await hasContrastBorders();
      await screenshots(name);
    });
  }

  for (const { theme, kind } of THEMES) {
    test(`in ${theme} every stop of the Tab key shows where the focus is`, async () => {
      await wear(theme, kind);
      const focus = await themeColour(box.frame, "focusBorder");
      await box.frame.locator(".mynah-chat-prompt-input:visible").click();
      const stops: string[] = [];
      for (let n = 0; n < 12; n++) {
        const stop = await focused();
        if (stop === undefined) break;
        stops.push(stop.name);
        assert.equal(stop.colour, focus, `${stop.name}: ${JSON.stringify(stop)}`);
        assert.ok(stop.width >= 1, JSON.stringify(stop));
        await box.page.keyboard.press("Shift+Tab");
      }
      assert.ok(stops.length > 4, stops.join(", "));
    });
  }

  async function wear(theme: string, kind: string): Promise<void> {
    box.server.writeSettings({ ...scripted(), "workbench.colorTheme": theme });
    await seen(async () => await box.frame.locator(`body.${kind}`).count() === 1, `the theme ${theme}`);
  }

  async function hasContrastBorders(): Promise<void> {
    const contrast = await themeColour(box.frame, "contrastBorder");
    assert.ok(contrast !== undefined);
    const wanted = ["[data-kind]:not([data-kind=answer]) > .mynah-card", "button[action-id]", ".mynah-chat-prompt"];
    for (const selector of wanted) {
      const edges = await edgesOf(box.frame, `.mynah-chat-wrapper:visible ${selector}`);
      assert.ok(edges.length > 0, selector);
      for (const edge of edges) assert.ok(edge.border.width >= 1 && edge.border.style !== "none" && !edge.border.colour.includes(", 0)"), JSON.stringify(edge));
    }
  }

  /** What has the focus, and the line that is drawn around it or around the box that it is in. */
  function focused(): Promise<{ readonly name: string; readonly width: number; readonly colour: string } | undefined> {
    return box.frame.locator("body").evaluate(() => {
      const at = document.activeElement;
      if (!at || at === document.body || !document.hasFocus()) return undefined;
      const around = at.closest(".mynah-chat-prompt") && at.matches("[contenteditable]") ? at.closest(".mynah-chat-prompt")! : at;
      const { outlineStyle, outlineWidth, outlineColor, borderTopWidth, borderTopColor } = getComputedStyle(around);
      const name = at.getAttribute("aria-label") ?? at.textContent?.trim().slice(0, 30) ?? at.tagName;
      return around === at ? { name, width: outlineStyle === "none" ? 0 : parseFloat(outlineWidth), colour: outlineColor } : { name, width: parseFloat(borderTopWidth), colour: borderTopColor };
    });
  }

  async function screenshots(name: string): Promise<void> {
    await box.screenshot(`${name}-end`);
    await box.page.setViewportSize(TALL);
    await box.frame.locator(".mynah-chat-items-container:visible").evaluate(async list => { list.scrollTop = 0; await new Promise(requestAnimationFrame); });
    await box.screenshot(`${name}-whole`);
    await box.page.setViewportSize(FRAME);
  }
});
