/** Accessibility of the chat: axe violations in four themes, reduced motion, system colors. */
import { parts } from "../page/chat-parts";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { violations } from "../page/axe";
import { hasChips, input, pasteFile, pasteImage } from "../page/prompt-steps";
import { THEMES } from "../page/contrast";
import { becomes, button, newTab, seen, showsText, wear } from "../page/scripted";
import { openScripted } from "./fixture";

const ANSWER = [
  "# One",
  "It splits the text at **white space**; see [the documentation](https://example.com/docs).",
  "### Two",
  "- words",
  "  - lines",
  "",
  "> Quoted.",
  "",
  "```js",
  "// Counts.",
  'const a = /x/.test(\\"b\\") ? 1 : null;',
  "```",
  "",
  "| File | Words |",
  "|---|---|",
  "| README.md | 62 |",
].join("\\n");
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FAP5FDvcfRYWgAAAAAElFTkSuQmCC";
const EVERYTHING = `title Every kind of card
think Let me look at the **files** first.
say ${ANSWER}
show image=${PNG} audio resource={"uri":"file:///srv/notes.md","mimeType":"text/markdown","text":"# Notes"} link={"uri":"https://example.org/guide","name":"Guide","description":"How releases are made"} hologram=1
plan [x] Read the source | [>] Change the expression | Run the tests
tool a edit Change count.mjs
toolupdate a completed locations=src/count.mjs:3 diff={"path":"src/count.mjs","oldText":"one","newText":"two"}
tool c execute npm test
toolupdate c failed input={"command":"npm test"} text="One test **failed**." rawOutput="not ok 1"
tool d fetch Fetch https://example.com/a-rather-long-address
terminal printf 'plain \\033[31mred\\033[0m \\033[32mgreen\\033[0m \\033[90mgrey\\033[0m \\033[7minverse\\033[0m\\n'
notice warning The model is slow today | latency 12 s, region eu
compact c1 completed We spoke of **words**.
unknown-update
usage 182345 200000 0.3412 USD
commands plan:Makes a plan,review:Looks at the changes <what to review>
ask* p1 kind=read title="Read README.md" options=allow_once,reject_once
say The end.`;
const PERMISSION = `title A question; tool b edit Change it; ask p2 kind=execute title="Remove the build folder" input={"command":"rm -r build","cwd":"/srv"} diff={"path":"/srv/a.ts","oldText":"one\\ntwo\\n","newText":"one\\n2\\nthree\\n"} options=allow_once,allow_always,reject_once,reject_always`;
const SCHEMA = {
  type: "object",
  title: "The release",
  description: "What is not known yet.",
  required: ["name", "channel"],
  properties: {
    name: { type: "string", title: "Name", description: "What it is called", minLength: 3 },
    day: { type: "string", title: "Day", format: "date" },
    copies: { type: "integer", title: "Copies", minimum: 1 },
    signed: { type: "boolean", title: "Sign it" },
    channel: { type: "string", title: "Channel", enum: ["Stable", "Beta"] },
    country: { type: "string", title: "Country", enum: ["Austria", "Brazil", "Chad", "Denmark", "Egypt", "France"] },
    targets: { type: "array", title: "Targets", minItems: 1, items: { type: "string", enum: ["Windows", "macOS"] } },
  },
};
const FORM = `title A form; visit* https://login.example.org/oauth message="Sign in."; form* message="How shall the **release** be made?" requestedSchema=${JSON.stringify(SCHEMA)}`;

