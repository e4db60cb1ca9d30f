import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { SettingRow, SettingsGroup } from "../../src/protocol/settings/settings-view";
import { cargoSettings, extension, view } from "../testing/settings-views";
import type { Piece } from "./element-tree";
import { emptyModel, OVERLAY_MS, shownView, step, type Model, type SettingsEvent } from "./model";
import { render } from "./render-page";

const all = (pieces: readonly Piece[]): readonly Piece[] => pieces.flatMap(each => [each, ...all(each.children ?? [])]);
const drawn = (settings: SettingsGroup, model: Partial<Model> = {}, isRestricted = false): readonly Piece[] =>
  all(
    render({
      ...emptyModel(["settings cargo"]),
      view: view({ extensions: [extension("cargo", { settings })], isRestricted }),
      ...model,
    }),
  );
const byId = (pieces: readonly Piece[], id: string): Piece | undefined =>
  pieces.find(({ attributes }) => attributes?.["id"] === id);
const LIMIT = { id: "cargo", name: "timeoutMinutes" };
const control = "setting-cargo-timeoutMinutes";
const tools: SettingRow = {
  name: "tools",
  control: {
    type: "choices",
    label: "Tools",
    options: [
      { value: "a", label: "A", description: "Does A.", default: true },
      { value: "b", label: "B", default: true },
    ],
  },
  value: { a: true, b: true },
  isChanged: false,
};
const WORDS: SettingRow = {
  name: "words",
  control: { type: "texts", label: "Words", default: [] },
  value: ["x", "y"],
  isChanged: true,
};

suite("settings page: settings of extensions", () => {
  test("are behind a disclosure", () => {
    const folded = drawn(cargoSettings(), { unfolded: [] });
    equal(folded.find(({ attributes }) => attributes?.["aria-label"] === "Settings: CARGO")?.tag, "button");
    equal(byId(folded, control), undefined);
    ok(byId(drawn(cargoSettings()), control));
  });

  test("have labels, descriptions and native inputs", () => {
    const pieces = drawn({ rows: [...cargoSettings().rows, tools, WORDS], others: ["environment"] });
    const { tag, value, attributes } = byId(pieces, control) ?? {};
    deepEqual(
      [tag, value, attributes?.["type"], attributes?.["min"], attributes?.["max"], attributes?.["step"]],
      ["input", "10", "number", "0.1", "1440", "any"],
    );
    equal(pieces.find(piece => piece.attributes?.["for"] === control)?.text, "Time limit of a command (minutes)");
    equal(
      byId(pieces, attributes?.["aria-describedby"] ?? "")?.text,
      "Ends cargo and its child processes. From 0.1 to 1440.",
    );
    const choice = byId(pieces, "setting-cargo-approve");
    deepEqual([choice?.tag, choice?.value, choice?.children?.length], ["select", "ask", 2]);
    const option = byId(pieces, "setting-cargo-tools-0");
    deepEqual(
      [option?.isChecked, byId(pieces, option?.attributes?.["aria-describedby"] ?? "")?.text],
      [true, "Does A."],
    );
    equal(byId(pieces, "setting-cargo-tools")?.attributes?.["aria-labelledby"], "setting-cargo-tools-name");
    equal(byId(pieces, "setting-cargo-words")?.value, "x\ny");
    ok(pieces.some(({ text }) => text === "settings.json also sets “environment”."));
  });

  test("mark a changed value in words and offer a reset", () => {
    const reset = (pieces: readonly Piece[]) =>
      pieces.find(({ attributes }) => attributes?.["aria-label"] === "Reset: Time limit of a command");
    equal(reset(drawn(cargoSettings())), undefined);
    const pieces = drawn(cargoSettings({ timeoutMinutes: { value: 20, isChanged: true } }));
    deepEqual(reset(pieces)?.action, { kind: "reset", of: LIMIT });
    ok(pieces.some(({ text }) => text === "Changed"));
  });

  test("show the problem of a stored value, and the warning of an option, as descriptions", () => {
    const pieces = drawn(
      cargoSettings({ timeoutMinutes: { isChanged: true, problem: "It does not fit." }, approve: { value: "all" } }),
    );
    const described = (id: string) => byId(pieces, id)?.attributes?.["aria-describedby"] ?? "";
    match(described(control), / setting-cargo-timeoutMinutes-problem$/);
    match(described("setting-cargo-approve"), /setting-cargo-approve-warning$/);
    equal(byId(pieces, `${control}-problem`)?.children?.[1]?.text, "It does not fit.");
  });

  test("keep a text that does not fit, with an alert", () => {
    const pieces = drawn(cargoSettings(), { drafts: [{ of: LIMIT, text: "0" }] }),
      field = byId(pieces, control);
    deepEqual([field?.value, field?.attributes?.["aria-invalid"]], ["0", "true"]);
    const alert = byId(pieces, `${control}-mistake`);
    deepEqual([alert?.attributes?.["role"], alert?.text], ["alert", "Enter a number from 0.1 to 1440."]);
    match(field?.attributes?.["aria-describedby"] ?? "", /-mistake$/);
  });

  test("are disabled in Restricted Mode", () => {
    const fields = drawn({ rows: [...cargoSettings().rows, tools, WORDS], others: [] }, {}, true).filter(
      ({ action }) => action?.kind === "setting",
    );
    deepEqual(
      fields.map(({ attributes }) => attributes?.["disabled"]),
      fields.map(() => ""),
    );
    equal(fields.length, 6);
  });
});

