import { deepEqual, doesNotMatch, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { FakeClock } from "../../src/protocol/testing/fake-clock";
import { agent, view } from "../testing/settings-views";
import type { SettingsToHost } from "../../src/protocol/settings/settings-to-host";
import { rowId, word } from "./settings-actions";
import { REFUSED_MS } from "./model";
import { SettingsPage, type PageDeps } from "./page";
import { isPicture, maskOf } from "../components/picture";
import type { Piece } from "./element-tree";
import { savedFrom } from "./saved-state";
import { initial, line, lines, prose } from "./display-text";

suite("settings page: element ids", () => {
  test("are unique and contain no spaces", () => {
    equal(rowId("agent", "claude-code"), "agent-claude-code");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        ok(/^[\w-]*$/.test(word(a)));
        equal(word(a) === word(b), a === b);
      }),
    );
  });
});

suite("settings page: text", () => {
  test("escapes hidden characters and joins lines", () => {
    equal(line("a\u202eb\nc"), "a⟦U+202E⟧b c");
    equal(lines("a\r\nb\u0007\n\n"), "a\nb⟦U+0007⟧");
    equal(line("שלום"), "שלום");
  });

  test("is truncated at whole characters", () => {
    ok(line("x".repeat(5_000)).length <= 300 && prose("x".repeat(5_000)).length <= 2_000);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 290, maxLength: 320 }), text =>
        doesNotMatch(line(text), /[\ud800-\udbff](?![\udc00-\udfff])/),
      ),
    );
  });

  test("has its first grapheme as initial", () =>
    deepEqual(["ada", "@s/éclair", "", "👩‍💻 x", "__"].map(initial), ["A", "S", "·", "X", "·"]));
});

suite("settings page: pictures", () => {
  test("accepts only picture data URLs", () => {
    for (const address of ["data:image/png;base64,AA==", "data:image/svg+xml,%3Csvg/%3E", "DATA:IMAGE/GIF;base64,AA=="])
      ok(isPicture(address), address);
    for (const address of [
      "https://example.com/a.png",
      "javascript:1",
      "data:text/html,<b>",
      "data:image/svg+xmlx,",
      " data:image/png,",
      `data:image/png,${"A".repeat(1_000_000)}`,
    ])
      ok(!isPicture(address), address);
  });

  test("draws icons in the text colour as masks", () => {
    const svg = `<svg fill="currentColor"/>`,
      base64 = `data:image/svg+xml;base64,${btoa(svg)}`,
      encoded = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    deepEqual([base64, encoded].map(maskOf), [`mask-image: url("${base64}")`, `mask-image: url("${encoded}")`]);
    for (const item of [
      "data:image/svg+xml,%3Csvg fill='red'/%3E",
      "data:image/png;base64,currentColor",
      "data:image/svg+xml;base64,!",
      "data:image/svg+xml,%",
      "https://example.com/a.svg?currentColor",
    ])
      equal(maskOf(item), undefined, item);
  });

  test("accepts only an address that is safe in a style", () => {
    for (const end of ['"', "\\", ")", "\n", "<", " "])
      equal(maskOf(`data:image/svg+xml,currentColor${end}; color: red`), undefined, end);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), text => {
        const mask = maskOf(`data:image/svg+xml,currentColor${text}`);
        ok(mask === undefined || /^mask-image: url\("[^"\\()\s]*"\)$/.test(mask));
      }),
    );
  });
});

suite("settings page: saved state", () => {
  test("is restored if valid", () => {
    const saved = { unfolded: ["a"], query: "ada", scroll: 12 };
    deepEqual(savedFrom(saved), saved);
    equal(savedFrom({ query: "x".repeat(500) }).query.length, 200);
    for (const wrong of [
      undefined,
      null,
      1,
      [],
      { unfolded: [1], scroll: -1 },
      { unfolded: "a", query: 1, scroll: "b" },
      { scroll: Infinity },
    ])
      deepEqual(savedFrom(wrong), { unfolded: [], query: "", scroll: 0 });
    equal(savedFrom({ unfolded: Array.from({ length: 500 }, String) }).unfolded.length, 100);
  });
});

suite("settings page: runtime", () => {
  function open() {
    const clock = new FakeClock(),
      posted: SettingsToHost[] = [],
      done: string[] = [];
    let shown: readonly Piece[] = [],
      shows = 0;
    const fixture: PageDeps = {
      show: pieces => {
        shown = pieces;
        shows++;
      },
      focus: id => {
        done.push(`focus ${id}`);
      },
      scrollTo: id => {
        done.push(`scroll ${id}`);
      },
      post: message => {
        posted.push(message);
      },
      report: text => {
        done.push(`say ${text}`);
      },
      save: () => {
        done.push("save");
      },
      onStart: () => {
        done.push("begun");
      },
      clock,
    };
    const page = new SettingsPage(fixture, ["more agent ada"], "");
    return { page, clock, posted, done, shown: () => JSON.stringify(shown), shows: () => shows };
  }

  test("posts ready, draws views and restores the scroll position once", () => {
    const { page, posted, done, shown } = open();
    deepEqual(posted, [{ type: "ready" }]);
    page.happen({ kind: "viewed", view: view() });
    page.happen({ kind: "viewed", view: view({ requireModifier: true }) });
    deepEqual(done, ["begun"]);
    ok(shown().includes("ADA"));
  });

  test("focuses a row when it is drawn", () => {
    const { page, done, shown } = open();
    page.happen({ kind: "revealed", of: "agent", id: "new" });
    page.happen({ kind: "viewed", view: view({ agents: [agent("new")] }) });
    deepEqual([done, shown().includes("NEW")], [["begun", "focus agent-new"], true]);
  });

  test("draws the host's value after the timeout without another event", () => {
    const { page, clock, shown, posted } = open();
    page.happen({ kind: "viewed", view: view() });
    const before = shown();
    page.happen({ kind: "switched", of: { kind: "modifier" }, isOn: true });
    ok(shown() !== before && posted.at(-1)?.type === "modifier");
    clock.advance(REFUSED_MS);
    equal(shown(), before);
  });

  test("draws nothing without a change", () => {
    const { page, shows } = open();
    page.happen({ kind: "viewed", view: view() });
    const before = shows();
    page.happen({ kind: "pressed", message: { type: "checkUpdates" } });
    page.happen({ kind: "woke" });
    equal(shows(), before);
  });
});
