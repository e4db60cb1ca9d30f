/**
 * The appearance of an agent's content and questions beyond text: readable, reachable, stable across redraws, and shown
 * as text where the agent provides it.
 */
import assert from "node:assert/strict";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { edgesOf, textsSeen, themeColour, THEMES } from "../page/contrast";
import { becomes, pick, seen, showsText, testAgent, wear } from "../page/scripted";
import { openStill } from "./appearance-steps";

const SETTINGS = {
  "symposium.agents": [testAgent("looks", "Scripted", ["--options"])],
  "symposium.currentAgentId": "looks",
};

const SCHEMA = {
  type: "object",
  title: "The release",
  description: "What is not known yet.",
  required: ["name", "copies", "channel"],
  properties: {
    name: {
      type: "string",
      title: "Name",
      description: "What it is called",
      minLength: 3,
      maxLength: 20,
      pattern: "^[a-z]+$",
    },
    mail: { type: "string", title: "Mail", format: "email" },
    day: { type: "string", title: "Day", format: "date", default: "2026-11-21" },
    copies: { type: "integer", title: "Copies", minimum: 1, maximum: 9, default: 2 },
    signed: { type: "boolean", title: "Sign it", default: true },
    channel: {
      type: "string",
      title: "Channel",
      oneOf: [
        { const: "s", title: "Stable" },
        { const: "b", title: "Beta" },
      ],
    },
    country: { type: "string", title: "Country", enum: ["Austria", "Brazil", "Chad", "Denmark", "Egypt", "France"] },
    targets: {
      type: "array",
      title: "Targets",
      minItems: 1,
      maxItems: 2,
      default: ["macOS"],
      items: { type: "string", enum: ["Windows", "macOS", "Linux"] },
    },
  },
};
/** 10 × 10, one green square. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FAP5FDvcfRYWgAAAAAElFTkSuQmCC";

const EVERYTHING = `think Let me look at the files first.
show image=${PNG} audio resource={"uri":"file:///srv/notes.md","mimeType":"text/markdown","text":"# Notes"} link={"uri":"https://example.org/guide","name":"Guide","description":"How releases are made"}
plan [x] Read the source | [>] Change the expression | Run the tests
tool a edit Change count.mjs
toolupdate a completed locations=src/count.mjs:3 diff={"path":"src/count.mjs","oldText":"one","newText":"two"}
notice warning The model is slow today | latency 12 s, region eu
compact c1 completed We spoke of **words**.
compact c2 failed No room was left.
usage 182345 200000 0.3412 USD
commands plan:Makes a plan,review:Looks at the changes <what to review>,pr-create:Opens a pull request
visit* https://login.example.org/oauth?client=1 message="Sign in to the registry."
form* message="How shall the **release** be made?" requestedSchema=${JSON.stringify(SCHEMA)}`;

/** An executed script sets this. */
const HTML = `<img src=x onerror="window.hacked=1"><b>bold</b>`;
const field = (name: string, value: unknown): string => `${name}=${JSON.stringify(value)}`;

const FRAME = { width: 1280, height: 900 };
const TALL = { width: 1280, height: 2400 };