suite("settings page: input in settings", () => {
  const group: SettingsGroup = { rows: [...cargoSettings().rows, tools, WORDS], others: [] },
    shown: SettingsEvent = { kind: "viewed", view: view({ extensions: [extension("cargo", { settings: group })] }) };
  const play = (...events: readonly SettingsEvent[]) =>
    [shown, ...events].reduce<ReturnType<typeof step>>(([model], event) => step(model, event, 0), [emptyModel(), []]);
  const values = (model: Model) =>
    Object.fromEntries(
      (shownView(model)?.extensions[0]?.settings?.rows ?? []).map(({ name, value, isChanged }) => [
        name,
        [value, isChanged],
      ]),
    );
  const typed = (text: string, name = "timeoutMinutes"): SettingsEvent => ({
    kind: "entered",
    of: { id: "cargo", name },
    input: { text },
  });
  const ticked = (option: string, isOn: boolean): SettingsEvent => ({
    kind: "entered",
    of: { id: "cargo", name: "tools" },
    input: { isOn, option },
  });

  test("posts and shows a value that fits", () => {
    const [model, effects] = play(typed("2.5"));
    deepEqual(effects, [
      { kind: "post", message: { type: "setting", ...LIMIT, value: 2.5 } },
      { kind: "wake", ms: OVERLAY_MS },
    ]);
    deepEqual(values(model)["timeoutMinutes"], [2.5, true]);
    deepEqual(values(play(typed("2.5"), typed("10"))[0])["timeoutMinutes"], [10, false]);
  });

  test("posts nothing for a value that does not fit, until it is corrected or reset", () => {
    for (const text of ["", "0", "1441", "ten", "Infinity"]) {
      const [model, effects] = play(typed(text));
      deepEqual([model.drafts, effects, values(model)["timeoutMinutes"]], [[{ of: LIMIT, text }], [], [10, false]]);
    }
    deepEqual(play(typed("0"), typed("1"))[0].drafts, []);
    const [model, effects] = play(typed("0"), { kind: "reset", of: LIMIT });
    deepEqual(model.drafts, []);
    deepEqual(
      effects.filter(({ kind }) => kind !== "wake"),
      [
        { kind: "post", message: { type: "setting", ...LIMIT } },
        { kind: "focus", id: control },
      ],
    );
  });

  test("combines quick changes of several checkboxes", () => {
    const [model, effects] = play(ticked("a", false), ticked("b", false));
    deepEqual(effects[0], {
      kind: "post",
      message: { type: "setting", id: "cargo", name: "tools", value: { a: false, b: false } },
    });
    deepEqual(values(model)["tools"], [{ a: false, b: false }, true]);
    deepEqual(values(play(ticked("a", false), { kind: "reset", of: { id: "cargo", name: "tools" } })[0])["tools"], [
      { a: true, b: true },
      false,
    ]);
  });

  test("reads lists by line", () =>
    deepEqual(values(play(typed(" one \n\n two\r\n", "words"))[0])["words"], [["one", "two"], true]));

  test("shows an option with a warning when the host has stored it", () => {
    const [model, effects] = play(typed("all", "approve"));
    deepEqual(effects, [{ kind: "post", message: { type: "setting", id: "cargo", name: "approve", value: "all" } }]);
    deepEqual(values(model)["approve"], ["ask", false]);
  });

  test("ignores a setting that no longer exists", () =>
    deepEqual(play({ kind: "entered", of: { id: "gone", name: "x" }, input: { text: "1" } })[1], []));
});
