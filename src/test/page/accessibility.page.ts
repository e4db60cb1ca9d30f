/** The chat for those who do not see it, or use it by keyboard: what axe finds, what is said, where the focus goes. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { sendPrompt, turnEnded, turnState, type Box } from "./harness";
import { violations } from "./axe";
import { hasChips, input, pasteFile, pasteImage } from "./composing";
import { button, newTab, openScripted, seen, showsText, wear } from "./scripted";

const ANSWER = ["# One", "It splits the text at **white space**; see [the documentation](https://example.com/docs).", "### Two", "- words", "  - lines", "", "> Quoted.", "", "```js", "// Counts.", "const a = /x/.test(\\\"b\\\") ? 1 : null;", "```", "", "| File | Words |", "|---|---|", "| README.md | 62 |"].join("\\n");
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
  type: "object", title: "The release", description: "What is not known yet.", required: ["name", "channel"], properties: {
    name: { type: "string", title: "Name", description: "What it is called", minLength: 3 }, day: { type: "string", title: "Day", format: "date" }, copies: { type: "integer", title: "Copies", minimum: 1 },
    signed: { type: "boolean", title: "Sign it" }, channel: { type: "string", title: "Channel", enum: ["Stable", "Beta"] }, country: { type: "string", title: "Country", enum: ["Austria", "Brazil", "Chad", "Denmark", "Egypt", "France"] },
    targets: { type: "array", title: "Targets", minItems: 1, items: { type: "string", enum: ["Windows", "macOS"] } },
  },
};
const FORM = `title A form; visit* https://login.example.org/oauth message="Sign in."; form* message="How shall the **release** be made?" requestedSchema=${JSON.stringify(SCHEMA)}`;

const THEMES = [
  { theme: "Dark 2026", kind: "vscode-dark", name: "dark" },
  { theme: "Light 2026", kind: "vscode-light", name: "light" },
  { theme: "Dark High Contrast", kind: "vscode-high-contrast", name: "high-contrast" },
  { theme: "Light High Contrast", kind: "vscode-high-contrast-light", name: "high-contrast-light" },
] as const;

suite("accessibility", () => {
  suite("axe finds nothing wrong", () => {
    let box: Box;
    suiteSetup(async () => {
      box = await openScripted();
      await box.open();
      await box.page.emulateMedia({ reducedMotion: "reduce" });
      await sendPrompt(box.frame, "title Going on; say One sentence. And half a\\n\\n; wait-cancel");
      await showsText(box.frame, "And half a");
      await input(box.frame).click();
      await box.page.keyboard.type("say next");
      await box.page.keyboard.press("Enter");
      await chat().locator(".symposium-queued").waitFor();
      await pasteImage(box.frame, 9, 9, "nine");
      await hasChips(box.frame, "nine.png");
      await pasteFile(box.frame, "broken.png", "image/png", "no image");
      await chat().locator(".mynah-chat-prompt-input-sticky-card").getByText("broken.png").waitFor();
      await newTab(box);
      await sendPrompt(box.frame, "title Empty; commands plan:Makes a plan,review:Looks at the changes <what to review>; say .");
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
      await showsText(box.frame, "overloaded");
      await newTab(box);
    });
    suiteTeardown(() => box.close());

    const options = () => box.frame.locator(".symposium-commands:visible [role=option]");
    const chat = () => box.frame.locator(".mynah-chat-wrapper:visible");
    async function show(title: string): Promise<void> {
      await box.frame.getByRole("tab", { name: title }).click();
      await seen(async () => await box.frame.getByRole("tab", { name: title }).getAttribute("aria-selected") === "true", title);
    }
    const isFine = async (): Promise<void> => assert.deepEqual((await violations(box.frame)).join("\n"), "");

    for (const { theme, kind, name } of THEMES) {
      suite(`in ${theme}`, () => {
        suiteSetup(() => wear(box, theme, kind));

        test("in a chat that is empty", async () => {
          await show("Scripted");
          await isFine();
        });

        test("in one that is going on, with a prompt that waits, things attached, and a remark", async () => {
          await show("Going on");
          await isFine();
          await box.screenshot(`a11y-${name}-going-on`);
        });

        test("with the list of what fits behind an @, and with that of the agent's commands", async () => {
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

        test("in one with every kind of card, folded and unfolded, with its plan and its usage", async () => {
          await show("Every kind of card");
          await isFine();
          await chat().getByRole("button", { expanded: false }).evaluateAll(folds => folds.forEach(fold => { if (fold instanceof HTMLElement) fold.click(); }));
          await isFine();
          await box.screenshot(`a11y-${name}-cards`);
        });

        test("in one with a question for permission", async () => {
          await show("A question");
          await isFine();
          await box.screenshot(`a11y-${name}-permission`);
        });

        test("in one with a form that is not filled in, and a page to visit", async () => {
          await show("A form");
          await isFine();
        });

        test("in one whose turn has failed", async () => {
          await show("Not there");
          await isFine();
        });
      });
    }
  });

  suite("what is said", () => {
    let box: Box;
    suiteSetup(async () => {
      box = await openScripted();
      await box.open();
    });
    suiteTeardown(() => box.close());
    teardown(async () => {
      if (await turnState(box.frame) === "idle") return;
      await box.frame.locator(".mynah-chat-prompt-stop-button:visible").click();
      await seen(async () => await turnState(box.frame) === "idle", "the end of the turn");
    });

    /** What is in the regions, which keep it for a while: in order, and behind it, with a mark, what did not wait. */
    const said = async (): Promise<readonly string[]> => [
      ...await box.frame.locator(".symposium-spoken[role=log] > p").allTextContents(), ...(await box.frame.locator(".symposium-spoken[role=alert] > p").allTextContents()).map(text => `! ${text}`)];
    const forget = (): Promise<void> => box.frame.locator(".symposium-spoken > p").evaluateAll(all => all.forEach(each => each.remove()));
    /** Waits until it was said, and returns all that was since it was last forgotten, sentences that were said together in one piece. */
    async function hears(what: string): Promise<string> {
      await seen(async () => (await said()).join(" ").includes(what), `“${what}” among what is said`);
      return (await said()).join(" ");
    }

    test("an answer, sentence by sentence, while it is written: without marks, code named and not read; and that it has ended", async () => {
      await sendPrompt(box.frame, "say First **things** first. Then; ask p1 title=Wait; say , [later](https://example.org/x). Some code:\\n```js\\nlet a = 1\\nlet b = 2\\n```\\nThe rest");
      await button(box.frame, "Allow once").waitFor();
      assert.equal(await hears("Then"), "First things first. Then"); // the question is behind it
      await button(box.frame, "Allow once").click();
      await turnEnded(box.frame);
      assert.match(await hears("has finished"), /^First things first\. Then .*, later\. Some code: Code in js, 2 lines\. The rest Scripted has finished\.$/);
    });

    test("nothing that was there when the view is loaded again", async () => {
      await box.frame.locator("body").evaluate(body => { body.dataset["old"] = "true"; });
      await box.command("Developer: Reload Webviews");
      await seen(async () => await box.frame.locator("body[data-ready]:not([data-old])").count().catch(() => 0) === 1, "the view");
      await showsText(box.frame, "First things first");
      await sendPrompt(box.frame, "say Only this.");
      assert.equal(await hears("has finished"), "Only this. Scripted has finished.");
    });

    test("of another chat that it asks, at once and with all that it asks, and that it has finished", async () => {
      const gate = path.join(box.folders[0] ?? "", "gate");
      execFileSync("mkfifo", [gate]);
      await sendPrompt(box.frame, `title Behind; terminal cat gate; say Not heard. Nor this.; ask p2 kind=execute title="Clean up" input={"command":"rm -r build"}; terminal cat gate; say Nor that.`);
      await box.frame.locator(".symposium-terminal").waitFor();
      await newTab(box);
      await forget();
      await writeFile(gate, "");
      assert.equal(await hears("In the chat"), "! In the chat “Behind”, Scripted wants to run a command: Clean up. command: rm -r build.");
      await box.frame.getByRole("tab", { name: "Behind" }).click();
      await forget();
      await button(box.frame, "Allow once").click();
      await seen(async () => await box.frame.locator(".mynah-chat-wrapper:visible .symposium-terminal").count() === 2, "the second command");
      await box.frame.getByRole("tab", { name: "Scripted" }).click();
      await writeFile(gate, "");
      await hears("In the chat “Behind”, Scripted has finished.");
    });

    test("a question that must not take the focus, because somebody is typing; one that takes it says by itself what it asks", async () => {
      const card = box.frame.locator(".mynah-chat-wrapper:visible [data-kind=permission]").last();
      const QUESTION = `ask p3 kind=edit title="Change it" input={"path":"/srv/a.ts"} diff={"path":"/srv/a.ts","oldText":"one\\ntwo\\n","newText":"one\\n2\\nthree\\n"}`, ASKED = "Change it. path: /srv/a.ts. Changes /srv/a.ts: 2 lines added, 1 removed.";
      await forget();
      await sendPrompt(box.frame, QUESTION);
      await seen(() => card.evaluate(element => element === document.activeElement), "the focus on the question");
      assert.deepEqual(await card.evaluate(element => [element.getAttribute("aria-label"), document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent]), ["Scripted wants to change a file", ASKED]);
      assert.equal((await said()).filter(each => each.startsWith("!")).join(), "");
      await button(box.frame, "Allow once").click();
      await turnEnded(box.frame);
      await sendPrompt(box.frame, `${QUESTION.replace("ask", "sleep 500; ask")}`);
      await input(box.frame).pressSequentially("and");
      assert.match(await hears("! "), new RegExp(`! Scripted wants to change a file: ${ASKED.replaceAll(".", "\\.")}`));
      assert.equal(await input(box.frame).evaluate(element => element === document.activeElement), true);
      await input(box.frame).fill("");
    });

    test("no more when the turn is stopped", async () => {
      await sendPrompt(box.frame, `say ${"A sentence that takes a while to be heard. ".repeat(20)}; wait-cancel`);
      await hears("A sentence");
      await box.frame.locator(".mynah-chat-prompt-stop-button:visible").click();
      await hears("Stopped.");
      assert.ok((await said()).join(" ").split("A sentence").length < 12);
    });

    test("what the banner says, and what the agent does, is said where it stands", async () => {
      assert.deepEqual(await box.frame.locator(".mynah-chat-wrapper:visible :is(.mynah-chat-prompt-input-info, .mynah-chat-prompt-input-sticky-card)").evaluateAll(all => all.map(each => each.getAttribute("role"))), ["status", "status"]);
    });
  });

  suite("by keyboard", () => {
    let box: Box;
    suiteSetup(async () => {
      box = await openScripted();
      await box.open();
      await sendPrompt(box.frame, "title First; say One.; tool t1 execute List; toolupdate t1 completed input={\"command\":\"ls\"}; say Two.");
      await turnEnded(box.frame);
    });
    suiteTeardown(() => box.close());

    const press = (...keys: readonly string[]): Promise<void> => keys.reduce<Promise<void>>((before, key) => before.then(() => box.page.keyboard.press(key)), Promise.resolve());
    /** The name, or the text, of what has the focus in the page. */
    const focused = (): Promise<string> => box.frame.locator("body").evaluate(() => {
      const { activeElement: at } = document;
      return document.hasFocus() && at && at !== document.body ? (at.getAttribute("aria-label") ?? at.textContent).trim() : "";
    });
    const is = (name: string): Promise<void> => seen(async () => await focused() === name, `the focus on ${name}`, 5_000);
    const tabs = () => box.frame.getByRole("tab").evaluateAll(all => all.map(tab => `${tab.textContent}${tab.getAttribute("aria-selected") === "true" ? " *" : ""}${tab.getAttribute("tabindex") === "0" ? " 0" : ""}`));

    test("Alt+Up and Alt+Down go from card to card and back to the prompt", async () => {
      await input(box.frame).focus();
      await box.page.keyboard.type("draft");
      const up: string[] = [];
      for (let n = 0; n < 5; n++) { await press("Alt+ArrowUp"); up.push(await focused()); }
      assert.deepEqual(up, ["Answer", "Tool call", "Answer", "You", "You"]);
      await press("Alt+ArrowDown", "Alt+ArrowDown");
      await is("Tool call");
      await press("Tab");
      await is("Details");
      await press("Alt+ArrowUp");
      await is("Tool call");
      await press("Alt+ArrowDown", "Alt+ArrowDown");
      await is("Prompt");
      assert.equal(await input(box.frame).innerText(), "draft");
    });

    test("what a card folds can be unfolded, and says whether it is", async () => {
      await press("Alt+ArrowUp", "Alt+ArrowUp", "Tab");
      await is("Details");
      const fold = box.frame.getByRole("button", { name: "Details" });
      assert.equal(await fold.getAttribute("aria-expanded"), "false");
      await press("Enter");
      await seen(async () => await fold.getAttribute("aria-expanded") === "true", "that it is unfolded");
      await showsText(box.frame, "Input");
      await press("Space");
      await seen(async () => await fold.getAttribute("aria-expanded") === "false", "that it is folded");
    });

    test("Escape goes back to the prompt, and leaves what stands there", async () => {
      await press("Escape");
      await is("Prompt");
      await press("Escape");
      await is("Prompt");
      assert.equal(await input(box.frame).innerText(), "draft");
      await input(box.frame).fill("");
    });

    test("tabs: one stop of the Tab key, arrow keys, Home and End, Enter to the prompt, Delete closes", async () => {
      await newTab(box);
      await sendPrompt(box.frame, "title Second; say .");
      await turnEnded(box.frame);
      await newTab(box);
      await sendPrompt(box.frame, "title Third; say going; wait-cancel");
      await seen(async () => (await tabs()).join() === "First,Second,Third * 0", "the third tab, and its title");
      await box.frame.getByRole("tab", { name: "Third" }).focus();
      await press("ArrowLeft");
      await is("Second");
      assert.deepEqual(await tabs(), ["First", "Second * 0", "Third"]);
      assert.equal(await box.frame.getByRole("tabpanel", { name: "Second" }).count(), 1);
      await press("ArrowRight", "ArrowRight");
      await is("First");
      await press("End");
      await is("Third");
      await press("Home", "ArrowRight", "Delete");
      await seen(async () => (await tabs()).length === 2, "the end of the second tab");
      assert.match((await tabs()).join(), new RegExp(`${await focused()} \\* 0`));
      await press("Home", "Enter");
      await is("Prompt");
    });

    test("a tab that works is closed only when that is confirmed", async () => {
      await box.frame.getByRole("tab", { name: "First" }).focus();
      await press("End", "Delete");
      await is("Keep");
      assert.match(await box.frame.getByRole("alertdialog").getAttribute("aria-label") ?? "", /still working/);
      await press("Escape");
      await is("Third");
      assert.equal((await tabs()).length, 2);
      await press("Delete");
      await is("Keep");
      await press("Tab", "Enter");
      await seen(async () => (await tabs()).length === 1, "the end of the third tab");
      await is("First");
    });

    test("what a mouse finds out by resting is shown where the focus is, and goes with it", async () => {
      const tip = box.frame.locator(".symposium-tip");
      await input(box.frame).focus();
      for (let n = 0; n < 12 && !/New tabs|agent of new/.test(await focused()); n++) await press("Tab");
      await tip.waitFor();
      assert.equal(await tip.innerText(), "The agent of new tabs. Open tabs keep theirs.");
      await press("Escape");
      await tip.waitFor({ state: "hidden" });
    });
  });

  suite("for those who want it calm, or in colors of their own", () => {
    let box: Box;
    suiteSetup(async () => {
      box = await openScripted();
      await box.open();
      await sendPrompt(box.frame, "say going; tool a edit Change; usage 100 200; wait-cancel");
      await box.frame.locator(".symposium-usage:visible").waitFor();
    });
    suiteTeardown(() => box.close());

    const moving = () => box.frame.locator("#symposium").evaluate(root => [...root.querySelectorAll("*")].flatMap(each => [undefined, "::before", "::after"].flatMap(part => {
      const { animationName, animationDuration, transitionDuration } = getComputedStyle(each, part);
      return (animationName !== "none" && parseFloat(animationDuration) > 0) || parseFloat(transitionDuration) > 0 ? [`${each.className}${part ?? ""}`] : [];
    })));

    test("nothing moves when the system asks for that", async () => {
      assert.ok((await moving()).length > 0, "something moves otherwise");
      await box.page.emulateMedia({ reducedMotion: "reduce" });
      assert.deepEqual(await moving(), []);
      await box.page.emulateMedia({ reducedMotion: "no-preference" });
    });

    test("nothing moves when VS Code is told so", async () => {
      await box.frame.locator("body").evaluate(body => { body.classList.add("vscode-reduce-motion"); });
      assert.deepEqual(await moving(), []);
      await box.frame.locator("body").evaluate(body => { body.classList.remove("vscode-reduce-motion"); });
    });

    test("with forced colors, icons and what shows a state are still painted", async () => {
      await box.page.emulateMedia({ forcedColors: "active" });
      await box.screenshot("a11y-forced-colors");
      const pale = await box.frame.locator("#symposium").evaluate(root => {
        const canvas = root.appendChild(document.createElement("i"));
        canvas.style.cssText = "background: Canvas; forced-color-adjust: none";
        const { backgroundColor } = getComputedStyle(canvas);
        canvas.remove();
        const painted = [...root.querySelectorAll(".mynah-ui-icon, .symposium-ring")].filter(each => each.getClientRects().length > 0 && getComputedStyle(each).visibility === "visible");
        return painted.length === 0 ? ["nothing is there"] : painted.filter(each => getComputedStyle(each).backgroundColor === backgroundColor && getComputedStyle(each).backgroundImage === "none").map(each => each.className);
      });
      assert.deepEqual(pale, []);
      await box.page.emulateMedia({ forcedColors: "none" });
    });
  });
});
