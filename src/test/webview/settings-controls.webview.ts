/** Settings of extensions in the settings page: with a mouse and by keyboard, in all themes and widths. */
import assert from "node:assert/strict";
import type { FrameLocator } from "playwright-core";
import { edgesOf, textsSeen, THEMES, themeColour } from "../page/contrast";
import { answerDialog, wear } from "../page/scripted";
import { isFine, press, setting, shows } from "../page/settings-box";
import { narrow, openSettingsPage, outside, type SettingsBox } from "./settings-fixture";

const EXTENSIONS = "symposium.extensions";
const SETTINGS = {
  "symposium.registryUrl": "http://127.0.0.1:9/registry.json", // no server listens on this port
  [EXTENSIONS]: [
    { id: "ferris", _source: "built-in", settings: { tools: { later: true }, everywhere: "yes" } },
    { id: "cargo", _source: "built-in", settings: { environment: { A: "1" } } },
    {
      id: "words",
      name: "Words",
      _source: "custom",
      distribution: { local: { command: "/srv/words" } },
      settingsSchema: {
        stopWords: { type: "texts", label: "Stop words", description: "Words that are not counted.", default: [] },
        language: { type: "text", label: "Language", default: "en", maxLength: 10 },
        isLong: { type: "boolean", label: "Count long words only", default: false },
      },
    },
  ],
};

suite("settings: controls of extensions", () => {
  let box: SettingsBox, view: FrameLocator;
  suiteSetup(async () => {
    box = await openSettingsPage({ settings: SETTINGS });
    view = await box.open();
    for (const name of ["Ferris", "Cargo", "Words"]) await press(view, `Settings: ${name}`);
  });
  suiteTeardown(() => box.close());

  const written = (id: string): unknown => {
    const all = setting(box, EXTENSIONS) as readonly Readonly<Record<string, unknown>>[];
    return all.find(each => each["id"] === id)?.["settings"];
  };
  const isWritten = (id: string, settings: unknown): Promise<void> =>
    shows(view, () => JSON.stringify(written(id)) === JSON.stringify(settings), JSON.stringify(settings));
  const group = (name: string) => view.getByRole("group", { name: `Settings: ${name}` });
  const cargo = { environment: { A: "1" } };

  test("turns a tool of Ferris off and on, and keeps unknown options", async () => {
    const tool = group("Ferris").getByRole("group", { name: "Tools" }).getByLabel("rust_crate_query");
    await tool.uncheck();
    await isWritten("ferris", { tools: { later: true, rust_crate_query: false }, everywhere: "yes" });
    await group("Ferris").getByText("Changed").first().waitFor();
    await tool.check();
    await isWritten("ferris", { tools: { later: true }, everywhere: "yes" });
  });

  test("explains a stored value that does not fit, and replaces it on a change only", async () => {
    const everywhere = group("Ferris").getByRole("checkbox", { name: /without a Rust project/ });
    await group("Ferris").getByText("The value of “everywhere” in settings.json is not true or false.").waitFor();
    assert.equal(await everywhere.isChecked(), false);
    await everywhere.check();
    await isWritten("ferris", { tools: { later: true }, everywhere: true });
    await group("Ferris").getByText("settings.json is not").waitFor({ state: "detached" });
  });

  test("sets a number by keyboard, refuses others with an alert, and resets it", async () => {
    const limit = group("Cargo").getByRole("spinbutton", { name: "Time limit of a command (minutes)" }),
      alert = group("Cargo").getByRole("alert");
    await limit.fill("2000");
    await box.page.keyboard.press("Tab");
    await shows(view, async () => (await alert.innerText()) === "Enter a number from 0.1 to 1440.", "the alert");
    assert.equal(await limit.getAttribute("aria-invalid"), "true");
    assert.deepEqual([written("cargo"), await limit.inputValue()], [cargo, "2000"]);
    await limit.fill("0.5");
    await box.page.keyboard.press("Enter");
    await isWritten("cargo", { ...cargo, timeoutMinutes: 0.5 });
    await alert.waitFor({ state: "detached" });
    await box.page.keyboard.press("ArrowUp");
    assert.equal(await limit.evaluate(each => each === document.activeElement), true, "arrow keys change the number");
    await limit.fill("3");
    await box.page.keyboard.press("Enter");
    await press(view, "Reset: Time limit of a command");
    await isWritten("cargo", cargo);
    await shows(view, async () => (await limit.inputValue()) === "10", "the default");
    await shows(view, () => limit.evaluate(each => each === document.activeElement), "the focus on the field");
  });

  test("confirms an option with a warning", async () => {
    const approval = group("Cargo").getByRole("combobox", { name: "Approval" });
    await approval.selectOption("Run commands without asking");
    await answerDialog(box, /^Change “Approval” of Cargo\?/, "Cancel");
    await shows(view, async () => (await approval.inputValue()) === "ask", "the old option");
    assert.deepEqual(written("cargo"), cargo);
    await approval.selectOption("Run commands without asking");
    await answerDialog(box, /^Change “Approval” of Cargo\?/, "Change");
    await isWritten("cargo", { ...cargo, approve: "all" });
    await group("Cargo").getByText("Cargo runs code of the workspace").waitFor();
  });

  test("keeps a text that the user types while a view arrives", async () => {
    const words = group("Words").getByRole("textbox", { name: "Stop words" });
    await words.focus();
    await box.page.keyboard.type("the");
    const ferris = view.locator('.row[data-id="ferris"]');
    for (const selector of ["[data-off]", ":not([data-off])"]) {
      await ferris.getByRole("checkbox", { name: "Enable Ferris" }).evaluate(each => {
        if (each instanceof HTMLInputElement) each.click();
      });
      await shows(view, () => ferris.and(view.locator(selector)).isVisible(), `the view with ${selector}`);
    }
    assert.equal(await words.inputValue(), "the");
    await box.page.keyboard.press("Enter");
    await box.page.keyboard.type(" a ");
    await words.blur();
    await isWritten("words", { stopWords: ["the", "a"] });
    await shows(view, async () => (await words.inputValue()) === "the\na", "the stored lines");
  });

  suite("theme", () => {
    for (const { theme, kind, name } of THEMES) {
      test(`has no axe violations, readable text and the required borders in ${theme}`, async () => {
        await wear(box, theme, kind, view);
        const limit = group("Cargo").getByRole("spinbutton", { name: /^Time limit/ });
        await limit.fill("0");
        await limit.blur();
        await group("Cargo").getByRole("alert").waitFor();
        await view.locator("#extension-ferris").evaluate(row => row.scrollIntoView());
        await view.locator("body").evaluate(body => void (body.style.background = "var(--vscode-sideBar-background)"));
        await box.screenshot(`settings-controls-${name}`);
        await isFine(view, "sideBar-background");
        assert.deepEqual(
          (await textsSeen(view, ".page")).filter(({ contrast }) => contrast < 4.5),
          [],
        );
        if (!name.startsWith("high-contrast")) return;
        const contrast = await themeColour(view, "contrastBorder");
        for (const selector of ["input[type=text]", "select", "textarea"])
          for (const { element, border } of await edgesOf(view, selector))
            assert.ok(border.width >= 1 && border.colour === contrast, `${element}: ${JSON.stringify(border)}`);
      });
    }
  });

  suite("minimum width", () => {
    test("shows nothing outside the view", async () => {
      await narrow(box, view);
      await view.locator("#extension-cargo").evaluate(row => row.scrollIntoView());
      await box.screenshot("settings-controls-narrow");
      assert.deepEqual(await outside(view), []);
    });
  });
});
