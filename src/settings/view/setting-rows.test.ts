import { deepEqual, equal, ok } from "node:assert/strict";
import { CARGO_SETTINGS } from "../../protocol/agents/built-in-settings";
import { readExtensions } from "../store/extensions";
import { SettingsPlay } from "../../testing/settings-fixture";
import { settingsGroup, warningQuestion } from "./setting-rows";

const group = (id: string, settings?: unknown) => {
  const [extension] = readExtensions([{ id, ...(settings === undefined ? {} : { settings }) }]).all;
  return extension && settingsGroup(extension);
};
const inShort = (id: string, settings?: unknown) =>
  group(id, settings)?.rows.map(({ name, value, isChanged }) => [name, value, isChanged]);

suite("setting rows", () => {
  test("show defaults, changes and settings without a control", () => {
    deepEqual(inShort("cargo"), [
      ["timeoutMinutes", 10, false],
      ["maxWarnings", 5, false],
      ["approve", "ask", false],
    ]);
    deepEqual(inShort("ferris", { tools: { rust_crate_query: false, later: 1 } })?.[0], [
      "tools",
      { crate_sources: true, rust_crate_query: false },
      true,
    ]);
    deepEqual(
      [group("cargo", { environment: {}, maxWarnings: 5 })?.others, group("cargo")?.others],
      [["environment"], []],
    );
  });

  test("explain a value that does not fit", () => {
    const problems = (id: string, settings: unknown) =>
      group(id, settings)?.rows.flatMap(({ problem, isChanged, value }) =>
        problem ? [[problem, isChanged, value]] : [],
      );
    const rest = "The default applies. A change here replaces the value.";
    deepEqual(problems("cargo", { timeoutMinutes: 0 }), [
      [`The value of “timeoutMinutes” in settings.json is not a number from 0.1 to 1440. ${rest}`, true, 10],
    ]);
    deepEqual(problems("ferris", { tools: { crate_sources: 1 } }), [
      [
        `The value of “tools.crate_sources” in settings.json is not true or false. ${rest}`,
        true,
        { crate_sources: true, rust_crate_query: true },
      ],
    ]);
    equal(problems("ferris", { tools: [] })?.length, 1);
  });

  test("confirm an option with a warning", () => {
    const row = group("cargo")?.rows.find(({ name }) => name === "approve");
    ok(row);
    deepEqual(warningQuestion(row, "all", "Cargo"), {
      question: "Change “Approval” of Cargo?",
      detail: CARGO_SETTINGS.approve.options[1].warning,
      yes: "Change",
    });
    deepEqual(
      [warningQuestion(row, "ask", "Cargo"), warningQuestion({ ...row, value: "all" }, "all", "Cargo")],
      [undefined, undefined],
    );
  });
});

suite("SettingsController: settings of extensions", () => {
  const opened = async () => {
    const play = new SettingsPlay(),
      page = await play.page();
    await play.write("symposium.extensions", [{ id: "cargo", settings: { environment: {} } }]);
    return { play, page, written: () => play.values["symposium.extensions"] };
  };

  test("writes a value that fits, and posts the new view", async () => {
    const { page, written } = await opened();
    await page.send({ type: "setting", id: "cargo", name: "maxWarnings", value: 0 });
    deepEqual(written(), [{ id: "cargo", settings: { environment: {}, maxWarnings: 0 } }]);
    const row = page.row("cargo", "extensions");
    equal("settings" in row && row.settings?.rows[1]?.value, 0);
    await page.send({ type: "setting", id: "cargo", name: "maxWarnings" });
    deepEqual(written(), [{ id: "cargo", settings: { environment: {} } }]);
  });

  test("ignores values that do not fit, unknown settings and untrusted workspaces", async () => {
    const { play, page, written } = await opened(),
      before = written();
    await page.send(
      { type: "setting", id: "cargo", name: "maxWarnings", value: 101 },
      { type: "setting", id: "cargo", name: "environment", value: "x" },
      { type: "setting", id: "gone", name: "maxWarnings", value: 1 },
    );
    play.trusted = false;
    await page.send({ type: "setting", id: "cargo", name: "maxWarnings", value: 1 });
    equal(written(), before);
  });

  test("asks before it stores an option with a warning, and otherwise shows the old one again", async () => {
    const { play, page, written } = await opened();
    play.confirms = false;
    const views = page.of("view").length;
    await page.send({ type: "setting", id: "cargo", name: "approve", value: "all" });
    deepEqual(written(), [{ id: "cargo", settings: { environment: {} } }]);
    equal(page.of("view").length, views + 1);
    play.confirms = true;
    await page.send({ type: "setting", id: "cargo", name: "approve", value: "all" });
    deepEqual(written(), [{ id: "cargo", settings: { environment: {}, approve: "all" } }]);
  });
});
