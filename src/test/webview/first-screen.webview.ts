/** The first screen of an empty tab: agents, suggested prompts, enabled extensions, keyboard, appearance. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { ActiveFile } from "../../protocol/page/first-screen";
import { violations } from "../page/axe";
import { textsSeen, THEMES } from "../page/contrast";
import { lastExchange, ROOT, sendPrompt, turnEnded, type ChatBox } from "../page/harness";
import { input } from "../page/prompt-steps";
import {
  AGENT_ID,
  becomes,
  newTab,
  scripted,
  seen,
  setWidth,
  shownTab,
  testAgent,
  toggleChat,
  wear,
} from "../page/scripted";
import { WIDTHS } from "./appearance-steps";
import { openScripted } from "./fixture";

const TWO_AGENTS = scripted([], {
  "symposium.agents": [testAgent(AGENT_ID, "Scripted"), testAgent("second", "Second")],
  "symposium.extensions": null,
});

suite("first screen", () => {
  let box: ChatBox,
    activeFile: ActiveFile | undefined = { path: "src/count.mjs", problems: 2 };
  const calls: (readonly [what: string, text: string])[] = [];
  suiteSetup(async () => {
    box = await openScripted({
      settings: TWO_AGENTS,
      called: (what, text) => calls.push([what, text]),
      activeFile: () => activeFile,
      onWorkspace: folder => writeFileSync(path.join(folder, "Cargo.toml"), '[package]\nname = "counts"\n'),
    });
    await box.open();
    await screen().waitFor();
  });
  suiteTeardown(() => box.close());

  const screen = () => shownTab(box).getByRole("region", { name: "Symposium" }),
    agents = () => screen().getByRole("list", { name: "Agents" }).getByRole("button"),
    agent = (name: string) => agents().filter({ hasText: name }),
    link = (name: string) => screen().getByRole("button", { name, exact: true }),
    chosen = () => screen().locator("[aria-current=true]").innerText();
  const names = (): Promise<readonly string[]> =>
    agents().evaluateAll(all => all.map(each => each.querySelector(".symposium-first-name")?.textContent ?? ""));
  const placeholder = () => input(box.frame).getAttribute("placeholder");

  test("lists configured and built-in agents, without Eliza, and marks that of the tab", async () => {
    await becomes(names, ["Scripted", "Second", "Claude", "Codex", "Gemini CLI"], "the agents");
    assert.match(await chosen(), /Scripted/);
    await agent("Gemini CLI")
      .getByText(/^install \(npm/)
      .waitFor();
  });

  test("suggests prompts for the active file, and fills the prompt without sending it", async () => {
    await link("Fix the 2 problems in src/count.mjs").waitFor();
    await link("Explain this project").click();
    await becomes(() => input(box.frame).innerText(), "Explain this project", "the suggested prompt");
    await seen(() => input(box.frame).evaluate(each => each === document.activeElement), "the focus in the prompt");
    await link("Write a test for src/count.mjs").click();
    await becomes(
      () => input(box.frame).innerText(),
      "Explain this project\nWrite a test for src/count.mjs",
      "both prompts",
    );
    assert.equal(await screen().count(), 1);
    await input(box.frame).fill("");
  });

  test("moves between the agents with the arrow keys", async () => {
    const focused = () => box.frame.locator(":focus .symposium-first-name").innerText();
    await agents().first().focus();
    for (const [key, expected] of [
      ["ArrowDown", "Second"],
      ["ArrowUp", "Scripted"],
      ["ArrowUp", "Scripted"],
      ["End", "Gemini CLI"],
      ["ArrowDown", "Gemini CLI"],
      ["Home", "Scripted"],
    ] as const) {
      await box.page.keyboard.press(key);
      assert.equal(await focused(), expected, key);
    }
  });

  test("opens Select Agent", async () => {
    await link("More Agents…").click();
    await seen(async () => calls.some(([what]) => what === "select an agent"), "the pick list");
  });

  for (const { theme, kind, name } of THEMES)
    suite(`in ${theme}`, () => {
      suiteSetup(() => wear(box, theme, kind));

      test("has no axe violations", () =>
        becomes(async () => (await violations(box.frame)).join("\n"), "", "a page in which axe finds nothing wrong"));

      test("has a text contrast of at least 4.5", async () => {
        const all = await textsSeen(box.frame, "#symposium");
        assert.ok(all.some(({ text }) => text.includes("Explain this project")));
        assert.deepEqual(
          all.filter(({ contrast }) => contrast < 4.5),
          [],
        );
      });

      for (const width of WIDTHS)
        test(`fits into ${width} px`, async () => {
          await setWidth(box, width);
          const { isWide, isHigh, share } = await screen().evaluate(each => ({
            isWide: each.scrollWidth > each.clientWidth,
            isHigh: each.scrollHeight > each.clientHeight,
            share:
              ((each.lastElementChild?.getBoundingClientRect().bottom ?? 0) -
                (each.firstElementChild?.getBoundingClientRect().top ?? 0)) /
              window.innerHeight,
          }));
          await box.page
            .locator("iframe.webview")
            .screenshot({ path: path.join(ROOT, `out/screenshots/first-screen-${name}-${width}.png`) });
          assert.deepEqual([isWide, isHigh, share <= 0.43], [false, false, true], `${share}`);
        });
    });

  suite("the chosen agent", () => {
    test("starts in this tab, and answers the prompt that was typed meanwhile", async () => {
      await input(box.frame).fill("say typed before");
      await agent("Second").click();
      await becomes(placeholder, "Ask Second. @ adds context, / runs commands", "a tab of the agent");
      assert.match(await chosen(), /Second/);
      assert.equal(await input(box.frame).innerText(), "say typed before");
      await seen(() => input(box.frame).evaluate(each => each === document.activeElement), "the focus in the prompt");
      await box.page.keyboard.press("Enter");
      await turnEnded(box.frame);
      assert.deepEqual(
        [(await lastExchange(box.frame)).answer, await box.frame.getByRole("tab").count()],
        ["typed before", 1],
      );
    });

    test("is kept after the first prompt; the picker offers a new tab", async () => {
      assert.equal(await screen().count(), 0);
      await shownTab(box)
        .getByRole("combobox", { name: /agent of this tab/ })
        .selectOption("Scripted");
      await shownTab(box).getByRole("button", { name: "New Tab with Scripted" }).click();
      await becomes(placeholder, "Ask Scripted. @ adds context, / runs commands", "a new tab");
    });

    test("is Eliza for a try, which does not change later tabs", async () => {
      await link("Try Without an Agent").click();
      await becomes(placeholder, "Ask Eliza. @ adds context, / runs commands", "a tab of Eliza");
      assert.match(await chosen(), /Try Without an Agent/);
      await newTab(box);
      await becomes(placeholder, "Ask Scripted. @ adds context, / runs commands", "the agent of new tabs");
    });
  });

  suite("a prompt that an extension changed", () => {
    const additions = () => shownTab(box).getByRole("list", { name: "Added by extensions" });

    test("has a line that opens to the text", async () => {
      await newTab(box);
      await sendPrompt(box.frame, "say done");
      await turnEnded(box.frame);
      await additions()
        .getByText(/^Sparkle added \d+ bytes$|^Sparkle added [\d.]+ kB$/)
        .waitFor();
      const text = additions().locator("pre");
      assert.equal(await text.isVisible(), false);
      await additions().getByRole("button", { name: "Show" }).click();
      assert.match(await text.innerText(), /<sparkle part="embodiment">[^]*It is on by default[^]*<\/sparkle>/);
      await shownTab(box).screenshot({ path: path.join(ROOT, "out/screenshots/prompt-additions.png") });
      await becomes(
        async () => (await violations(box.frame)).join("\n"),
        "",
        "a page in which axe finds nothing wrong",
      );
    });

    test("has no separator at the end of a line that wraps", async () => {
      for (const width of [200, ...WIDTHS]) {
        await setWidth(box, width);
        const outside = await additions()
          .locator("li")
          .evaluate(item => {
            const parts = [...item.querySelectorAll("p > span")].map(part => part.getBoundingClientRect()),
              ends = parts.filter(({ bottom }, i) => (parts[i + 1]?.top ?? Infinity) >= bottom - 1);
            return ends.map(({ right }) => Math.round(right - item.getBoundingClientRect().right));
          });
        assert.ok(outside.length > (width === 200 ? 1 : 0) && outside.every(each => each === 12), outside.join());
      }
    });

    test("keeps the line after the view was hidden, and has no line without an addition", async () => {
      await sendPrompt(box.frame, "say again");
      await turnEnded(box.frame);
      await toggleChat(box);
      await box.open();
      await additions().first().waitFor();
      assert.equal(await additions().count(), 1);
      await newTab(box);
    });
  });

  suite("the enabled extensions", () => {
    const line = () => screen().locator(".symposium-first-extensions");

    test("are listed with those for Rust, and have a preview of their text", async () => {
      await becomes(() => line().locator("span").first().innerText(), "On: Sparkle, Ferris, Cargo", "the line");
      await link("Preview").click();
      await seen(async () => calls.some(([what]) => what === "show Additions to Prompts"), "the preview");
      const text = calls.find(([what]) => what === "show Additions to Prompts")?.[1] ?? "";
      assert.match(
        text,
        /# Sparkle\n\nAdded after your first prompt[^]*<sparkle part="embodiment">[^]*It is on by default/,
      );
      assert.match(text, /# Cargo\n\nAdds no text to prompts\./);
    });

    test("can be turned off", async () => {
      await link("Turn Off").click();
      await line().waitFor({ state: "hidden" });
      const [settings] = box.readSettings() as readonly Record<string, { id: string; _enabled: boolean }[]>[];
      assert.deepEqual(
        settings?.["symposium.extensions"]?.map(({ id, _enabled }) => [id, _enabled]),
        [
          ["sparkle", false],
          ["ferris", false],
          ["cargo", false],
        ],
      );
      await seen(
        async () => (await shownTab(box).getByText("This tab still uses its old settings.").count()) === 0,
        "a tab with the new settings",
      );
      const [above, below] = await screen().evaluate(each => {
        const shown = [...each.children].filter(child => child.getClientRects().length > 0),
          { top, bottom } = each.getBoundingClientRect();
        return [
          (shown[0]?.getBoundingClientRect().top ?? 0) - top,
          bottom - (shown.at(-1)?.getBoundingClientRect().bottom ?? 0),
        ];
      });
      assert.ok(Math.abs((above ?? 0) - (below ?? 0)) <= 2, `${above} px above, ${below} px below`);
    });
  });

  suite("a tab with a conversation", () => {
    test("has no first screen after a reload", async () => {
      activeFile = undefined;
      await sendPrompt(box.frame, "say kept");
      await turnEnded(box.frame);
      await box.reload();
      await box.open();
      await shownTab(box).getByText("kept").first().waitFor();
      assert.equal(await screen().count(), 0);
    });
  });
});
