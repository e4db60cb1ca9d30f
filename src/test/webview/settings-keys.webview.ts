/**
 * Accessibility of the settings page: extensions by keyboard and mouse, the complete tab order, all themes and
 * widths.
 */
import assert from "node:assert/strict";
import type { FrameLocator } from "playwright-core";
import { local } from "../page/fake-npm-machine";
import { edgesOf, textsSeen, THEMES, themeColour } from "../page/contrast";
import { wear } from "../page/scripted";
import { isFine, names, press, rowOf, setting, shows } from "../page/settings-box";
import { narrow, openSettingsPage, outside, type SettingsBox } from "./settings-fixture";

const EXTENSIONS = "symposium.extensions";
const extension = (id: string, name: string, overrides: object = {}): object => ({
  id,
  name,
  _source: "custom",
  distribution: { local: { command: `/srv/${id}`, args: ["--stdio"] } },
  ...overrides,
});
const SETTINGS = {
  "symposium.agents": [
    {
      ...(local("mine", "Mine") as object),
      bypassPermissions: true,
      description: "An agent of mine that does what I want",
    },
    local("other", "Another"),
  ],
  "symposium.currentAgentId": "mine",
  "symposium.registryUrl": "http://127.0.0.1:9/registry.json", // no server listens on this port
  [EXTENSIONS]: [
    extension("first", "First", { strange: 1 }),
    extension("second", "Second", { _enabled: false }),
    extension("third", "Third"),
  ],
};

type Entry = Readonly<Record<string, unknown>>;

