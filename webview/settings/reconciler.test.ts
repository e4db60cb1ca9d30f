import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { FakeSurface, seenOf, wantedOf, type FakeElement } from "../testing/fake-surface";
import { anyView, agent, extension, view } from "../testing/settings-views";
import type { SettingsView } from "../../src/protocol/settings/settings-view";
import { Reconciler } from "./reconciler";
import { emptyModel, type Model } from "./model";
import { piece, textPiece, type Piece } from "./element-tree";
import { render } from "./render-page";

class Screen {
  readonly surface = new FakeSurface();
  readonly drawing = new Reconciler(this.surface, this.surface.root);
  show(...pieces: readonly Piece[]): this {
    this.drawing.show(pieces);
    return this;
  }
  view(shown: SettingsView, overrides: Partial<Model> = {}): this {
    return this.show(...render({ ...emptyModel(), view: shown, ...overrides }));
  }
  focus(find: (element: FakeElement) => boolean): FakeElement {
    const found = this.surface.all().find(find);
    ok(found);
    this.surface.focus(found);
    return found;
  }
  get focused(): string | undefined {
    const at = this.surface.focused();
    return (
      at?.attributes.get("id") ?? at?.attributes.get("aria-label") ?? at?.attributes.get("aria-labelledby") ?? at?.tag
    );
  }
  /** The element with this id. */
  row(id: string): FakeElement | undefined {
    return this.surface.all().find(element => element.attributes.get("id") === id);
  }
}

const item = (key: string, text = key): Piece => textPiece("li", "", text, { key, isPlace: true });
const list = (...keys: readonly string[]): Piece => piece("ul", "", {}, ...keys.map(key => item(key)));
const labelled =
  (label: string) =>
  (element: FakeElement): boolean =>
    element.attributes.get("aria-label") === label;

suite("settings page: reconciler", () => {
  test("sets text as text", () => {
    const screen = new Screen().show(textPiece("p", "", "<b>&amp;"));
    deepEqual([screen.surface.at(0).text, screen.surface.at(0).children], ["<b>&amp;", []]);
  });

  test("replaces text by pieces and pieces by text", () => {
    const screen = new Screen().show(textPiece("div", "", "text")).show(piece("div", "", {}, item("a")));
    deepEqual([screen.surface.at(0).text, screen.surface.at(0).children.length], ["", 1]);
    screen.show(textPiece("div", "", "text"));
    deepEqual([screen.surface.at(0).text, screen.surface.at(0).children.length], ["text", 0]);
  });

  test("keeps the element of a moved piece", () => {
    const screen = new Screen().show(list("a", "b", "c"));
    const [a, b, c] = screen.surface.at(0).children;
    screen.show(list("c", "a", "d", "b"));
    const after = screen.surface.at(0).children;
    deepEqual(
      [after.map(({ text }) => text), after[0] === c, after[1] === a, after[3] === b],
      [["c", "a", "d", "b"], true, true, true],
    );
  });

  test("never moves the focused element", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(["a", "b", "c", "d", "e"], { minLength: 5 }), fc.nat(4), (order, at) => {
        const screen = new Screen().show(list("a", "b", "c", "d", "e"));
        const held = screen.surface.at(0, at);
        screen.surface.focus(held);
        screen.show(list(...order));
        equal(screen.surface.focused(), held);
        deepEqual(
          screen.surface.at(0).children.map(({ text }) => text),
          order,
        );
      }),
    );
  });

  test("reverts a checkbox that the host did not change", () => {
    const box: Piece = { tag: "input", isChecked: false };
    const screen = new Screen().show(box);
    screen.surface.at(0).isChecked = true;
    screen.show(box);
    equal(screen.surface.at(0).isChecked, false);
  });

  test("creates two elements for a duplicate key", () =>
    deepEqual(new Screen().show(list("a", "a")).surface.at(0).children.length, 2));

  suite("focus after its element is removed", () => {
    const installing = (isGoing: boolean): SettingsView =>
      view({
        agents: [
          agent("ada", { buttons: isGoing ? [] : [{ action: "install", label: "Install", isMain: true }] }),
          agent("bob"),
        ],
      });

    test("moves to the row", () => {
      const screen = new Screen().view(installing(false));
      screen.focus(labelled("Install: ADA"));
      screen.view(installing(true));
      equal(screen.focused, "agent-ada");
    });

    test("moves to the row at the same position, else the last row, else the section", () => {
      const screen = new Screen().view(view());
      const bin = (): FakeElement => screen.focus(element => element.attributes.get("class") === "bin");
      bin();
      screen.view(view({ extensions: [extension("y"), extension("z")] }));
      equal(screen.focused, "extension-y");
      screen.view(view({ extensions: [extension("z")] }));
      equal(screen.focused, "extension-z");
      screen.view(view({ extensions: [] }));
      equal(screen.focused, "section-extensions");
    });

    test("leaves a disabled element", () => {
      const screen = new Screen().view(view());
      screen.focus(labelled("Remove: X"));
      screen.view(view({ isRestricted: true }));
      equal(screen.focused, "extension-x");
    });

    test("stays on a kept element and outside the page", () => {
      const screen = new Screen().view(view());
      const held = screen.focus(labelled("Remove: Z"));
      screen.view(view({ extensions: [extension("z", { name: "Z" }), extension("q")] }));
      equal(screen.surface.focused(), held);
      const elsewhere = new Screen().view(view());
      elsewhere.view(view({ extensions: [] }));
      equal(elsewhere.surface.focused(), undefined);
    });

    test("moves from a note to the notes", () => {
      const note = (n: number) =>
        view({
          notes: Array.from({ length: n }, (_, i) => ({
            tone: "warning" as const,
            sentence: `${i}`,
            button: { action: "trust" as const, label: `Trust ${i}` },
          })),
        });
      const screen = new Screen().view(note(2));
      screen.focus(element => element.text === "Trust 1");
      screen.view(note(1));
      equal(screen.focused, "Notes");
    });
  });

  test("draws exactly the pieces after any sequence of views", () => {
    fc.assert(
      fc.property(
        fc.array(anyView, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(400), { maxLength: 4 }),
        (views, focused) => {
          const screen = new Screen();
          views.forEach((each, i) => {
            const pieces = render({ ...emptyModel(), view: each });
            screen.show(...pieces);
            deepEqual(screen.surface.root.children.map(seenOf), pieces.map(wantedOf));
            const all = screen.surface.all();
            const at = all[(focused[i] ?? 0) % all.length];
            if (at) screen.surface.focus(at);
          });
        },
      ),
    );
  });

  test("changes no element for an identical drawing", () => {
    fc.assert(
      fc.property(anyView, anyView, (before, after) => {
        const screen = new Screen().view(before).view(after);
        const touched = screen.surface.touches.length;
        screen.view(structuredClone(after));
        deepEqual(screen.surface.touches.slice(touched), []);
      }),
    );
  });

  test("returns the current action of an element's piece", () => {
    const press = (label: string): Piece => textPiece("button", "", label, { action: { kind: "fold", fold: label } });
    const screen = new Screen().show(press("a"));
    const element = screen.surface.at(0);
    screen.show(press("b"));
    deepEqual(screen.drawing.actAt(element), { kind: "fold", fold: "b" });
    equal(screen.surface.at(0), element);
  });
});