suite("appearance of agent content", () => {
  let box: ChatBox;
  suiteSetup(async () => {
    box = await openStill({ settings: SETTINGS });
    await sendPrompt(box.frame, EVERYTHING);
    await box.frame.getByRole("button", { name: "Submit" }).waitFor();
  });
  suiteTeardown(() => box.close());

  const chat = () => box.frame.locator("[data-part=chat]:visible");
  const form = () => chat().locator(".symposium-form");
  const input = () => box.frame.locator("[data-part=prompt]:visible");
  const focused = (): Promise<string> =>
    box.frame
      .locator("body")
      .evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");

  test("focuses a form and labels each field with hints and requirement", async () => {
    const card = chat().locator("[data-kind=elicitation]").last();
    await seen(
      () => card.evaluate(element => element.contains(document.activeElement)),
      "the focus in the form's card",
    );
    const [named, described] = await card.evaluate(element => [
      element.getAttribute("aria-label"),
      document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent,
    ]);
    assert.deepEqual([named, described], ["Scripted has a question", "How shall the release be made? The release."]);
    const fields = await form()
      .locator("input, select, fieldset")
      .evaluateAll(all =>
        all.map(element => {
          const text = (element.getAttribute("aria-describedby") ?? "")
            .split(" ")
            .map(id => document.getElementById(id)?.textContent ?? "")
            .filter(Boolean)
            .join("; ");
          const name =
            element instanceof HTMLFieldSetElement
              ? element.querySelector("legend")?.textContent
              : element instanceof HTMLInputElement || element instanceof HTMLSelectElement
                ? element.labels?.[0]?.textContent
                : "";
          return [name, text, element.getAttribute("aria-required") ?? ""].filter(Boolean).join(" | ");
        }),
      );
    assert.deepEqual(fields, [
      "Name (required) | What it is called; 3 to 20 characters · Pattern: ^[a-z]+$ | true",
      "Mail | An e-mail address",
      "Day | A date, such as 2026-01-31",
      "Copies (required) | A whole number · 1 to 9 | true",
      "Sign it",
      "Channel (required)",
      "Stable",
      "Beta",
      "Country",
      "Targets | 1 to 2 of these",
      "Windows",
      "macOS",
      "Linux",
    ]);
  });

  test("unfolds plan and usage by keyboard, with accessible texts", async () => {
    const plan = chat().locator("[data-part=dock-plan]");
    await becomes(() => plan.innerText(), "1/3 Change the expression", "the plan");
    await plan.focus();
    await box.page.keyboard.press("Enter");
    await becomes(
      () =>
        chat()
          .locator(".symposium-plan-steps > li")
          .evaluateAll(all => all.map(step => step.textContent)),
      ["✓Read the source, done", "◐Change the expression, in progress", "○Run the tests, to do"],
      "the steps",
    );
    const usage = chat().locator("[data-part=dock-usage]");
    await becomes(
      async () => [
        await usage.innerText(),
        await usage.getAttribute("aria-label"),
        await usage.getAttribute("data-tone"),
      ],
      [
        "91 %",
        "182k/200k · $0.34. Context and cost: The agent's context holds 182,345 of 200,000 tokens, 91 %. The context is nearly full. This session has cost $0.34 so far.",
        "warning",
      ],
      "the usage",
    );
    await usage.focus();
    await box.page.keyboard.press("Space");
    await chat().getByText("The agent's context holds 182,345 of 200,000 tokens").waitFor();
  });

  test("toggles Follow visibly and accessibly", async () => {
    const follow = chat().getByRole("button", { name: "Follow" });
    assert.equal(await follow.getAttribute("aria-pressed"), "false");
    await follow.press("Enter");
    await seen(async () => (await follow.getAttribute("aria-pressed")) === "true", "Follow pressed");
    await follow.click();
    await seen(async () => (await follow.getAttribute("aria-pressed")) === "false", "Follow not pressed");
  });

  test("keeps form input and focus while the conversation grows", async () => {
    await form().getByLabel("Mail").fill("nobody");
    await form().getByLabel("Copies").fill("1,5");
    await form().getByLabel("Beta").check();
    await form().getByLabel("Mail").focus();
    await chat().getByRole("button", { name: "Decline" }).first().click(); // declines the page
    await showsText(box.frame, "Declined by you");
    await form().getByLabel("Mail").focus();
    await pick(box, chat().locator('select[aria-label="Mode"]'), "code");
    assert.deepEqual(
      await Promise.all([
        form().getByLabel("Mail").inputValue(),
        form().getByLabel("Copies").inputValue(),
        form().getByLabel("Beta").isChecked(),
      ]),
      ["nobody", "1,5", true],
    );
  });

  test("marks invalid fields, focuses the first and keeps the form", async () => {
    await form().getByRole("button", { name: "Submit" }).click();
    await becomes(
      () => form().locator(".symposium-wrong:visible").allInnerTexts(),
      ["Name is required.", "Mail must be an e-mail address.", "Copies must be a number."],
      "what is wrong",
    );
    assert.deepEqual(
      await form()
        .locator("[aria-invalid=true]")
        .evaluateAll(all =>
          all.map(element => (element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : "")),
        ),
      ["Name (required)", "Mail", "Copies (required)"],
    );
    await seen(
      () =>
        form()
          .getByLabel("Name")
          .evaluate(element => element === document.activeElement),
      "the focus on the first",
    );
    assert.equal(
      await form().getByRole("alert").innerText(),
      "The form was not submitted: Name is required. Mail must be an e-mail address. Copies must be a number.",
    );
  });

  for (const { theme, kind, name } of THEMES) {
    suite(`in ${theme}`, () => {
      suiteSetup(async () => {
        await wear(box, theme, kind);
        await screenshots(name);
      });

      test("has a text contrast of at least 4.5", async () => {
        await input().fill("/");
        await chat().locator(".symposium-commands [role=option]").first().waitFor();
        const all = await textsSeen(box.frame, "[data-part=chat]");
        for (const part of [
          "Thought",
          "Guide",
          "slow today",
          "compacted",
          "No room",
          "login.example.org",
          "Pattern",
          "is required",
          "1/3",
          "91 %",
          "Open Diff",
          "/review",
          "Stable",
        ])
          assert.ok(
            all.some(({ text }) => text.includes(part)),
            `“${part}” is not on screen`,
          );
        assert.deepEqual(
          all.filter(({ contrast }) => contrast < 4.5),
          [],
        );
        await box.screenshot(`look-${name}-commands`);
        await input().fill("");
      });

      test("shows the focus on each field and control", async () => {
        const colour = await themeColour(box.frame, "focusBorder");
        await form().getByLabel("Name").focus();
        const stops: string[] = [];
        for (let n = 0; n < 25 && !stops.includes("Prompt"); n++) {
          await box.page.keyboard.press("Tab");
          const stop = await box.frame.locator("body").evaluate(() => {
            const at = document.activeElement;
            if (!at) return undefined;
            const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(at);
            return {
              name: (
                at.getAttribute("aria-label") ??
                (at instanceof HTMLInputElement || at instanceof HTMLSelectElement
                  ? at.labels?.[0]?.textContent
                  : at.textContent) ??
                ""
              ).slice(0, 30),
              width: outlineStyle === "none" ? 0 : parseFloat(outlineWidth),
              colour: outlineColor,
            };
          });
          assert.ok(stop);
          stops.push(stop.name);
          if (stop.name !== "Prompt")
            assert.ok(stop.width >= 1 && stop.colour === colour, `${JSON.stringify(stop)}, not ${colour}`);
        }
        for (const wanted of [
          "Mail",
          "Day",
          "Copies (required)",
          "Sign it",
          "Beta",
          "Country",
          "Submit",
          "Decline",
          "Plan",
          "Follow",
          "182k/200k · $0.34",
        ])
          assert.ok(
            stops.some(stop => stop.startsWith(wanted)),
            `${wanted} is not among ${stops.join(" | ")}`,
          );
      });

      if (name.startsWith("high-contrast"))
        test("shows the theme's borders on fields and buttons", async () => {
          await input().focus();
          for (const { element, border } of await edgesOf(
            box.frame,
            ".symposium-form :is(.symposium-button, .symposium-field > input:not([type=checkbox]), .symposium-field > select)",
          )) {
            assert.ok(border.width >= 1 && border.style === "solid", `${element}: ${JSON.stringify(border)}`);
          }
        });
    });
  }

  suite("interaction", () => {
    /**
     * Answers open questions. Also works when only some of these tests run and the questions from the start are open.
     */
    async function atRest(): Promise<void> {
      const declines = chat().getByRole("button", { name: "Decline" });
      for (let open = await declines.count(); open > 0; open--) {
        await declines.first().click();
        await seen(async () => (await declines.count()) < open, "the question is declined");
      }
      await turnEnded(box.frame);
    }

    test("removes a submitted form, shows the result and focuses the prompt", async () => {
      await form().getByLabel("Name").fill("symposium");
      await form().getByLabel("Mail").fill("");
      await form().getByLabel("Beta").check();
      await form().getByLabel("Copies").fill("3");
      await form().getByLabel("Copies").press("Enter");
      await showsText(box.frame, "Answered by you");
      await atRest();
      assert.equal(await form().count(), 0);
      await seen(async () => (await focused()) === "Prompt", "the focus on the prompt");
      await showsText(
        box.frame,
        `accept {"name":"symposium","day":"2026-11-21","copies":3,"signed":true,"channel":"b","targets":["macOS"]}`,
      );
    });

    test("finds commands by typing and inserts one by keyboard", async () => {
      await atRest();
      await input().focus();
      await box.page.keyboard.type("/");
      const options = chat().locator(".symposium-commands [role=option]");
      await seen(async () => (await options.count()) === 3, "three commands");
      await box.page.keyboard.press("ArrowUp");
      await seen(
        async () => /^\/pr-create/.test(await chat().locator(".symposium-commands [aria-selected=true]").innerText()),
        "the last command, selected",
      );
      assert.equal(
        await input().getAttribute("aria-activedescendant"),
        await chat().locator(".symposium-commands [aria-selected=true]").getAttribute("id"),
      );
      await box.page.keyboard.type("rev");
      await seen(async () => (await options.count()) === 1, "one command");
      await box.page.keyboard.press("Tab");
      await becomes(() => input().textContent(), "/review ", "the command");
      await becomes(() => chat().locator(".symposium-command-hint").innerText(), "/review what to review", "its hint");
      await box.page.keyboard.type("all");
      await box.page.keyboard.press("Escape");
      await becomes(() => input().textContent(), "/review all", "what was typed");
      await box.page.keyboard.press("Enter");
      await showsText(box.frame, "You said: /review all");
    });

    test("closes the command list on Escape, inserts on click, and sends a complete command on Enter", async () => {
      await atRest();
      await input().focus();
      await box.page.keyboard.type("/p");
      await box.page.keyboard.press("Escape");
      await becomes(
        async () => [await input().textContent(), await chat().locator(".symposium-commands:visible").count()],
        ["/p", 0],
        "the text without the list",
      );
      await box.page.keyboard.type("r");
      await chat().locator(".symposium-commands [role=option]", { hasText: "pr-create" }).click();
      await becomes(() => input().textContent(), "/pr-create ", "the command");
      await input().fill("/plan");
      await box.page.keyboard.press("Enter");
      await showsText(box.frame, "You said: /plan");
    });

    test("shows HTML in forms, pages, commands, notices, media and compactions as text", async () => {
      await atRest();
      const hostile = {
        type: "object",
        title: HTML,
        description: HTML,
        required: ["a"],
        properties: {
          a: { type: "string", title: HTML, description: HTML, default: HTML, pattern: HTML, format: "email" },
          b: { type: "string", title: `b ${HTML}`, oneOf: [{ const: HTML, title: HTML, description: HTML }] },
          [HTML]: { type: "array", title: HTML, items: { type: "string", enum: [HTML] } },
          c: { type: "string", title: "c", enum: [1, 2, 3, 4, 5, 6].map(n => `${HTML}${n}`) },
          d: { type: "boolean", title: HTML },
        },
      };
      await sendPrompt(
        box.frame,
        `notice error ${HTML.replaceAll("|", "")} | ${HTML}
compact ${"x"} completed ${HTML}
show ${field("resource", { uri: "https://example.org/", mimeType: HTML, text: HTML })} ${field("link", { uri: "https://example.org/", name: HTML, description: HTML, mimeType: HTML })}
plan [>] ${HTML}
commands x${HTML.replaceAll(/[ ,:]/g, "")}:${HTML.replaceAll(",", "")} <hint>
visit* ${field("message", HTML)} https://example.org/${encodeURI(HTML)}
form* ${field("message", HTML)} requestedSchema=${JSON.stringify(hostile)}`.replace(
          /^visit\* (.*) (https:\S+)$/m,
          "visit* $2 $1",
        ),
      );
      await form().getByRole("button", { name: "Submit" }).waitFor();
      await form().getByRole("button", { name: "Submit" }).click();
      await input().fill("/x");
      for (const select of await chat().locator("select[data-picker]:visible").all()) await select.hover();
      assert.ok((await form().innerText()).includes(HTML));
      assert.equal(await box.frame.locator("body").evaluate(() => "hacked" in window), false);
      assert.deepEqual(
        await chat()
          .locator("img, b")
          .evaluateAll(all => all.map(element => element.outerHTML).filter(html => !html.includes("data:image/png"))),
        [],
      );
      await box.screenshot("look-hostile");
      await form().getByRole("button", { name: "Decline" }).click();
      await input().fill("");
    });
  });

  async function screenshots(name: string): Promise<void> {
    await box.screenshot(`look-${name}-end`);
    await box.page.setViewportSize(TALL);
    await chat()
      .locator("[data-part=conversation]")
      .evaluate(async list => {
        list.scrollTop = 0;
        await new Promise(requestAnimationFrame);
      });
    await box.screenshot(`look-${name}-whole`);
    await box.page.setViewportSize(FRAME);
  }
});