suite("settings: accessibility", () => {
  let box: SettingsBox, view: FrameLocator;
  suiteSetup(async () => {
    box = await openSettingsPage({ settings: SETTINGS });
    view = await box.open();
    await view.getByRole("radio", { name: "Use for new tabs: Mine", checked: true }).waitFor();
  });
  suiteTeardown(() => box.close());

  const keys = (...all: readonly string[]): Promise<void> =>
    all.reduce<Promise<void>>((before, key) => before.then(() => box.page.keyboard.press(key)), Promise.resolve());
  const focused = (): Promise<string> =>
    view.locator("body").evaluate(() => {
      const at = document.activeElement;
      return at === null || at === document.body
        ? ""
        : (at.getAttribute("aria-label") ?? (at as HTMLInputElement).labels?.[0]?.textContent ?? at.textContent).trim();
    });
  const is = (name: string): Promise<void> =>
    shows(view, async () => (await focused()) === name, `the focus on ${name}`);
  const written = (): readonly Entry[] => (setting(box, EXTENSIONS) ?? []) as readonly Entry[];
  const order = (): string =>
    written()
      .map(({ id }) => id)
      .join();
  const grip = (name: string) => view.getByRole("button", { name: `Move: ${name}`, exact: true });
  const says = (sentence: string): Promise<void> =>
    view.locator("[role=alert]", { hasText: sentence }).waitFor({ state: "attached" });
  const inOrder = (...all: readonly string[]): Promise<void> =>
    shows(view, async () => (await names(view, "extension")).join() === all.join(), `the order ${all.join(", ")}`);

  test("searches rows by keyboard, and keeps the query while the view is hidden", async () => {
    const field = view.getByRole("searchbox", { name: "Search agents and extensions" }),
      matches = (text: string): Promise<void> => view.getByRole("status").filter({ hasText: text }).waitFor();
    await view.locator("#extension-first").focus();
    await keys("Control+f");
    await is("Search agents and extensions");
    await box.page.keyboard.type("SECOND srv");
    await matches("1 match");
    await inOrder("Second");
    assert.deepEqual(await names(view, "agent"), []);
    assert.equal(await grip("Second").isDisabled(), true);
    await isFine(view, "sideBar-background");
    await box.screenshot("settings-search");

    await box.command("View: Toggle Primary Side Bar Visibility");
    await view.locator(".row").first().waitFor({ state: "detached" });
    await box.command("View: Toggle Primary Side Bar Visibility");
    view = await box.open();
    await inOrder("Second");
    await field.fill("nothing like it");
    await matches("No agent or extension matches “nothing like it”.");
    await press(view, "Clear Search");
    await is("Search agents and extensions");
    await inOrder("First", "Second", "Third");
    await box.page.keyboard.type("mine");
    await matches("1 match");
    await keys("Escape");
    await inOrder("First", "Second", "Third");
    assert.equal(await field.inputValue(), "");
  });

  suite("extensions", () => {
    test("moves by keyboard with Space and arrows, each step announced", async () => {
      await grip("First").focus();
      await keys("Space");
      await says("First grabbed, 1 of 3");
      await keys("ArrowDown", "ArrowDown");
      await says("First, 3 of 3.");
      await inOrder("Second", "Third", "First");
      assert.equal(order(), "first,second,third");
      await shows(
        view,
        () =>
          view
            .locator("#extension-first")
            .evaluate(row => row.getBoundingClientRect().bottom <= window.innerHeight + 1),
        "that it stays in sight",
      );
      await box.screenshot("settings-grabbed");
      await keys("Space");
      await is("Move: First");
      await shows(view, () => order() === "second,third,first", "the order in the settings");
      assert.equal(written().find(({ id }) => id === "first")?.["strange"], 1);
    });

    test("returns to its place on Escape", async () => {
      await keys("Space", "Home");
      await inOrder("First", "Second", "Third");
      await keys("Escape");
      await says("First not moved, 3 of 3.");
      await inOrder("Second", "Third", "First");
      assert.equal(order(), "second,third,first");
      await is("Move: First");
    });

    test("moves immediately with Alt+Up and keeps the focus", async () => {
      await view.getByRole("checkbox", { name: "Enable First" }).focus();
      await keys("Alt+ArrowUp", "Alt+ArrowUp");
      await is("Enable First");
      await shows(view, () => order() === "first,second,third", "the order in the settings");
    });

    test("moves by dragging the grip, with a drop mark", async () => {
      const from = await grip("First").boundingBox(),
        third = await rowOf(view, "Third").boundingBox();
      assert.ok(from && third);
      await box.page.mouse.move(from.x + 10, from.y + 10);
      await box.page.mouse.down();
      await box.page.mouse.move(from.x + 12, third.y + third.height - 4, { steps: 6 });
      await view.locator('.row[data-drop="after"]', { hasText: "Third" }).waitFor();
      await box.screenshot("settings-dragged");
      await box.page.mouse.up();
      await shows(view, () => order() === "second,third,first", "the order in the settings");
      await inOrder("Second", "Third", "First");
    });

    test("moves by buttons alone", async () => {
      await press(view, "Move: First");
      await press(view, "Up: First");
      await press(view, "Move: First");
      await shows(view, () => order() === "second,first,third", "the order in the settings");
    });

    test("is enabled, disabled and deleted, and the focus moves to the next row", async () => {
      await view.getByRole("checkbox", { name: "Enable Second" }).click();
      await shows(view, () => written().find(({ id }) => id === "second")?.["_enabled"] === true, "that it is on");
      await view.getByRole("button", { name: /^Remove: Second/ }).focus();
      await keys("Enter");
      await shows(view, () => order() === "first,third", "its end");
      await shows(
        view,
        () => view.locator("#extension-first").evaluate(row => row === document.activeElement),
        "the focus on the next row",
      );
    });
  });

  suite("keyboard only", () => {
    test("reaches every control in page order with a visible focus", async () => {
      const all = await view
        .locator("body")
        .evaluate(() =>
          [...document.querySelectorAll<HTMLElement>("button:enabled, input:enabled, [tabindex='0']")]
            .filter(
              each =>
                each.getClientRects().length > 0 &&
                !(each instanceof HTMLInputElement && each.type === "radio" && !each.checked),
            )
            .map(each => each.getAttribute("aria-label") ?? each.textContent),
        );
      await view.locator("#section-agents").evaluate(heading => {
        heading.setAttribute("tabindex", "-1");
        heading.focus();
      });
      const before = await view.locator(".search input, .notes button").count(),
        focus = await themeColour(view, "focusBorder"),
        stops: string[] = [];
      for (let n = before; n < all.length; n++) {
        await keys("Tab");
        stops.push(
          await view
            .locator("body")
            .evaluate(
              () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "",
            ),
        );
        const [line] = await view.locator(":focus").evaluateAll(all =>
          all.map(each => {
            const { outlineStyle, outlineColor } = getComputedStyle(each);
            return { outlineStyle, outlineColor };
          }),
        );
        assert.deepEqual(line, { outlineStyle: "solid", outlineColor: focus }, stops.at(-1));
      }
      assert.deepEqual(stops, all.slice(before));
    });

    test("moves between rows with arrows and activates with Enter and Space", async () => {
      await view.locator("#agent-mine").focus();
      await keys("ArrowDown");
      assert.equal(await view.locator(":focus").getAttribute("id"), "agent-other");
      await view.getByRole("button", { name: "More: Another" }).focus();
      await keys("Enter");
      await view.getByRole("button", { name: "More: Another", expanded: true }).waitFor();
      await view.getByRole("radio", { name: "Use for new tabs: Mine" }).focus();
      await keys("ArrowDown");
      await shows(view, () => setting(box, "symposium.currentAgentId") === "other", "that the next agent is chosen");
      await is("Use for new tabs: Another");
      await view.getByRole("radio", { name: "Notify" }).focus();
      await keys("ArrowDown");
      await shows(view, () => setting(box, "symposium.updates") === "off", "the next of the radio buttons");
    });

    test("keeps the focus when a view arrives", async () => {
      const held = view.getByRole("button", { name: "Check for Updates" });
      await held.focus();
      await view.getByRole("checkbox", { name: "Enable Third" }).evaluate(each => {
        if (each instanceof HTMLInputElement) each.click();
      });
      await shows(view, () => written().find(({ id }) => id === "third")?.["_enabled"] === false, "the change");
      await shows(view, () => view.locator('.row[data-id="third"][data-off]').isVisible(), "the view with it");
      await is("Check for Updates");
    });
  });

  suite("theme", () => {
    for (const { theme, kind, name } of THEMES) {
      test(`has no axe violations, readable text and the required borders in ${theme}`, async () => {
        await wear(box, theme, kind, view);
        await view.locator("body").evaluate(() => window.scrollTo(0, 0));
        await box.screenshot(`settings-${name}`);
        await isFine(view, "sideBar-background");
        const all = await textsSeen(view, ".page");
        for (const part of [
          "Allow everything",
          "The agent reads and changes",
          "Check for Updates",
          "In order from",
          "Notify",
          "All Settings",
        ])
          assert.ok(
            all.some(({ text }) => text.includes(part)),
            `“${part}” is not on screen`,
          );
        assert.deepEqual(
          all.filter(({ contrast }) => contrast < 4.5),
          [],
        );
        if (!name.startsWith("high-contrast")) return;
        const contrast = await themeColour(view, "contrastBorder");
        for (const selector of [".button.plain", "input"])
          for (const { element, border } of await edgesOf(view, selector))
            assert.ok(border.width >= 1 && border.colour === contrast, `${element}: ${JSON.stringify(border)}`);
      });
    }
  });

  suite("minimum width", () => {
    test("shows nothing outside the view", async () => {
      await narrow(box, view);
      await box.screenshot("settings-narrow");
      assert.deepEqual(await outside(view), []);
    });
  });
});
