/** The texts of the page and the sidecar in another display language: each text is in the catalogue. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promptInput, ROOT, sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { button, showsText } from "../page/scripted";
import { openScripted } from "./fixture";

/** A translation that marks each text, so that a text without marks is not in the catalogue. */
const CATALOGUE = JSON.parse(readFileSync(path.join(ROOT, "l10n/bundle.l10n.json"), "utf8")) as Record<string, string>;
const MARKED = Object.fromEntries(Object.keys(CATALOGUE).map(text => [text, `⟦${text}⟧`]));
/** Words of the user and the agent: its answer, options, input and modes. */
const FOREIGN = new RegExp(
  `^(?:${[
    String.raw`[^\p{L}]*|[A-Z]|json|"command"|(?:\$ )?"?rm it"?|rm|it`,
    "Scripted|Claude|Codex|Gemini CLI|workspace|Mode|Ask|(?:Allow|Reject) once",
    "say .*|hello|later|cancelled",
    // The host, which has no translation here, sends the origin of an agent.
    String.raw`(?:Scripted|Claude|Codex|Gemini CLI)\n.*`,
  ].join("|")})$`,
  "u",
);

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
    await box.frame.locator(".symposium-queued:visible").waitFor();
    await isTranslated();
    await box.screenshot("translated-question");
    await button(box.frame, "⟦Stop⟧").click();
    await turnEnded(box.frame);
    await isTranslated();
  });
});