suite("accessibility", () => {
  suite("axe violations", () => {
    let box: ChatBox;
    suiteSetup(async () => {
      box = await openScripted();
      await box.open();
      await box.page.emulateMedia({ reducedMotion: "reduce" });
      await sendPrompt(box.frame, "title Going on; say One sentence. And half a\\n\\n; wait-cancel");
      await showsText(box.frame, /^One sentence\. And half a$/m);
      await input(box.frame).click();
      await box.page.keyboard.type("say next");
      await box.page.keyboard.press("Enter");
      await chat().locator("[data-part=dock-queue]").click();
      await chat().locator(".symposium-queued").waitFor();
      await pasteImage(box.frame, 9, 9, "nine");
      await hasChips(box.frame, "nine.png");
      await pasteFile(box.frame, "broken.png", "image/png", "no image");
      await chat().locator("[data-part=banner]").getByText("broken.png").waitFor();
      await newTab(box);
      await sendPrompt(
        box.frame,
        "title Empty; commands plan:Makes a plan,review:Looks at the changes <what to review>; say .",
      );
      await turnEnded(box.frame);
      await newTab(box);
      await sendPrompt(box.frame, EVERYTHING);
      await button(box.frame, "Allow once").click();
      await turnEnded(box.frame);
      await newTab(box);
      await sendPrompt(box.frame, PERMISSION);
      await button(box.frame, "Allow once").waitFor();
      await newTab(box);
      await sendPrompt(box.frame, FORM);
      await chat().getByRole("button", { name: "Submit" }).click();
      await newTab(box);
      await sendPrompt(box.frame, "title Not there; error -32603 The model is overloaded");
      await turnEnded(box.frame);
      await newTab(box);
    });
    suiteTeardown(() => box.close());

    const options = () => box.frame.locator(".symposium-commands:visible [role=option]");
    const chat = () => box.frame.locator("[data-part=chat]:visible");
    async function show(title: string): Promise<void> {
      await box.frame.getByRole("tab", { name: title }).click();
      await seen(
        async () => (await box.frame.getByRole("tab", { name: title }).getAttribute("aria-selected")) === "true",
        title,
      );
    }
    const isFine = (): Promise<void> =>
      becomes(async () => (await violations(box.frame)).join("\n"), "", "a page in which axe finds nothing wrong");

    for (const { theme, kind, name } of THEMES) {
      suite(`in ${theme}`, () => {
        suiteSetup(() => wear(box, theme, kind));

        test("is absent in an empty chat", async () => {
          await show("Scripted");
          await isFine();
        });

        test("is absent in a chat with a queued prompt, attachments and a remark", async () => {
          await show("Going on");
          await isFine();
          await box.screenshot(`a11y-${name}-going-on`);
        });

        test("is absent in the mention and command lists", async () => {
          await show("Empty");
          await input(box.frame).click();
          await box.page.keyboard.type("@read");
          await options().first().waitFor();
          await isFine();
          await input(box.frame).fill("");
          await box.page.keyboard.type("/");
          await options().first().waitFor();
          await isFine();
          await box.screenshot(`a11y-${name}-commands`);
          await input(box.frame).fill("");
        });

        test("is absent in every kind of card, folded and unfolded, with plan and usage", async () => {
          await show("Every kind of card");
          await isFine();
          await chat()
            .getByRole("button", { expanded: false })
            .evaluateAll(folds =>
              folds.forEach(fold => {
                if (fold instanceof HTMLElement) fold.click();
              }),
            );
          await isFine();
          await box.screenshot(`a11y-${name}-cards`);
        });

        test("is absent in a permission request", async () => {
          await show("A question");
          await isFine();
          await box.screenshot(`a11y-${name}-permission`);
        });

        test("is absent in an empty form and a page request", async () => {
          await show("A form");
          await isFine();
        });

        test("is absent after a failed turn", async () => {
          await show("Not there");
          await isFine();
        });
      });
    }
  });

  suite("reduced motion and forced colors", () => {
    let box: ChatBox;
    suiteSetup(async () => {
      box = await openScripted();
      await box.open();
      await sendPrompt(box.frame, "say going; tool a edit Change; usage 100 200; wait-cancel");
      await box.frame.locator("[data-part=dock-usage]:visible").waitFor();
    });
    suiteTeardown(() => box.close());

    const moving = () =>
      box.frame.locator("#symposium").evaluate(root =>
        [...root.querySelectorAll("*")].flatMap(each =>
          [undefined, "::before", "::after"].flatMap(part => {
            const { animationName, animationDuration, transitionDuration } = getComputedStyle(each, part);
            return (animationName !== "none" && parseFloat(animationDuration) > 0) || parseFloat(transitionDuration) > 0
              ? [`${each.className}${part ?? ""}`]
              : [];
          }),
        ),
      );

    test("stops animations for the system setting", async () => {
      await seen(async () => (await moving()).length > 0, "something that moves otherwise");
      await box.page.emulateMedia({ reducedMotion: "reduce" });
      await becomes(moving, [], "nothing that moves");
      await box.page.emulateMedia({ reducedMotion: "no-preference" });
    });

    test("stops animations for VS Code's setting", async () => {
      await box.frame.locator("body").evaluate(body => {
        body.classList.add("vscode-reduce-motion");
      });
      await becomes(moving, [], "nothing that moves");
      await box.frame.locator("body").evaluate(body => {
        body.classList.remove("vscode-reduce-motion");
      });
    });

    test("keeps icons and states visible with forced colors", async () => {
      await box.page.emulateMedia({ forcedColors: "active" });
      await box.screenshot("a11y-forced-colors");
      const pale = () =>
        box.frame.locator("#symposium").evaluate((root, icon) => {
          const canvas = root.appendChild(document.createElement("i"));
          canvas.style.cssText = "background: Canvas; forced-color-adjust: none";
          const { backgroundColor } = getComputedStyle(canvas);
          canvas.remove();
          const painted = [...root.querySelectorAll(`${icon}, .symposium-ring`)].filter(
            each => each.getClientRects().length > 0 && getComputedStyle(each).visibility === "visible",
          );
          return painted.length === 0
            ? ["nothing is there"]
            : painted
                .filter(
                  each =>
                    getComputedStyle(each).backgroundColor === backgroundColor &&
                    getComputedStyle(each).backgroundImage === "none",
                )
                .map(each => each.className);
        }, parts.icon);
      await becomes(pale, [], "all that is to be seen");
      await box.page.emulateMedia({ forcedColors: "none" });
    });
  });
});
