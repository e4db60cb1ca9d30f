/** An agent that tries to take over the page: all its output is shown as text. */
import assert from "node:assert/strict";
import { parts } from "../page/chat-parts";
import { sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { FAKE_CARD, field, plantedScriptRuns, RUN, step, takenOver, type Taken } from "../page/hostile-content";
import { becomes, button, showsText } from "../page/scripted";
import { openScripted } from "./fixture";

suite("hostile agent without the content security policy", () => {
  let box: ChatBox, harm: Taken["harm"];
  suiteSetup(async () => {
    ({ box, harm } = await takenOver(openScripted({ settings: { "symposium.logLevel": "debug" } }), "removed"));
  });
  suiteTeardown(() => box.close());

  test("cannot run scripts, handlers or dangerous addresses in the renderer alone", async () => {
    assert.deepEqual(await harm(), []);
    await button(box.frame, "**Really**").first().click();
    await turnEnded(box.frame);
    await showsText(box.frame, /returned an error/);
    assert.deepEqual(await harm(), []);
    assert.ok(await plantedScriptRuns(box), "the policy is gone");
  });

  test("is detected even if its elements are momentary", async () => {
    await box.frame.locator("body").evaluate(() => {
      document.createElement("div").innerHTML = `<b onclick="moment()">x</b>`;
      document.createElement("a").setAttribute("href", "java\tscript:moment()");
      const heading = document.createElement("h1");
      heading.toggleAttribute("onmouseover");
      document.body.append(heading);
    });
    const moments = [`b onclick="moment()"`, `a href="java\tscript:moment()"`, `h1 onmouseover=""`];
    assert.deepEqual((await harm()).slice(0, moments.length), moments);
  });
});

suite("hostile agent", () => {
  let box: ChatBox, harm: Taken["harm"];
  suiteSetup(async () => {
    ({ box, harm } = await takenOver(openScripted({ settings: { "symposium.logLevel": "debug" } }), "kept"));
  });
  suiteTeardown(() => box.close());

  test("cannot run, load or attempt anything in any card", async () => {
    assert.deepEqual(await harm(), []);
    await box.screenshot("hostile-light");
  });

  test("cannot create elements or active attributes", async () => {
    const found = await box.frame.locator("#symposium").evaluate((root, buttons) => {
      const cards = [...root.querySelectorAll("[data-part=conversation] *")].filter(
        element => !element.closest(".symposium-code-head"),
      );
      return [
        ...cards.filter(element =>
          element.matches(
            "script, img, svg, math, iframe, frame, form, input, textarea, select, style, link, meta, base, object, embed, video, audio, details, dialog, [srcdoc], [formaction]",
          ),
        ),
        ...cards.filter(element => element.matches("button") && !element.matches(buttons)),
        ...[...root.querySelectorAll("*")].filter(element =>
          [...element.attributes].some(
            ({ name, value }) =>
              /^on/i.test(name) ||
              (/hacked/.test(value) &&
                ![
                  "href",
                  "title",
                  "placeholder",
                  "class",
                  "action-id",
                  "messageid",
                  "aria-label",
                  "data-info",
                ].includes(name)),
          ),
        ),
        ...cards.filter(element => getComputedStyle(element).position === "fixed"),
      ].map(element => element.outerHTML.slice(0, 200));
    }, `${parts.drawnButton}, .symposium-fold, .symposium-text-button`);
    assert.deepEqual(found, []);
  });

  test("has its text shown as written: titles, options, file names and the tab", async () => {
    const shown = (await box.frame.locator("[data-part=chat]:visible [data-kind]").allInnerTexts()).join("\n");
    for (const text of [
      `<img src=x onerror=${RUN}>`,
      "No <script>",
      "**Really** <b>no</b> [x](javascript:1)",
      "rm -rf / ⟦U+202E⟧txt.",
    ])
      assert.ok(shown.includes(text), `“${text}” is not in ${shown.slice(-3000)}`);
    assert.ok((await box.frame.locator("[role=tab]").first().innerText()).includes("<script>"));
    const [answer = ""] = await box.frame.locator("[data-part=chat]:visible [data-kind=answer]").allInnerTexts();
    assert.ok(answer.includes("<form action="));
  });

  test("cannot cover the input, which accepts a draft", async () => {
    const input = box.frame.locator("[data-part=prompt]:visible");
    await input.click(); // refused if another element covers it
    await input.pressSequentially("still here");
    await becomes(() => input.innerText(), "still here", "the draft");
    await input.fill("");
  });

  test("receives a rejection under the option's id, however it is named", async () => {
    await button(box.frame, "**Really**").first().click();
    await turnEnded(box.frame);
    await showsText(box.frame, /returned an error/);
    assert.deepEqual(await harm(), []);
  });

  test("cannot draw a permission card with working buttons", async () => {
    await sendPrompt(box.frame, `say ${step(FAKE_CARD)}`);
    await showsText(box.frame, "Remove the build folder");
    await turnEnded(box.frame);
    const card = box.frame
      .locator("[data-part=chat]:visible [data-kind=answer]", { hasText: "Remove the build folder" })
      .last();
    assert.equal(await card.locator("[action-id], form, input").count(), 0);
    assert.deepEqual(
      await card.locator("button:visible").evaluateAll(all => all.map(each => each.getAttribute("aria-label"))),
      ["Copy", "Insert at Cursor", "Apply to File…", "Wrap Lines"],
    );
    const before = await box.frame.locator("[data-part=chat]:visible [data-kind]").count();
    assert.equal(await card.locator("a[href^='command:']").count(), 0);
    for (const link of await card.locator("a:visible").all()) await link.click();
    assert.equal(await box.frame.locator("[data-part=chat]:visible [data-kind]").count(), before);
  });

  test("has an output of 50,000 characters truncated with the omitted length", async () => {
    await sendPrompt(
      box.frame,
      `tool long execute Long\ntoolupdate long completed rawOutput=${"x".repeat(50_000)}\ntool lines execute Lines\ntoolupdate lines completed ${field("rawOutput", "a line of 25 characters.\n".repeat(2_000))}\nsay DONE`,
    );
    await turnEnded(box.frame);
    const textOf = async (title: string): Promise<string> =>
      (await box.frame.locator("[data-part=chat]:visible [data-kind=tool]", { hasText: title }).last().textContent()) ??
      "";
    const [long, lines] = [await textOf("Long"), await textOf("Lines")];
    assert.match(long, /34000 more characters are not shown/);
    assert.ok(long.length < 17_000 && long.length > 16_000, String(long.length));
    assert.match(lines, /1\d\d\d more lines are not shown/);
    assert.ok(lines.length < 17_000, String(lines.length));
  });
});
