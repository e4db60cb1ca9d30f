import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import type { SettingsView } from "../../src/protocol/settings/settings-view";
import { agent, anyView, extension, recommendation, view } from "../testing/settings-views";
import { emptyModel, type Model } from "./model";
import type { Piece } from "./element-tree";
import { render } from "./render-page";

const all = (pieces: readonly Piece[]): readonly Piece[] => pieces.flatMap(each => [each, ...all(each.children ?? [])]);
const drawn = (overrides: Partial<SettingsView> = {}, model: Partial<Model> = {}): readonly Piece[] =>
  all(render({ ...emptyModel(), view: view(overrides), ...model }));
const having =
  (name: string, value: string) =>
  ({ attributes }: Piece): boolean =>
    attributes?.[name] === value;
const textOf = (piece: Piece): string => piece.text ?? (piece.children ?? []).map(textOf).join(" ");
const buttons = (pieces: readonly Piece[]): readonly string[] =>
  pieces
    .filter(({ tag }) => tag === "button")
    .map(
      ({ attributes, text }) =>
        `${attributes?.["aria-label"] ?? text}${attributes?.["disabled"] === undefined ? "" : " (off)"}`,
    );

suite("settings page: rendering", () => {
  test("shows a loading text before the first view", () =>
    match(
      all(render(emptyModel()))
        .map(({ text }) => text ?? "")
        .join("|"),
      /Reading the settings…/,
    ));

  test("shows main buttons and folds the others behind a labelled More button", () => {
    const agents = [
      agent("ada", {
        buttons: [
          { action: "install", label: "Install", isMain: true },
          { action: "examine", label: "Check" },
          { action: "remove", label: "Remove", about: "Ada of the settings" },
        ],
      }),
    ];
    const folded = drawn({ agents, extensions: [] });
    deepEqual(buttons(folded).slice(0, 2), ["Install: ADA", "More: ADA"]);
    equal(folded.find(having("aria-label", "More: ADA"))?.attributes?.["aria-expanded"], "false");
    const unfolded = drawn({ agents, extensions: [] }, { unfolded: ["more agent ada"] });
    deepEqual(buttons(unfolded).slice(0, 4), [
      "Install: ADA",
      "More: ADA",
      "Check: ADA",
      "Remove: Ada of the settings",
    ]);
    const overrides = unfolded.find(having("aria-label", "More: ADA"))?.attributes;
    deepEqual(
      [overrides?.["aria-expanded"], unfolded.some(having("id", overrides?.["aria-controls"] ?? ""))],
      ["true", true],
    );
  });

  test("posts the list, row and action of a pressed button", () => {
    const action = drawn({
      extensions: [extension("ada", { buttons: [{ action: "update", label: "Update", isMain: true }] })],
    }).find(having("aria-label", "Update: ADA"))?.action;
    deepEqual(action, { kind: "send", message: { type: "row", of: "extension", id: "ada", action: "update" } });
  });

  test("shows recommended extensions in a labelled section with their reasons", () => {
    const section = (pieces: readonly Piece[]): Piece | undefined =>
      pieces.find(having("class", "section recommendations"));
    equal(section(drawn()), undefined);
    const shown = section(
      drawn({
        recommendations: {
          rows: [recommendation("crate tokio")],
          hidden: 3,
          problems: ["list.toml, line 3: …"],
          dismissed: 2,
        },
      }),
    );
    ok(shown);
    const pieces = all([shown]);
    equal(pieces.find(having("id", shown.attributes?.["aria-labelledby"] ?? ""))?.text, "Recommended Extensions");
    deepEqual(buttons(pieces), ["Add: CRATE TOKIO", "Dismiss: CRATE TOKIO", "Show 2 Dismissed Recommendations"]);
    deepEqual(
      pieces.filter(having("class", "sentence")).map(({ text }) => text),
      ["list.toml, line 3: …", "Recommended."],
    );
    deepEqual(pieces.find(having("aria-label", "Add: CRATE TOKIO"))?.action, {
      kind: "send",
      message: { type: "row", of: "recommendation", id: "crate tokio", action: "add" },
    });
    equal(
      pieces.find(having("class", "about below"))?.text,
      "3 other extensions are recommended. Add or dismiss extensions to see them.",
    );
    const row = pieces.find(having("data-of", "recommendation"));
    deepEqual(
      [row?.tag, row?.attributes?.["aria-labelledby"], row?.isPlace],
      ["li", "name-recommendation-crate_20_tokio", true],
    );
  });

  test("shows the percentage and Cancel of an installation", () => {
    const going = drawn({
      agents: [
        agent("ada", {
          progress: { label: "Downloading", percent: 41.6 },
          buttons: [{ action: "cancel", label: "Cancel", isMain: true }],
        }),
      ],
      extensions: [],
    });
    deepEqual(going.find(({ tag }) => tag === "progress")?.attributes, {
      max: "100",
      value: "42",
      "aria-label": "Downloading: ADA",
    });
    const box = going.find(having("class", "progress"));
    ok(box);
    deepEqual(buttons(all([box])), ["Cancel: ADA"]);
    equal(buttons(going).filter(label => label.startsWith("Cancel")).length, 1);
    equal(
      drawn({ agents: [agent("ada", { progress: { label: "Waiting" } })] }).find(({ tag }) => tag === "progress")
        ?.attributes?.["value"],
      undefined,
    );
  });

  test("folds a finding's detail and makes it keyboard-scrollable", () => {
    const agents = [
      agent("ada", {
        findings: [
          {
            tone: "error",
            sentence: "npm is not there.",
            detail: "npm: not found\n<b>",
            buttons: [{ action: "copyReport", label: "Copy Report" }],
          },
        ],
      }),
    ];
    equal(
      drawn({ agents }).some(({ tag }) => tag === "pre"),
      false,
    );
    const pre = drawn({ agents }, { unfolded: ["detail agent ada 0"] }).find(({ tag }) => tag === "pre");
    deepEqual([pre?.text, pre?.attributes?.["tabindex"]], ["npm: not found\n<b>", "0"]);
  });

  test("shows the bypass switch in More where applicable, and always with a warning if on", () => {
    const boxes = (bypass?: boolean, unfolded: readonly string[] = ["more agent ada"]) =>
      drawn({ agents: [agent("ada", bypass === undefined ? {} : { bypass })], extensions: [] }, { unfolded })
        .filter(({ action: action }) => action?.kind === "switch" && action.of.kind === "bypass")
        .map(({ isChecked }) => isChecked);
    deepEqual([boxes(), boxes(false), boxes(true)], [[], [false], [true]]);
    deepEqual([boxes(false, []), boxes(true, [])], [[], [true]]);
    const on = drawn({ agents: [agent("ada", { bypass: true })] });
    equal(on.some(having("class", "hazard")), true);
    equal(drawn({ agents: [agent("ada", { bypass: false })] }).some(having("class", "hazard")), false);
  });

  test("selects the agent of new tabs by a radio button", () => {
    const bob = agent("bob", { buttons: [{ action: "choose", label: "Choose", isMain: true }] }),
      page = drawn({ agents: [agent("ada", { isCurrent: true }), bob] });
    equal(page.find(having("id", "agent-ada"))?.attributes?.["aria-current"], "true");
    deepEqual(
      page
        .filter(having("name", "agent"))
        .map(({ attributes, isChecked, action }) => [
          attributes?.["aria-label"],
          attributes?.["title"],
          isChecked,
          action,
        ]),
      [
        ["Use for new tabs: ADA", undefined, true, { kind: "agent", id: "ada" }],
        ["Use for new tabs: BOB", "Choose", false, { kind: "agent", id: "bob" }],
      ],
    );
    deepEqual(
      buttons(page).filter(each => each.startsWith("Choose")),
      [],
    );
  });

  test("disables row actions and adding in restricted mode", () => {
    const off = drawn({
      isRestricted: true,
      agents: [agent("ada", { bypass: false, buttons: [{ action: "install", label: "Install", isMain: true }] })],
      notes: [{ tone: "warning", sentence: "Not trusted.", button: { action: "trust", label: "Trust" } }],
    });
    const offs = buttons(off)
      .filter(each => each.endsWith("(off)"))
      .map(each => each.replace(" (off)", ""));
    deepEqual(
      new Set(offs),
      new Set([
        "Install: ADA",
        "Add Agent…",
        "From the Registry…",
        "Check for Updates",
        "Add Extension…",
        ...["X", "Y", "Z"].flatMap(name => [`Move: ${name}`, `Remove: ${name}`]),
      ]),
    );
    // The modifier checkbox and three update modes.
    deepEqual(off.filter(({ tag, attributes }) => tag === "input" && attributes?.["disabled"] === undefined).length, 4);
  });

  test("explains extensions if there are none", () => {
    match(
      drawn({ extensions: [] })
        .map(({ text }) => text ?? "")
        .join("|"),
      /run between the editor and the agent/,
    );
    doesNotMatch(
      drawn()
        .map(({ text }) => text ?? "")
        .join("|"),
      /run between the editor/,
    );
  });

  test("shows notes only if there are any", () => {
    const sections = (notes: SettingsView["notes"]) =>
      drawn({ notes }).filter(({ key, tag }) => tag === "section" && key === "notes").length;
    deepEqual([sections([]), sections([{ tone: "warning", sentence: "Not trusted." }])], [0, 1]);
  });

  test("hides Open as Page on the page", () => {
    ok(drawn().some(({ text }) => text === "Open as Page"));
    ok(!drawn({ isPage: true }).some(({ text }) => text === "Open as Page"));
  });

  test("marks the drop position of a dragged row if it changes", () => {
    const marks = (to: number) =>
      drawn({}, { reorder: { kind: "dragged", id: "y", from: 1, to } }).flatMap(({ attributes }) =>
        attributes?.["data-drop"] === undefined ? [] : [`${attributes["data-drop"]} ${attributes["data-id"]}`],
      );
    deepEqual([marks(0), marks(1), marks(2)], [["before x"], [], ["after z"]]);
  });

  test("moves a grabbed row and gives it move buttons", () => {
    const taken = drawn({}, { reorder: { kind: "grabbed", id: "x", from: 0, to: 2 } });
    deepEqual(
      taken.flatMap(({ attributes }) => (attributes?.["data-of"] === "extension" ? [attributes["data-id"]] : [])),
      ["y", "z", "x"],
    );
    deepEqual(
      taken.filter(({ action: action }) => action?.kind === "move").map(({ attributes }) => attributes?.["aria-label"]),
      ["Up: X", "Down: X"],
    );
  });

  test("renders unique ids, valid references and no unsafe content for any view", () => {
    fc.assert(
      fc.property(anyView, any => {
        const rows = [any.agents, any.extensions].map(list =>
          list.filter(({ id }, i) => list.findIndex(each => each.id === id) === i),
        );
        const pieces = all(
          render({
            ...emptyModel(),
            view: {
              ...any,
              agents: rows[0] as SettingsView["agents"],
              extensions: rows[1] as SettingsView["extensions"],
            },
            unfolded: [...any.agents.flatMap(({ id }) => [`more agent ${id}`, `detail agent ${id} 0`])],
          }),
        );
        const ids = pieces.flatMap(({ attributes }) => (attributes?.["id"] === undefined ? [] : [attributes["id"]]));
        equal(new Set(ids).size, ids.length);
        for (const { attributes = {}, text = "" } of pieces) {
          for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for"])
            for (const id of attributes[name]?.split(" ") ?? []) ok(ids.includes(id), `${name} ${id}`);
          if (attributes["src"] !== undefined) match(attributes["src"], /^data:image\//);
          ok(Object.keys(attributes).every(name => !name.startsWith("on") && name !== "href"));
          if (attributes["style"] !== undefined)
            match(attributes["style"], /^mask-image: url\("data:image\/svg[^"]*"\)$/);
          doesNotMatch(text, /[\u0000-\u0008\u202a-\u202e\u2066-\u2069]/);
          ok(text.length <= 160_000);
        }
      }),
    );
  });

  test("names every button and input", () => {
    fc.assert(
      fc.property(anyView, any => {
        const pieces = all(render({ ...emptyModel(), view: any })),
          labels = pieces.filter(({ tag }) => tag === "label");
        for (const each of pieces.filter(({ tag }) => tag === "button" || tag === "input")) {
          const label = labels.find(({ children = [] }) => children.includes(each));
          ok((each.attributes?.["aria-label"] ?? textOf(label ?? each)) !== undefined);
          if (each.tag === "input") ok((each.attributes?.["aria-label"] ?? textOf(label ?? each)).trim() !== "");
        }
      }),
    );
  });
});
