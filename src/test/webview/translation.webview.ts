/** The texts of the page and the sidecar in another display language: each text is in the catalogue. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import * as l10n from "@vscode/l10n";
import { DRAFT_TRANSLATIONS } from "../../protocol/text/draft-translations";
import { promptInput, ROOT, sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { AGENT_ID, button, openPanel, scripted, shownTab, showsText, testAgent } from "../page/scripted";
import { openScripted } from "./fixture";

/** A translation that marks each text, so that a text without marks is not in the catalogue. */
const CATALOGUE = bundle("bundle.l10n.json");
const MARKED = Object.fromEntries(Object.keys(CATALOGUE).map(text => [text, `⟦${text}⟧`]));
/** Words of the user and the agent: its answer, options, input and modes. */
const FOREIGN = new RegExp(
  `^(?:${[
    String.raw`[^\p{L}]*|[A-Z]|json|"command"|(?:\$ )?"?rm it"?|rm|it`,
    "Scripted|Claude|Codex|Gemini CLI|workspace|Mode|Mode: Ask|Ask|(?:Allow|Reject) once",
    "say .*|hello|later|cancelled",
    // The host, which has no translation here, sends the origin of an agent.
    String.raw`(?:Scripted|Claude|Codex|Gemini CLI)\n.*`,
  ].join("|")})$`,
  "u",
);

function bundle(name: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(path.join(ROOT, "l10n", name), "utf8")) as Record<string, string>;
}

suite("translated page", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openScripted({ translation: { language: "qps-ploc", texts: MARKED } });
    await box.open();
  });
  suiteTeardown(() => box.close());

  /** Visible texts, labels and tooltips without marks; a text belongs to the block around it. */
  const unmarked = (): Promise<readonly string[]> =>
    box.frame.locator("body").evaluate((body: HTMLElement) => {
      const found = new Set<string>();
      const add = (text: string | null | undefined): void => {
        const trimmed = text?.trim() ?? "";
        if (trimmed !== "" && !trimmed.includes("⟦")) found.add(trimmed);
      };
      const block = (node: Element): Element =>
        node.parentElement && getComputedStyle(node).display.startsWith("inline") ? block(node.parentElement) : node;
      for (const element of body.querySelectorAll<HTMLElement>("*")) {
        if (!element.checkVisibility() || element.matches("script, style, option")) continue;
        for (const name of ["aria-label", "placeholder", "title"]) add(element.getAttribute(name));
        for (const node of element.childNodes)
          if (node.nodeType === Node.TEXT_NODE && !block(element).textContent.includes("⟦")) add(node.textContent);
      }
      return [...found];
    });

  async function isTranslated(): Promise<void> {
    assert.deepEqual(
      (await unmarked()).filter(text => !FOREIGN.test(text)),
      [],
    );
  }

  test("translates an empty chat", async () => {
    assert.equal(await box.frame.locator("html").getAttribute("lang"), "qps-ploc");
    await isTranslated();
  });

  test("translates cards, a question and the queue", async () => {
    await sendPrompt(box.frame, `say hello; ask own kind=execute title="rm it" input={"command":"rm it"}`);
    await showsText(box.frame, /rm it/);
    await (await promptInput(box.frame)).fill("say later");
    await box.page.keyboard.press("Enter");
    await box.frame.locator("[data-part=dock-queue]:visible").click();
    await box.frame.locator(".symposium-queued:visible").waitFor();
    await isTranslated();
    await box.screenshot("translated-question");
    await button(box.frame, "⟦Stop⟧").click();
    await turnEnded(box.frame);
    await isTranslated();
  });
});

const WIDTHS = [260, 340] as const;
const AGENT = testAgent(AGENT_ID, "Scripted");
const TURN = `title Count words
think The user wants words counted.
plan [x] Read | [>] Change | Test
tool a read Read src/count.mjs
toolupdate a completed locations=src/count.mjs:3
ask p kind=execute title="Build" input={"command":"npm run build"} options=allow_once,reject_once`;

for (const language of DRAFT_TRANSLATIONS)
  suite(`chat page in ${language}`, () => {
    const texts = bundle(`bundle.l10n.${language}.json`),
      text = (english: string): string => texts[english] ?? english;
    let box: ChatBox;
    suiteSetup(async () => {
      l10n.config({ contents: texts });
      box = await openScripted({
        settings: scripted([], { "symposium.agents": [AGENT], "symposium.extensions": null }),
        translation: { language, texts },
        activeFile: () => ({ path: "count.mjs", problems: 2 }),
      });
      await box.open();
    });
    suiteTeardown(async () => {
      l10n.config({ contents: {} });
      await box.close();
    });

    /** Labels whose end is not visible. The step of the plan is a text of the agent. */
    const cutOff = (): Promise<readonly string[]> =>
      shownTab(box).evaluate((tab: HTMLElement) =>
        [...tab.querySelectorAll<HTMLElement>("button:not(.symposium-plan), h2, h3, label, legend")]
          .filter(each => each.checkVisibility() && getComputedStyle(each).overflowX !== "visible")
          .filter(each => each.scrollWidth > each.clientWidth + 1)
          .map(each => `${each.className}: ${each.textContent}`),
      );

    async function fits(state: string): Promise<void> {
      for (const width of WIDTHS) {
        const frame = box.page.locator("iframe.webview");
        await frame.evaluate((each: HTMLElement, px) => {
          each.style.width = `${px}px`;
        }, width);
        await frame.screenshot({
          path: path.join(ROOT, `out/screenshots/translated-${language}-${state}-${width}.png`),
        });
        assert.deepEqual(await cutOff(), [], `${width} px`);
        assert.ok(
          await box.frame.locator("body").evaluate(body => body.scrollWidth <= body.clientWidth),
          `${width} px`,
        );
      }
    }

    test("fits the first screen", async () => {
      await button(box.frame, text("Explain this project")).waitFor();
      await fits("first-screen");
    });

    test("fits a question, a plan and the queue", async () => {
      await sendPrompt(box.frame, TURN);
      await box.frame.getByText(text("Run a command?")).first().waitFor();
      await (await promptInput(box.frame)).fill("say later");
      await box.page.keyboard.press("Enter");
      await box.frame.locator("[data-part=dock-queue]:visible").waitFor();
      await openPanel(box, "queue");
      await fits("question");
    });

    test("fits the bypass of permissions", async () => {
      box.writeSettings(scripted([], { "symposium.agents": [{ ...AGENT, bypassPermissions: true }] }));
      await box.frame.locator("[data-part=dock-bypass]:visible").waitFor();
      await openPanel(box, "bypass");
      await fits("bypass");
    });
  });
