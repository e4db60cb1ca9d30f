import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { agent, anyView, extension, view } from "../testing/settings-views";
import {
  emptyModel,
  idsOf,
  inOrder,
  MAX_UNFOLDED,
  REFUSED_MS,
  shownView,
  step,
  OVERLAY_MS,
  type Effect,
  type SettingsEvent,
  type Model,
} from "./model";
import { SEARCH_ID } from "./settings-actions";

/** The model after these events, each at its time, and the effects of the last one. */
function play(
  ...all: readonly (SettingsEvent | readonly [now: number, SettingsEvent])[]
): readonly [Model, readonly Effect[]] {
  let model = emptyModel(),
    effects: readonly Effect[] = [];
  for (const each of all) [model, effects] = "kind" in each ? step(model, each, 0) : step(model, each[1], each[0]);
  return [model, effects];
}
const viewed: SettingsEvent = { kind: "viewed", view: view() };
/** A page with a search box. */
const many: SettingsEvent = { kind: "viewed", view: view({ agents: ["a", "b", "c", "d", "e"].map(id => agent(id)) }) };
const enabled = (model: Model, id: string): boolean | undefined =>
  shownView(model)?.extensions.find(row => row.id === id)?.isEnabled;

suite("settings page: model", () => {
  test("posts the message of a pressed button", () =>
    deepEqual(play(viewed, { kind: "pressed", message: { type: "checkUpdates" } })[1], [
      { kind: "post", message: { type: "checkUpdates" } },
    ]));

  test("keeps a changed switch while the host writes it, despite other views", () => {
    const [model, effects] = play(viewed, { kind: "switched", of: { kind: "enable", id: "x" }, isOn: false });
    deepEqual(effects, [
      { kind: "post", message: { type: "enable", id: "x", isOn: false } },
      { kind: "wake", ms: OVERLAY_MS },
    ]);
    equal(enabled(model, "x"), false);
    equal(enabled(step(model, viewed, OVERLAY_MS - 1)[0], "x"), false);
  });

  test("keeps a changed switch during a slow write and then follows the host", () => {
    const ticked: SettingsEvent = { kind: "switched", of: { kind: "enable", id: "x" }, isOn: false };
    const written: SettingsEvent = {
      kind: "viewed",
      view: view({ extensions: [extension("x", { isEnabled: false }), extension("y"), extension("z")] }),
    };
    equal(enabled(play(viewed, ticked, [OVERLAY_MS, { kind: "woke" }], [REFUSED_MS - 1, viewed])[0], "x"), false);
    equal(enabled(play(viewed, ticked, [5_000, written], [5_001, viewed])[0], "x"), true);
    equal(
      enabled(play(viewed, ticked, [100, written], [101, viewed])[0], "x"),
      false,
      "the first word may be of a press before",
    );
    const moved: SettingsEvent = { kind: "reordered", event: { kind: "nudge", id: "x", by: "down" } };
    deepEqual(idsOf(play(viewed, moved, [OVERLAY_MS, viewed])[0]), ["y", "x", "z"]);
  });

  test("reverts a switch to the host's value after a timeout", () => {
    const ticked: SettingsEvent = { kind: "switched", of: { kind: "enable", id: "x" }, isOn: false };
    equal(enabled(play(viewed, ticked, [REFUSED_MS, viewed])[0], "x"), true);
    equal(enabled(play(viewed, ticked, [REFUSED_MS, { kind: "woke" }])[0], "x"), true);
    const twice = play(viewed, ticked, [100, ticked], [REFUSED_MS, { kind: "woke" }])[0];
    equal(enabled(twice, "x"), false, "the second press counts from its own time");
  });

  test("re-arms an early timer and ignores an obsolete one", () => {
    const ticked: SettingsEvent = { kind: "switched", of: { kind: "enable", id: "x" }, isOn: false };
    deepEqual(play(viewed, ticked, [OVERLAY_MS - 0.4, { kind: "woke" }])[1], [{ kind: "wake", ms: 1 }]);
    deepEqual(play(viewed, ticked, [OVERLAY_MS, { kind: "woke" }])[1], [{ kind: "wake", ms: REFUSED_MS - OVERLAY_MS }]);
    deepEqual(play(viewed, ticked, [REFUSED_MS, { kind: "woke" }])[1], []);
  });

  test("posts and shows each switch, radio button and move immediately", () => {
    const rows: readonly [SettingsEvent, object, (model: Model) => unknown, unknown][] = [
      [
        { kind: "switched", of: { kind: "modifier" }, isOn: true },
        { type: "modifier", isOn: true },
        model => shownView(model)?.requireModifier,
        true,
      ],
      [
        { kind: "switched", of: { kind: "bypass", id: "ada" }, isOn: true },
        { type: "bypass", id: "ada", isOn: true },
        model => shownView(model)?.agents.map(({ bypass }) => bypass),
        [true, undefined],
      ],
      [
        { kind: "selected", id: "bob" },
        { type: "row", of: "agent", id: "bob", action: "choose" },
        model => shownView(model)?.agents.map(({ isCurrent }) => isCurrent),
        [false, true],
      ],
      [{ kind: "chose", mode: "off" }, { type: "updates", mode: "off" }, model => shownView(model)?.updates, "off"],
      [
        { kind: "reordered", event: { kind: "nudge", id: "x", by: "down" } },
        { type: "move", id: "x", to: 1 },
        idsOf,
        ["y", "x", "z"],
      ],
    ];
    const asked: SettingsEvent = {
      kind: "viewed",
      view: view({ agents: [agent("ada", { bypass: false }), agent("bob")] }),
    };
    for (const [happened, message, shown, expected] of rows) {
      const [model, effects] = play(asked, happened);
      deepEqual(effects[0], { kind: "post", message });
      deepEqual(shown(model), expected);
    }
  });

  test("combines moves before the host has written the first", () => {
    const down: SettingsEvent = { kind: "reordered", event: { kind: "nudge", id: "x", by: "down" } };
    const [model, effects] = play(viewed, down, viewed, down);
    deepEqual(
      [idsOf(model), effects[0]],
      [["y", "z", "x"], { kind: "post", message: { type: "move", id: "x", to: 2 } }],
    );
  });

  test("drops a requested order when rows were added or removed", () => {
    deepEqual(
      inOrder([extension("x"), extension("y")], ["y", "x"]).map(({ id }) => id),
      ["y", "x"],
    );
    for (const ids of [["y", "x", "z"], ["y"], ["y", "y"], ["q", "x"]])
      deepEqual(
        inOrder([extension("x"), extension("y")], ids).map(({ id }) => id),
        ["x", "y"],
      );
  });

  test("scrolls to a moved row and announces its name", () => {
    const [, effects] = play(viewed, { kind: "reordered", event: { kind: "grab", id: "y" } });
    deepEqual(effects, [
      { kind: "scroll", id: "extension-y" },
      { kind: "announce", text: "Y grabbed, 2 of 3. Arrow keys move, Space drops, Escape cancels." },
    ]);
  });

  test("keeps a grabbed row in view on updates, but not a dragged one", () => {
    const held = (kind: "grab" | "drag") => play(viewed, { kind: "reordered", event: { kind, id: "y" } }, viewed)[1];
    deepEqual([held("grab"), held("drag")], [[{ kind: "scroll", id: "extension-y" }], []]);
  });

  test("releases a grabbed row that was removed", () => {
    const [model] = play(
      viewed,
      { kind: "reordered", event: { kind: "grab", id: "y" } },
      { kind: "viewed", view: view({ extensions: [extension("x")] }) },
    );
    equal(model.reorder.kind, "still");
  });

  test("focuses a revealed row once, when it exists", () => {
    const revealed: SettingsEvent = { kind: "revealed", of: "extension", id: "new" };
    const [waiting, none] = play(viewed, revealed);
    deepEqual(none, []);
    const withIt: SettingsEvent = { kind: "viewed", view: view({ extensions: [extension("new")] }) };
    const [model, effects] = step(waiting, withIt, 0);
    deepEqual(effects, [{ kind: "focus", id: "extension-new" }]);
    deepEqual(step(model, withIt, 0)[1], []);
    deepEqual(play(viewed, { kind: "revealed", of: "agent", id: "bob" })[1], [{ kind: "focus", id: "agent-bob" }]);
  });

  test("saves the query, and focuses the search box when it is cleared", () => {
    const typed: SettingsEvent = { kind: "searched", query: "x" };
    const [model, effects] = play(many, typed, many);
    deepEqual([model.query, play(many, typed)[1], effects], ["x", [{ kind: "save" }], []]);
    const [cleared, clearing] = step(model, { kind: "searchCleared" }, 0);
    deepEqual([cleared.query, clearing], ["", [{ kind: "save" }, { kind: "focus", id: SEARCH_ID }]]);
  });

  test("moves no extension during a search, and puts a held one back", () => {
    const typed: SettingsEvent = { kind: "searched", query: "x" };
    for (const kind of ["grab", "drag"] as const) {
      const grabbed: SettingsEvent = { kind: "reordered", event: { kind, id: "x" } },
        dropped: SettingsEvent = { kind: "reordered", event: { kind: "drop" } };
      const over: SettingsEvent = {
        kind: "reordered",
        event: kind === "grab" ? { kind: "step", by: "down" } : { kind: "over", to: 2 },
      };
      const [model, effects] = play(many, grabbed, over, typed, dropped);
      deepEqual([model.reorder.kind, idsOf(model), effects], ["still", ["x", "y", "z"], []]);
      equal(play(many, typed, grabbed)[0].reorder.kind, "still");
      equal(play(viewed, typed, grabbed, many)[0].reorder.kind, "still", "the search starts with the eighth row");
      equal(play(viewed, typed, grabbed)[0].reorder.kind, kind === "grab" ? "grabbed" : "dragged");
    }
    deepEqual(play(many, typed, { kind: "reordered", event: { kind: "nudge", id: "x", by: "down" } })[1], []);
  });

  test("ends a search that hides a revealed row", () => {
    const revealed: SettingsEvent = { kind: "revealed", of: "extension", id: "y" };
    const focus: Effect = { kind: "focus", id: "extension-y" };
    const reveal = (query: string): readonly unknown[] => {
      const [model, effects] = play(many, { kind: "searched", query }, revealed);
      return [model.query, effects];
    };
    deepEqual(reveal("x"), ["", [{ kind: "save" }, focus]]);
    deepEqual(reveal("y"), ["y", [focus]]);
  });

  test("does not move the focus for a view", () => deepEqual(play(viewed, viewed)[1], []));

  test("stores a limited number of unfolded sections", () => {
    const [model, effects] = play(
      viewed,
      { kind: "folded", fold: "a" },
      { kind: "folded", fold: "b" },
      { kind: "folded", fold: "a" },
    );
    deepEqual([model.unfolded, effects], [["b"], [{ kind: "save" }]]);
    const many = play(
      ...Array.from({ length: MAX_UNFOLDED + 5 }, (_, i): SettingsEvent => ({ kind: "folded", fold: String(i) })),
    )[0];
    deepEqual([many.unfolded.length, many.unfolded.at(-1)], [MAX_UNFOLDED, String(MAX_UNFOLDED + 4)]);
  });

  test("shows exactly the host's rows for any requests (property)", () => {
    const happened: fc.Arbitrary<SettingsEvent> = fc.oneof(
      anyView.map(view => ({ kind: "viewed" as const, view })),
      fc.record({
        kind: fc.constant("switched" as const),
        of: fc.constantFrom(
          { kind: "modifier" as const },
          { kind: "enable" as const, id: "x" },
          { kind: "bypass" as const, id: "ada" },
        ),
        isOn: fc.boolean(),
      }),
      fc.record({ kind: fc.constant("selected" as const), id: fc.constantFrom("ada", "gone") }),
      fc.record({ kind: fc.constant("chose" as const), mode: fc.constantFrom("auto" as const, "off" as const) }),
      fc.record({
        kind: fc.constant("reordered" as const),
        event: fc.constantFrom(
          { kind: "grab" as const, id: "x" },
          { kind: "step" as const, by: "down" as const },
          { kind: "nudge" as const, id: "ada", by: "down" as const },
          { kind: "drop" as const },
        ),
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 4_000 }), happened), { maxLength: 12 }), all => {
        const [model] = play(...all.toSorted(([a], [b]) => a - b));
        const shown = shownView(model);
        equal(shown === undefined, model.view === undefined);
        deepEqual(
          shown?.agents.map(({ id }) => id),
          model.view?.agents.map(({ id }) => id),
        );
        deepEqual(
          shown?.extensions.map(({ id, name }) => `${id} ${name}`).sort(),
          model.view?.extensions.map(({ id, name }) => `${id} ${name}`).sort(),
        );
        ok(model.wishes.length <= 6);
      }),
    );
  });
});
